"""What an operator may set."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le
from pegboard import Secret, ToolError

from pegboard_web.places import Place, place_of
from pegboard_web.rules import Rules
from pegboard_web.urls import origin_of, parse

KIBI = 1024

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OURS = frozenset(
    ("accept-encoding", "connection", "content-length", "host", "te", "transfer-encoding")
)


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        allow: the only places that may be reached, such as `docs.python.org` or `*.example.org`;
            all, if none are given.
        deny: places that may not be reached, whatever else is said.
        allow_private: places that may be reached though they are private, such as `10.0.0.0/8`.
        ports: the ports that may be reached anywhere.
        headers: by the origin of a server, such as `https://api.example.org`, what only requests
            to that server carry.
        user_agent: what requests call themselves; the plugin's name and version unless set.
        certificates: a PEM file of authorities that are trusted besides the system's; relative to
            the folder of the configuration.
        max_chars: how much text one call gives back.
        max_bytes: how much is read of one answer.
        max_decoded_bytes: how much that may be once it is decompressed.
        max_image_bytes: how large an image may be; 0 for none.
        max_seconds: how long one call may take in all.
        idle_seconds: how long a server may say nothing.
        max_redirects: how often one call is sent on.
        max_connections: how many connections may be open at once.
    """

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    allow_private: tuple[str, ...] = ()
    ports: tuple[Annotated[int, Ge(1), Le(65535)], ...] = (80, 443)
    headers: dict[str, dict[str, str | Secret]] = attrs.field(factory=dict)
    user_agent: str | None = None
    certificates: str | None = None
    max_chars: Annotated[int, Ge(1), Le(KIBI * KIBI)] = 20_000
    max_bytes: Annotated[int, Ge(16), Le(64 * KIBI * KIBI)] = 2 * KIBI * KIBI
    max_decoded_bytes: Annotated[int, Ge(16), Le(64 * KIBI * KIBI)] = 4 * KIBI * KIBI
    max_image_bytes: Annotated[int, Ge(0), Le(5 * KIBI * KIBI)] = KIBI * KIBI
    max_seconds: Annotated[float, Gt(0), Le(600)] = 30.0
    idle_seconds: Annotated[float, Gt(0), Le(600)] = 10.0
    max_redirects: Annotated[int, Ge(0), Le(20)] = 5
    max_connections: Annotated[int, Ge(1), Le(1_000)] = 20

    def __attrs_post_init__(self) -> None:
        if mistakes := [*_mistakes(self)]:
            raise ValueError("; ".join(mistakes))


def rules_of(settings: Settings) -> Rules:
    """The hosts, ports and addresses that may be reached."""
    return Rules(
        allow=None if settings.allow is None else _places(settings.allow),
        deny=_places(settings.deny),
        allow_private=_places(settings.allow_private),
        ports=frozenset(settings.ports),
    )


def headers_of(settings: Settings) -> dict[str, dict[str, str]]:
    """What requests carry, by origin, in plain text."""
    return {
        origin_of(parse(server)): {name: _revealed(each) for name, each in headers.items()}
        for server, headers in settings.headers.items()
    }


def _places(texts: Iterable[str]) -> tuple[Place, ...]:
    return tuple(map(place_of, texts))


def _revealed(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _mistakes(settings: Settings) -> Iterator[str]:
    for name in ("allow", "deny", "allow_private"):
        for text in getattr(settings, name) or ():
            try:
                place_of(text)
            except ValueError as error:
                yield f"{name}: {error}"
    for server, headers in settings.headers.items():
        yield from (f"headers: {each}" for each in _mistakes_of_server(server))
        yield from (f"headers of {server!a}: {each}" for each in _mistakes_of_headers(headers))
    if settings.user_agent is not None and not _is_value(settings.user_agent):
        yield "user_agent holds a character that no header can hold"


def _mistakes_of_server(server: str) -> Iterator[str]:
    try:
        url = parse(server)
    except ToolError as error:
        yield str(error)
    else:
        if url.raw_path != b"/":
            yield f"{server!a} has a path; headers go to whole servers: 'https://api.example.org'"


def _mistakes_of_headers(headers: Mapping[str, str | Secret]) -> Iterator[str]:
    for name, value in headers.items():
        if _NAME.fullmatch(name) is None:
            yield f"{name!a} is no name of a header"
        elif name.lower() in _OURS:
            yield f"{name!a} is set by the plugin itself"
        elif not _is_value(_revealed(value)):
            yield f"the value of {name!a} holds what no header can, or white space around it"


def _is_value(text: str) -> bool:
    return text.isascii() and text.isprintable() and text == text.strip()
