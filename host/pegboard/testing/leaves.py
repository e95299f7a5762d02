"""Texts and numbers at the edges of what a schema allows."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

_PLAIN = (
    "text",
    "",
    "a",
    "A",
    "a b",
    "a-b_c.d/e",
    "../a",
    "1",
    "42",
    "1.5",
    "abc",
    "ABC",
    "Ab1",
    "1.0.0",
    "#a1b2c3",
    "na\u0308ive \N{HOT BEVERAGE}\n\t",
    "x" * 2_000,
)
_OF_FORMATS: Mapping[str, tuple[str, ...]] = {
    "date": ("2024-02-29", "1999-12-31"),
    "date-time": ("2024-02-29T12:30:00Z", "2024-02-29T12:30:00.5+02:00"),
    "duration": ("P1D", "PT1H30M", "PT0S"),
    "email": ("someone@example.org",),
    "hostname": ("example.org", "localhost"),
    "ipv4": ("127.0.0.1",),
    "ipv6": ("::1",),
    "regex": ("^a+$",),
    "time": ("12:30:00Z", "12:30:00", "00:00:00+02:00"),
    "uri": ("https://example.org/a?b=c#d", "file:///a"),
    "uri-reference": ("a/b", "https://example.org"),
    "uuid": ("12345678-1234-5678-9234-567812345678",),
}
_NUMBERS = (0, 1, -1, 2, 10, 100, 2**53 + 1)
_FRACTIONS = (0.5, -1.25, 1e300)


def texts(part: Mapping[str, Any]) -> Iterator[str]:
    """Texts that may fit a schema."""
    yield from _OF_FORMATS.get(part.get("format", ""), ())
    least, most = part.get("minLength", 0), part.get("maxLength")
    for each in _PLAIN:
        if len(each) >= least and (most is None or len(each) <= most):
            yield each
    for length in dict.fromkeys((least, least if most is None else most)):
        yield from (letter * length for letter in "xA1")


def numbers(part: Mapping[str, Any], *, is_whole: bool) -> Iterator[int | float]:
    """Numbers that may fit a schema."""
    step = part.get("multipleOf", 1)
    low = [part[key] for key in ("minimum", "exclusiveMinimum") if key in part]
    high = [part[key] for key in ("maximum", "exclusiveMaximum") if key in part]
    edges = (*low, *high, *(edge - edge % step for edge in (*low, *high)))
    near = [edge + way for edge in edges for way in (0, step, -step)]
    between = [(low[0] + high[0]) / 2] if low and high else []
    for each in chain(near, _NUMBERS, (step, 2 * step), between, () if is_whole else _FRACTIONS):
        if not is_whole or each == int(each):
            yield int(each) if is_whole else each
