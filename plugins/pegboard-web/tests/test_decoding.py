"""Bytes as text, and what kind of answer they are."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_web.decoding import decode
from pegboard_web.kinds import Kind, image_type, kind_in_truth, kind_of, media_type_of


def text(data: bytes, content_type: str = "", *, is_cut: bool = False, is_page: bool = True) -> str:
    """The text of bytes."""
    return decode(data, content_type=content_type, is_cut=is_cut, is_page=is_page).text


@pytest.mark.parametrize(
    ("data", "content_type", "expected"),
    [
        ("é".encode(), "text/html", "é"),
        (b"\xe9", "text/html; charset=ISO-8859-1", "é"),
        (b"\x80", "text/html; charset=latin1", "€"),
        (b"\xe9", 'text/html; Charset="windows-1252"', "é"),
        ("日本".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本"),
        ("日本".encode("euc_jp"), "text/html; charset=euc-jp", "日本"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "text/html; charset=utf-8", "é"),
        (codecs.BOM_UTF8 + "é".encode(), "text/html; charset=latin1", "é"),
        (b"<meta charset=windows-1251>\xc4", "text/html", "<meta charset=windows-1251>Д"),
        (b"<meta charset=windows-1251>\xc4", "text/html; charset=latin1", None),
        (b"<meta charset=utf-16>a", "text/html", "<meta charset=utf-16>a"),
        (
            b"<?xml version='1.0' encoding='koi8-r'?>\xc4",
            "text/html",
            "<?xml version='1.0' encoding='koi8-r'?>д",
        ),
    ],
)
def test_the_mark_the_server_and_the_page_say_the_character_set_in_that_order(
    data: bytes, content_type: str, expected: str | None
) -> None:
    expected = "<meta charset=windows-1251>Ä" if expected is None else expected

    assert text(data, content_type) == expected


@pytest.mark.parametrize(
    "name",
    ["zip", "hex", "rot13", "idna", "punycode", "unicode_escape", "utf-7", "undefined", "x" * 99],
)
def test_a_name_that_is_no_character_set_of_the_web_is_read_as_utf_8_and_noted(name: str) -> None:
    found = decode(
        "é".encode(), content_type=f"text/plain; charset={name}", is_cut=False, is_page=False
    )

    assert found.text == "é"
    assert found.note is not None
    assert "isn't known" in found.note


def test_what_is_no_utf_8_is_replaced_and_counted() -> None:
    said = "text/plain; charset=utf-8"

    found = decode(b"a\xff\xfeb", content_type=said, is_cut=False, is_page=False)

    assert found.text == "a\ufffd\ufffdb"
    assert found.note == "2 characters can't be read as utf-8, and are shown as U+FFFD"


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>', "é"),
        (b"<?xml version='1.0' encoding='windows-1251' standalone='yes'?>", "й"),
        (b'\n <?xml encoding = "latin1"?>', "é"),
        (b'<?xml version="1.0" encoding="UTF-16"?>', "\ufffd"),
        (b'<?xml version="1.0"?><a encoding="koi8-r"/>', None),
    ],
)
def test_xml_says_its_character_set_itself(start: bytes, expected: str | None) -> None:
    found = text(start + b"\xe9", "application/rss+xml", is_page=False)

    assert found.endswith(expected or "é")


@pytest.mark.parametrize(
    ("data", "expected", "is_noted"),
    [
        (b"caf\xe9 \x80", "café €", True),
        (b"caf\xe9 " + "é".encode() * 3, "caf\ufffd ééé", True),
        (b"\0caf\xe9", "\0caf\ufffd", True),
        ("café".encode(), "café", False),
        (b"", "", False),
    ],
)
def test_what_says_nothing_and_is_hardly_utf_8_is_windows_1252(
    data: bytes, expected: str, is_noted: bool
) -> None:
    found = decode(data, content_type="text/html", is_cut=False, is_page=True)

    assert (found.text, found.note is not None) == (expected, is_noted)


def test_a_cut_inside_a_character_leaves_it_out() -> None:
    assert text("aé".encode()[:2], is_cut=True) == "a"


@given(data=st.binary(max_size=200), name=st.text(max_size=20))
def test_any_bytes_of_any_character_set_are_text(data: bytes, name: str) -> None:
    text(data, f"text/html; charset={name}").encode()


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("text/html; charset=utf-8", Kind.PAGE),
        ("Application/XHTML+XML", Kind.PAGE),
        ("text/plain", Kind.TEXT),
        ("application/json", Kind.TEXT),
        ("application/ld+json", Kind.TEXT),
        ("image/svg+xml", Kind.TEXT),
        ("image/png", Kind.IMAGE),
        ("image/tiff", Kind.OTHER),
        ("application/pdf", Kind.OTHER),
        ("application/zip", Kind.OTHER),
        ("application/octet-stream", Kind.UNNAMED),
        ("nonsense", Kind.UNNAMED),
        ("", Kind.UNNAMED),
    ],
)
def test_a_media_type_says_what_an_answer_is(content_type: str, kind: Kind) -> None:
    assert kind_of(media_type_of(content_type)) is kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\n <!DOCTYPE html><p>", Kind.PAGE),
        (b"<HTML>", Kind.PAGE),
        (b"plain <p>", Kind.TEXT),
        (b"", Kind.TEXT),
        (codecs.BOM_UTF16_LE + b"a\0", Kind.TEXT),
        (b"a\0", Kind.OTHER),
    ],
)
def test_an_answer_without_a_type_is_guessed_by_how_it_begins(data: bytes, kind: Kind) -> None:
    assert kind_in_truth(Kind.UNNAMED, data) is kind


@pytest.mark.parametrize("said", [Kind.PAGE, Kind.TEXT, Kind.UNNAMED])
@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", Kind.IMAGE),
        (b"%PDF-1.7\n", Kind.OTHER),
        (b"PK\x03\x04", Kind.OTHER),
        (b"\x1f\x8b\x08", Kind.OTHER),
        (b"\x7fELF", Kind.OTHER),
    ],
)
def test_how_an_answer_begins_counts_more_than_what_it_is_said_to_be(
    said: Kind, data: bytes, kind: Kind
) -> None:
    assert kind_in_truth(said, data) is kind


def test_an_answer_that_is_said_to_be_an_image_is_taken_for_one_until_it_is_looked_at() -> None:
    assert kind_in_truth(Kind.IMAGE, b"%PDF-1.7\n") is Kind.IMAGE


def test_an_image_is_known_by_how_it_begins() -> None:
    begins = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF1234WEBP", b"<svg>", b""]

    assert [image_type(each) for each in begins] == [
        *("image/png", "image/jpeg", "image/gif", "image/webp"),
        *(None, None),
    ]
