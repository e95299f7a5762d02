"""Content that is too long keeps its beginning and its end."""

from hypothesis import given
from hypothesis import strategies as st
from pegboard import Content, Image, Text
from pegboard.plugins.builtin.shortening import length_of, shortened, text_of

IMAGE = Image("aGVsbG8=", "image/png")
BLOCKS = st.lists(st.one_of(st.text(max_size=60).map(Text), st.just(IMAGE)), max_size=8)


def notice(missing: int) -> str:
    """What stands in the gap."""
    return f"<{missing}>"


@given(BLOCKS, st.integers(10, 80))
def test_what_is_kept_is_a_beginning_and_an_end_within_the_bound(
    blocks: list[Content], most: int
) -> None:
    whole = "".join(each.text for each in blocks if isinstance(each, Text))
    if len(whole) <= most:
        return

    cut = shortened(blocks, most, notice)

    text = "".join(each.text for each in cut if isinstance(each, Text))
    ways = [len(whole) - kept for kept in range(len(text)) if text[-kept or len(text) :]]
    assert len(text) <= most
    assert any(
        text == whole[:start] + notice(missing) + whole[start + missing :]
        for missing in ways
        for start in range(len(whole) - missing + 1)
    )


@given(BLOCKS, st.integers(10, 80))
def test_blocks_that_are_no_text_stay_in_their_order(blocks: list[Content], most: int) -> None:
    if length_of(blocks) <= most:
        return

    cut = shortened(blocks, most, notice)

    assert cut.count(IMAGE) == blocks.count(IMAGE)


def test_three_quarters_are_from_the_beginning() -> None:
    cut = shortened([Text("a" * 500), IMAGE, Text("b" * 500)], 104, lambda _: "…")

    assert cut == (Text("a" * 78 + "…"), IMAGE, Text("b" * 25))


def test_a_notice_that_is_longer_than_the_bound_is_all_there_is() -> None:
    assert shortened([Text("a" * 100), IMAGE], 10, lambda _: "n" * 20) == (Text("n" * 20), IMAGE)


def test_the_text_of_several_blocks_is_on_lines_of_its_own() -> None:
    assert text_of([Text("a"), IMAGE, Text("b")]) == "a\nb"
