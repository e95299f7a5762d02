"""Bytes as text, in the character set that a server or a page says."""

import codecs
import re

import attrs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_DECLARED = re.compile(r"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})["']""")
_SAID_WITHIN = 1024
_FALLBACK = "cp1252"
"""What pages of the old web mean that say nothing."""

_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gbk", "euc_kr": "cp949"}
"""What the web means by names that are narrower elsewhere."""
_KNOWN = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "gbk", "gb18030", "big5", "big5hkscs"),
        *("euc_jp", "iso2022_jp", "shift_jis", "cp932", "cp949", "koi8-r", "koi8-u", "cp866"),
        *("mac-roman", "mac-cyrillic", "cp874"),
        *(f"cp125{number}" for number in range(9)),
        *(f"iso8859-{number}" for number in (*range(2, 9), 10, 13, 14, 15, 16)),
    )
)


@attrs.frozen
class Decoded:
    """Text out of bytes.

    Attributes:
        text: the text; what can't be read is U+FFFD.
        note: what didn't fit, if something didn't.
    """

    text: str
    note: str | None


def decode(data: bytes, *, content_type: str, is_cut: bool, is_page: bool) -> Decoded:
    """Read bytes as text.

    Args:
        data: the bytes.
        content_type: what the server says of them.
        is_cut: whether they may end inside a character.
        is_page: whether they may say their character set themselves, as HTML does.
    """
    mark = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)
    if mark is not None:
        return _read(data[len(mark[0]) :], mark[1], is_cut=is_cut)
    said = _said(content_type) or _said_within(data[:_SAID_WITHIN], is_page=is_page)
    if said is None:
        return _read_unsaid(data, is_cut=is_cut)
    name = _codec(said)
    if name is None:
        read = _read(data, "utf-8", is_cut=is_cut)
        return attrs.evolve(read, note=f"the character set {said!a} isn't known; read as UTF-8")
    return _read(data, name, is_cut=is_cut)


def _said(text: str) -> str | None:
    found = _PARAMETER.search(text)
    return found[1].lower() if found else None


def _said_within(start: bytes, *, is_page: bool) -> str | None:
    text = start.decode("latin-1")
    declared = _DECLARED.match(text.lstrip())
    said = declared[1].lower() if declared else _said(text) if is_page else None
    is_absurd = said is not None and said.startswith("utf-16")  # it could be read to say so
    return "utf-8" if is_absurd else said


def _read_unsaid(data: bytes, *, is_cut: bool) -> Decoded:
    """The text as UTF-8, unless hardly anything beyond ASCII is."""
    read = _read(data, "utf-8", is_cut=is_cut)
    wrong = read.text.count("\N{REPLACEMENT CHARACTER}")
    right = len(read.text) - len(read.text.encode("ascii", "ignore")) - wrong
    if wrong <= right or b"\0" in data:
        return read
    note = "no character set is said, and it isn't UTF-8; read as windows-1252"
    return attrs.evolve(_read(data, _FALLBACK, is_cut=is_cut), note=note)


def _codec(said: str) -> str | None:
    try:
        name = codecs.lookup(said).name
    except LookupError:
        return None
    wider = _WIDER.get(name, name)
    return wider if wider in _KNOWN else None


def _read(data: bytes, name: str, *, is_cut: bool) -> Decoded:
    text = codecs.getincrementaldecoder(name)("replace").decode(data, final=not is_cut)
    count = text.count("\N{REPLACEMENT CHARACTER}")
    note = f"{count} characters can't be read as {name}, and are shown as U+FFFD" if count else None
    return Decoded(text, note)
