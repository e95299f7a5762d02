"""Lines and characters of a text, without a host."""

from hypothesis import given
from hypothesis import strategies as st
from pegboard_files.paths import legible, parts_of, reachable, shown
from pegboard_files.text import BLOCK, count_lines, decode, line_start, take_lines

texts = st.text(alphabet="aé☕🫖\r\n", max_size=60).map(str.encode)


@given(data=texts, number=st.integers(1, 70))
def test_a_line_begins_after_as_many_line_ends_as_its_number_says(data: bytes, number: int) -> None:
    lines = data.split(b"\n")
    before = b"".join(line + b"\n" for line in lines[: number - 1])
    is_there = number <= max(1, count_lines(data))

    assert line_start(data, number) == (len(before) if is_there else None)


@given(number=st.integers(1, 3 * BLOCK + 2))
def test_lines_are_found_in_a_text_of_many_blocks(number: int) -> None:
    data = b"\n" * (3 * BLOCK)

    assert line_start(data, number) == (number - 1 if number <= 3 * BLOCK else None)


@given(data=texts, start=st.integers(1, 5), limit=st.integers(1, 9), most=st.integers(4, 40))
def test_lines_are_whole_unless_the_first_alone_is_too_long(
    data: bytes, start: int, limit: int, most: int
) -> None:
    begins = line_start(data, start)
    if begins is None:
        return
    lines = take_lines(data, begins, limit=limit, most=most)

    assert data[begins:].startswith(lines.data)
    assert len(lines.data) <= most
    assert lines.count == count_lines(lines.data) <= limit
    assert lines.ends_inside == (
        lines.data not in (data[begins:], b"") and not lines.data.endswith(b"\n")
    )


@given(data=texts, most=st.integers(4, 40))
def test_a_cut_never_goes_through_a_character(data: bytes, most: int) -> None:
    lines = take_lines(data, 0, limit=None, most=most)

    text = decode(lines.data, path="x", is_cut=lines.ends_inside)

    assert data.decode().startswith(text)
    assert len(lines.data) - len(text.encode()) < 4


@given(path=st.text())
def test_a_path_in_a_message_is_one_printable_line(path: str) -> None:
    assert shown(path).isprintable()
    assert len(shown(path)) <= 10 * 130


def test_a_name_from_the_disk_is_text_and_says_whether_it_can_be_given_back() -> None:
    names = {"naïve ☕": True, "back\\slash": False, "bad\udcff": False}

    assert {name: reachable(name) for name in names} == names
    assert legible("bad\udcff") == "bad\\xff"


@given(parts=st.lists(st.sampled_from(["a", ".", "", "..", "é"]), max_size=30))
def test_the_parts_of_a_path_are_its_names_and_steps_up(parts: list[str]) -> None:
    path = "/".join(["x", *parts])

    assert parts_of(path) == ("x", *(part for part in parts if part not in ("", ".")))
