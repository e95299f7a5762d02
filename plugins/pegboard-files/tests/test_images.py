"""Pictures that are read: told by their first bytes, and never decoded."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Image, Outcome, Text

Call = Callable[..., Outcome]

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
BEGINNINGS = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0\xff\xd9",
    "image/gif": b"GIF89a\x01\0\x01\0\0\0\0;",
    "image/webp": b"RIFF\x08\0\0\0WEBPVP8 ",
}


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_a_picture_is_content_that_a_model_sees(call: Call, root: Path, kind: str) -> None:
    data = BEGINNINGS[kind]
    (root / "any.name").write_bytes(data)

    outcome = call("files_read", {"path": "any.name"})

    version = outcome.unwrap()["version"]
    said = f"any.name: {kind}, {len(data)} bytes\n[version {version}]"
    assert outcome.content == (Image(b64encode(data).decode(), kind), Text(said))


BROKEN = {
    "image/png": [PNG[:8], PNG[:-8], PNG[:16] + bytes(4) + PNG[20:], PNG[:20] + bytes(4)],
    "image/jpeg": [BEGINNINGS["image/jpeg"][:-1], b"\xff\xd8\xff\xd9"],
    "image/gif": [b"GIF89a is how this text begins", b"GIF87a", b"GIF89a\0\0\1\0\0\0\0;"],
    "image/webp": [b"RIFF\x09\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBP", b"RIFF\xff\xff\xff\xffWEBP"],
}


@pytest.mark.parametrize(
    ("kind", "data"), [(k, each) for k, every in BROKEN.items() for each in every]
)
def test_a_picture_that_has_no_size_or_no_end_is_not_shown(
    call: Call, root: Path, kind: str, data: bytes
) -> None:
    (root / "a").write_bytes(data)

    outcome = call("files_read", {"path": "a"})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "broken_picture"
    assert outcome.message == (
        f"'a' begins like a picture ({kind}) and isn't a whole one, so it can't be shown"
    )


def test_a_picture_has_no_lines_in_its_value(call: Call, root: Path) -> None:
    (root / "a.png").write_bytes(PNG)

    value = call("files_read", {"path": "a.png", "offset": 7, "limit": 1}).unwrap()

    assert (value["text"], value["total_lines"], value["notes"]) == ("", None, [])
    assert (value["image"]["mime_type"], value["image"]["size"]) == ("image/png", len(PNG))


@pytest.mark.parametrize("more", [{"max_image_bytes": 50}, {"max_file_bytes": 50}])
def test_a_picture_that_is_too_large_is_refused_with_its_size(
    call: Call, root: Path, more: dict[str, int]
) -> None:
    (root / "a.png").write_bytes(PNG)

    outcome = call("files_read", {"path": "a.png"}, **more)

    assert isinstance(outcome, Failure)
    assert outcome.message == (
        f"'a.png' is a picture (image/png) of {len(PNG)} bytes, and at most 50 are shown; make it "
        "smaller"
    )


def test_a_name_makes_no_picture_of_a_text(call: Call, root: Path) -> None:
    (root / "a.png").write_text("one\n")

    value = call("files_read", {"path": "a.png"}).unwrap()

    assert (value["text"], value["image"]) == ("one\n", None)


def test_the_largest_picture_that_may_be_set_fits_into_an_outcome(call: Call, root: Path) -> None:
    most = 6 * 1024 * 1024
    (root / "a.png").write_bytes(PNG.ljust(most, b"\0"))

    outcome = call("files_read", {"path": "a.png"}, max_image_bytes=most)

    assert outcome.unwrap()["image"]["size"] == most


def test_a_picture_that_unpacks_to_gigabytes_is_passed_on_as_the_few_bytes_that_it_is(
    call: Call, root: Path
) -> None:
    bomb = PNG[:16] + (0xFFFF_FFF0).to_bytes(4, "big") * 2 + PNG[24:]
    (root / "bomb.png").write_bytes(bomb)

    assert b64decode(call("files_read", {"path": "bomb.png"}).unwrap()["image"]["data"]) == bomb
