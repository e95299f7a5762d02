"""Edits that can't be done, or grow without end: what a model is told, and what it costs."""

import asyncio
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pegboard_files
import pytest
from pegboard import Failure, Host, Outcome, Signal
from pegboard_files import editing

Call = Callable[..., Outcome]
Tree = Callable[[Path], object]

MOST = 1_000_000


def edits(*pairs: tuple[str, str], everywhere: bool = False) -> dict[str, object]:
    """The arguments of edits of the overview."""
    each = [{"old": old, "new": new, "everywhere": everywhere} for old, new in pairs]
    return {"path": "notes/overview.md", "edits": each}


@pytest.mark.parametrize(
    ("text", "old", "nearly"),
    [
        ("def f():\n\treturn 1\n", "def f():\n    return 1\n", "line 1, with other spaces, tabs"),
        ("a\n  b = 1  \n", "  b = 1\n", "line 2, with other spaces, tabs or line ends"),
        ("a\nb\tc\n", "b c", "line 2, with other spaces, tabs or line ends"),
        ("one\r\ntwo\nthree\r\n", "one\ntwo\nthree", "line 1, with other spaces, tabs or line"),
        (
            "a\n\nit\u2019s \u201chere\u201d\n",
            'it\'s "here"',
            "line 3, with other quotes or dashes",
        ),
        ("1\u20132\n", "1-2", "line 1, with other quotes or dashes"),
        ("x\nDEF Main\n", "def main", "line 2, with other capitals"),
    ],
)
def test_an_old_text_that_is_nearly_there_is_named_with_what_differs(
    call: Call, root: Path, *, text: str, old: str, nearly: str
) -> None:
    (root / "notes" / "overview.md").write_bytes(text.encode())

    outcome = call("files_edit", edits((old, "new")))

    assert isinstance(outcome, Failure)
    assert f"isn't there; nearly the same is on {nearly}" in outcome.message
    assert outcome.details["code"] == "not_there"


@pytest.mark.parametrize("old", ["three", " \t ", "\n\n\n\n", "# Overview one"])
def test_an_old_text_that_is_nowhere_near_is_to_be_read_again(call: Call, old: str) -> None:
    outcome = call("files_edit", edits((old, "new")))

    assert isinstance(outcome, Failure)
    assert "its old text isn't there; read the file again" in outcome.message


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x\nx\n", "2 times, on lines 1, 2;"),
        ("x x\n", "2 times, on line 1;"),
        ("\nx x\nx\n", "3 times, on lines 2, 3;"),
        ("x\n" * 5, "5 times, on lines 1, 2, 3, 4, 5;"),
        ("x\n" * 90, "90 times, on lines 1, 2, 3, 4, 5 and more;"),
        ("x" * 90, "90 times, on line 1 and more;"),
    ],
)
def test_an_ambiguous_text_is_said_with_the_lines_where_it_is(
    call: Call, root: Path, text: str, where: str
) -> None:
    (root / "notes" / "overview.md").write_text(text)

    outcome = call("files_edit", edits(("x", "y")))

    assert isinstance(outcome, Failure)
    assert where in outcome.message


@pytest.mark.parametrize(
    "arguments",
    [
        edits(*[("x", "xx")] * 60, everywhere=True),
        edits(("x", "x" * MOST), everywhere=True),
        edits(*[("x", "x" * 100)] * 9, everywhere=True),
        edits(("x", "\n" * MOST), everywhere=True),
    ],
)
def test_edits_that_let_a_text_grow_without_end_are_refused_before_it_has_grown(
    call: Call, root: Path, tree: Tree, arguments: dict[str, object]
) -> None:
    (root / "notes" / "overview.md").write_bytes(b"x\r\n" * 1_000)
    before = tree(root)
    tracemalloc.start()

    outcome = call("files_edit", arguments, max_file_bytes=MOST)

    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "too_large"
    assert used < 40 * MOST
    assert tree(root) == before


def test_many_edits_are_counted_in_one_number(call: Call, root: Path) -> None:
    few = call("files_edit", edits(*[("one", "one")] * 20))
    many = call("files_edit", edits(*[("one", "one")] * 1_000))

    assert few.content[0].text.startswith(f"notes/overview.md: {'1 + ' * 19}1 replaced,")
    assert many.content[0].text.startswith("notes/overview.md: 1000 in all replaced,")
    assert many.unwrap()["replaced"] == [1] * 1_000


def test_more_edits_than_a_person_could_read_are_invalid_arguments(call: Call) -> None:
    assert call("files_edit", edits(*[("one", "one")] * 1_001)).code == "invalid_arguments"


def test_a_call_that_is_cancelled_does_no_further_edit(
    root: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal, done, before, apply = Signal(), list[object](), tree(root), editing._apply

    def cancelled(*given: object, **more: object) -> object:
        done.append(apply(*given, **more))
        signal.cancel("enough")
        return done[-1]

    monkeypatch.setattr(editing, "_apply", cancelled)

    outcome = asyncio.run(edited(root, edits(("one", "1"), ("two", "2")), signal))

    assert (outcome.code, len(done)) == ("aborted", 1)
    assert tree(root) == before


async def edited(root: Path, arguments: dict[str, object], signal: Signal) -> Outcome:
    """The outcome of an edit that may be cancelled."""
    async with Host(discover=False) as host:
        await host.load(pegboard_files, settings={"root": str(root)})
        board = await host.board("tests")
        return await board.call("files_edit", arguments, signal=signal)
