import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.cli.streams import Streams, legible
from pegboard.cli.tables import Table, drawn, plain
from rich.cells import cell_len

BLANK = Counter({" ": 10_000, "\n": 10_000})

CELLS = st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), max_size=5)


@given(CELLS)
def test_a_plain_table_has_one_line_a_row_whatever_stands_in_it(
    rows: list[tuple[str, ...]],
) -> None:
    assert plain(Table(("one", "two"), rows)).count("\n") == len(rows)


@given(CELLS, st.integers(min_value=20, max_value=100))
def test_a_drawn_table_stays_within_its_width(rows: list[tuple[str, ...]], width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        text = drawn(Table(("one", "two"), rows), streams())

    assert [line for line in text.splitlines() if cell_len(line) > width] == []


@given(st.lists(st.text(alphabet="abcdef ", max_size=60), min_size=5, max_size=5), st.data())
def test_a_drawn_table_cuts_nothing_however_narrow(cells: list[str], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(data.draw(st.integers(min_value=1, max_value=120))))
        text = drawn(Table("12345", [cells]), streams())

    assert (
        Counter(text.replace("─", "").split("5", 1)[1]) - BLANK == Counter("".join(cells)) - BLANK
    )


@given(st.text())
def test_what_is_legible_prints_and_is_so_at_once(text: str) -> None:
    found = legible(text)

    assert found.isprintable()
    assert legible(found) == found


def test_text_in_any_script_is_legible_as_it_is() -> None:
    assert legible("naïve café ☕ 日本語 עברית") == "naïve café ☕ 日本語 עברית"


def test_what_steers_a_terminal_is_escaped() -> None:
    assert legible("\x1b[2J\x9b\u202e\r\n", keep="\n") == "\\x1b[2J\\x9b\\u202e\\r\n"


def streams() -> Streams:
    """Streams that are no terminal."""
    return Streams(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO())
