"""Encodings: what a file begins with stays, and what isn't text is refused."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Failure, Outcome, PluginLoadError
from pegboard_files.encoding import PLAIN, encoding_of, extends_ascii

Call = Callable[..., Outcome]
MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
TEXT = "one ☕\r\ntwo 🫖\r\n"


@pytest.fixture(params=MARKED)
def marked(request: pytest.FixtureRequest, root: Path) -> tuple[str, Path]:
    """An encoding, and a file that is marked with it."""
    (root / "file").write_bytes(MARKED[request.param] + TEXT.encode(request.param))
    return request.param, root / "file"


def test_a_marked_text_is_read_without_its_mark(call: Call, marked: tuple[str, Path]) -> None:
    value = call("files_read", {"path": "file", "offset": 2}).unwrap()

    assert (value["text"], value["total_lines"]) == ("two 🫖\r\n", 2)
    assert call("files_read", {"path": "file"}).unwrap()["text"] == TEXT


def test_an_edit_keeps_the_mark_the_encoding_and_the_line_ends(
    call: Call, marked: tuple[str, Path]
) -> None:
    encoding, file = marked
    edits = [{"old": "one ☕\ntwo", "new": "1\n2\n3"}]

    call("files_edit", {"path": "file", "edits": edits}).unwrap()

    assert file.read_bytes() == MARKED[encoding] + "1\r\n2\r\n3 🫖\r\n".encode(encoding)


@pytest.mark.parametrize("content", ["new\n☕", "\N{ZERO WIDTH NO-BREAK SPACE}new\n☕"])
def test_a_text_that_is_written_over_a_marked_one_is_marked_once(
    call: Call, marked: tuple[str, Path], content: str
) -> None:
    encoding, file = marked

    call("files_write", {"path": "file", "content": content}).unwrap()

    assert file.read_bytes() == MARKED[encoding] + "new\n☕".encode(encoding)


@pytest.mark.parametrize("engine", ["own", "ripgrep"])
def test_a_search_finds_lines_of_every_encoding(
    call: Call, marked: tuple[str, Path], engine: str, ripgrep: str
) -> None:
    how = {"search_with": engine, "ripgrep": ripgrep}

    found = call("files_search", {"pattern": "^one ☕$"}, **how).unwrap()

    assert found["matches"] == [{"path": "file", "line": 1, "text": "one ☕"}]


def test_an_encoding_that_is_not_usual_is_said(call: Call, root: Path) -> None:
    (root / "file").write_text("one", encoding="utf-16")

    outcome = call("files_read", {"path": "file"})

    assert "[the file is utf-16-le text, and stays so when it is changed]" in str(outcome.content)


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF16_LE + b"\0\xd8",
        codecs.BOM_UTF16_BE + b"odd",
        codecs.BOM_UTF32_LE + b"o\0\0\0",
        codecs.BOM_UTF8 + b"\xff",
        b"o\0n\0e\0",
        b"caf\xe9",
    ],
    ids=["half a pair", "odd", "UTF-32", "marked only", "NUL", "Latin-1"],
)
def test_what_cannot_be_decoded_is_refused_and_left_alone(
    call: Call, root: Path, data: bytes
) -> None:
    (root / "file").write_bytes(data)

    for tool, more in (("files_read", {}), ("files_edit", {"edits": [{"old": "o", "new": "x"}]})):
        outcome = call(tool, {"path": "file", **more})

        assert isinstance(outcome, Failure)
        assert outcome.details["code"] == "not_text"
    assert (root / "file").read_bytes() == data


def test_an_operator_says_how_other_text_is_read(call: Call, root: Path) -> None:
    (root / "file").write_bytes("café\r\n5 €\r\n".encode("cp1252"))
    edits = {"path": "file", "edits": [{"old": "5 €", "new": "6 €"}]}

    text = call("files_read", {"path": "file"}, fallback_encoding="cp1252").unwrap()["text"]
    call("files_edit", edits, fallback_encoding="cp1252").unwrap()

    assert text == "café\r\n5 €\r\n"
    assert (root / "file").read_bytes() == "café\r\n6 €\r\n".encode("cp1252")


def test_the_fallback_is_for_what_is_no_utf_8_only(call: Call, root: Path) -> None:
    (root / "file").write_text("café ☕\n")

    read = call("files_read", {"path": "file"}, fallback_encoding="cp1252").unwrap()
    found = call("files_search", {"pattern": "café ☕"}, fallback_encoding="cp1252").unwrap()

    assert read["text"] == "café ☕\n"
    assert [each["path"] for each in found["matches"]] == ["file"]


@pytest.mark.parametrize("tool", ["files_write", "files_edit"])
def test_what_an_encoding_cannot_say_is_refused_and_nothing_written(
    call: Call, root: Path, tool: str
) -> None:
    (root / "file").write_bytes(b"caf\xe9\n")
    more = (
        {"content": "tea ☕"} if tool == "files_write" else {"edits": [{"old": "c", "new": "☕"}]}
    )

    outcome = call(tool, {"path": "file", **more}, fallback_encoding="cp1252")

    assert isinstance(outcome, Failure)
    assert "is cp1252 text, which can't hold character" in outcome.message
    assert (root / "file").read_bytes() == b"caf\xe9\n"


@pytest.mark.parametrize(
    "name", ["", "nonsense", "utf-16", "utf-7", "hex", "rot13", "unicode_escape", "cp037", "\0"]
)
def test_a_fallback_that_is_no_text_encoding_beside_ascii_is_refused_at_loading(
    call: Call, name: str
) -> None:
    with pytest.raises(PluginLoadError, match="fallback_encoding"):
        call("files_list", {}, fallback_encoding=name)


@given(text=st.text(), encoding=st.sampled_from(sorted(MARKED)))
def test_a_marked_text_comes_back_as_it_was(text: str, encoding: str) -> None:
    data = MARKED[encoding] + text.encode(encoding)
    known = encoding_of(data, fallback=None)

    if known != PLAIN:
        assert (known.name, known.mark) == (encoding, MARKED[encoding])
        assert known.as_utf8(data) == text.encode()
        assert known.decode(data) == text


def test_the_usual_encodings_extend_ascii() -> None:
    names = ["cp1252", "latin-1", "cp932", "gb18030", "euc_kr", "big5", "koi8-r", "utf-8"]

    assert [name for name in names if not extends_ascii(name)] == []
