"""Whoever swaps folders meanwhile: nothing outside the root is moved, deleted or found."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pegboard import Outcome, ToolCall
from pegboard_files import below, reach, removal

Tree = Callable[[Path], object]
Names = Callable[[Path], list[str]]
Calls = Callable[[list[ToolCall]], list[Outcome]]

LINKS = {"in": "notes", "out": "../root_secret", "up": "..", "notes/out": "../../root_secret/inner"}
PARTS = ["..", ".", "", "new", "secret.txt", "inner", "overview.md", "notes", *LINKS, "root"]
FLIPS = 1_000
MOST_ROUNDS = 20_000
paths = st.lists(st.sampled_from(PARTS), max_size=6).map("/".join)


def every_change(path: str) -> list[ToolCall]:
    """One call of every tool that finds, moves or deletes, with a path."""
    return [
        ToolCall("1", "files_glob", {"pattern": "**", "path": path}),
        ToolCall("2", "files_move", {"path": path, "to": "moved"}),
        ToolCall("3", "files_move", {"path": "kept", "to": path}),
        ToolCall("4", "files_delete", {"path": path}),
        ToolCall("5", "files_delete", {"path": path, "recursive": True}),
    ]


def lay_out(root: Path) -> None:
    """Put into the root again what calls may have taken away."""
    (root / "notes").mkdir(exist_ok=True)
    (root / "notes" / "overview.md").touch()
    (root / "kept").touch()
    for name, target in LINKS.items():
        if not os.path.lexists(root / name):
            (root / name).symlink_to(target)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(path=paths, other=paths)
def test_no_sequence_of_parts_ever_reaches_outside_of_the_root(
    changes: Calls, root: Path, outside: Path, tree: Tree, *, path: str, other: str
) -> None:
    empty(root)
    lay_out(root)
    (outside / "only-outside").touch()
    (outside / "inner" / "only-outside").touch()
    before = tree(outside)

    outcomes = changes(
        [*every_change(path), ToolCall("6", "files_move", {"path": path, "to": other})]
    )

    assert tree(outside) == before
    assert {each.name for each in root.parent.iterdir()} == {"root", "root_secret"}
    assert "only-outside" not in str([each.content for each in outcomes if not each.is_error])


def empty(folder: Path) -> None:
    """Remove what is in a folder of this test."""
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()


@contextmanager
def flipping(place: Path, outside: Path) -> Iterator[list[int]]:
    """While the block runs, a name is now a folder with a file, now a link that leads out."""
    done, flips = threading.Event(), [0]

    def flip() -> None:
        while not done.is_set():
            with suppress(OSError):
                place.mkdir()
            with suppress(OSError):
                (place / "secret.txt").write_text("inside\n")
            with suppress(OSError):
                place.rename(place.with_name(f"aside{flips[0] % 7}"))
            with suppress(OSError):
                place.symlink_to(outside)
            with suppress(OSError):
                place.unlink()
            flips[0] += 1

    thread = threading.Thread(target=flip)
    thread.start()
    try:
        yield flips
    finally:
        done.set()
        thread.join()


def test_a_link_that_is_swapped_in_leads_no_move_and_no_removal_out(
    changes: Calls, root: Path, outside: Path, tree: Tree
) -> None:
    before = tree(outside)
    calls = [
        ("files_delete", {"path": "work/secret.txt"}),
        ("files_delete", {"path": "work", "recursive": True}),
        ("files_delete", {"path": "work/inner", "recursive": True}),
        ("files_move", {"path": "work/secret.txt", "to": "taken"}),
        ("files_move", {"path": "notes/overview.md", "to": "work/overview.md"}),
        ("files_move", {"path": "work/overview.md", "to": "notes/overview.md"}),
        ("files_move", {"path": "work", "to": "moved"}),
        ("files_delete", {"path": "moved", "recursive": True}),
        ("files_delete", {"path": "taken"}),
        ("files_glob", {"pattern": "work/*"}),
    ]
    batch = [ToolCall(str(n), tool, more) for n, (tool, more) in enumerate(calls)]

    with flipping(root / "work", outside) as flips:
        outcomes = until_flipped(changes, batch, flips)

    assert tree(outside) == before
    assert "work/inner" not in str([each.content for each in outcomes if not each.is_error])


def until_flipped(changes: Calls, batch: list[ToolCall], flips: list[int]) -> list[Outcome]:
    """The outcomes of a batch, again and again: till the name changed often, and some failed."""
    outcomes: list[Outcome] = []
    for _ in range(MOST_ROUNDS):
        outcomes += changes(batch)
        if flips[0] >= FLIPS and {each.is_error for each in outcomes} == {True, False}:
            return outcomes
    raise AssertionError(f"only {flips[0]} changes while {len(outcomes)} calls were made")


LOOK_AT = reach.look_at


@attrs.define
class Swap:
    """A link that takes the place of a name right after the plugin has looked at it."""

    place: Path
    outside: Path
    swaps: int = 0

    def look(self, name: str, *, at: int) -> os.stat_result | None:
        """What the plugin sees; then the link is there."""
        found = LOOK_AT(name, at=at)
        if name == self.place.name and not self.place.is_symlink() and self.place.exists():
            self.place.rename(self.place.with_name(f"aside{self.swaps}"))
            self.place.symlink_to(self.outside)
            self.swaps += 1
        return found


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("files_delete", {"path": "work"}),
        ("files_delete", {"path": "work", "recursive": True}),
        ("files_delete", {"path": "work/secret.txt"}),
        ("files_delete", {"path": "holder", "recursive": True}),
        ("files_move", {"path": "work", "to": "moved"}),
        ("files_move", {"path": "work/secret.txt", "to": "moved"}),
        ("files_move", {"path": "notes/overview.md", "to": "work/new"}),
        ("files_move", {"path": "notes/overview.md", "to": "work/new/deep"}),
        ("files_glob", {"pattern": "*", "path": "work"}),
        ("files_glob", {"pattern": "**"}),
    ],
)
@pytest.mark.parametrize("place", ["work", "holder/work"])
def test_a_link_swapped_in_between_the_look_and_the_deed_leads_nowhere(
    changes: Calls,
    root: Path,
    outside: Path,
    tree: Tree,
    *,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, object],
    place: str,
) -> None:
    for each in (root / "work", root / "holder" / "work"):
        each.mkdir(parents=True)
        (each / "secret.txt").write_text("inside\n")
    swap = Swap(root / place, outside)
    for module in (reach, below, removal):
        monkeypatch.setattr(module, "look_at", swap.look)
    before = tree(outside)

    (outcome,) = changes([ToolCall("1", tool, arguments)])

    assert tree(outside) == before
    assert "inner" not in str(outcome.content)


def test_no_call_leaves_a_descriptor_open(
    changes: Calls, root: Path, outside: Path, names: Names
) -> None:
    (root / "out").symlink_to(outside)
    given = ["a/b", "notes", "out/x", "missing/x", "a/b/c/", "\0", "notes/overview.md"]
    for path in given:
        changes(every_change(path))
    before = len(names(Path("/dev/fd")))

    for path in given * 5:
        changes(every_change(path))

    assert len(names(Path("/dev/fd"))) <= before
