"""Whatever the path and whoever swaps folders meanwhile: nothing outside the root is reached."""

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
from pegboard_files import below, reach

Tree = Callable[[Path], object]
Names = Callable[[Path], list[str]]
Calls = Callable[[list[ToolCall]], list[Outcome]]

LINKS = {
    "in": "notes",
    "in_absolute": "{root}/notes",
    "out": "../root_secret",
    "out_absolute": "{outside}",
    "up": "..",
    "notes/out": "../../root_secret/inner",
    "notes/in": "../notes/../in",
    "loop": "loop",
}
PARTS = [
    *("..", ".", "", "...", "\0", "\\", "/", "~", "new", "secret.txt", "inner", "overview.md"),
    *("notes", "in", "in_absolute", "out", "out_absolute", "up", "loop", "root", "root_secret"),
]
paths = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=9).map("/".join)
SWAPS = 1_000
MOST_ROUNDS = 20_000
contents = {"content": "inside\n"}
edits = {"edits": [{"old": "SECRET", "new": "x"}]}


def every_tool(path: str) -> list[ToolCall]:
    """One call of every tool with a path."""
    more: dict[str, dict[str, object]] = {
        "files_list": {"depth": 3},
        "files_read": {},
        "files_search": {"pattern": "SECRET"},
        "files_write": contents,
        "files_edit": edits,
    }
    return [ToolCall(name, name, {"path": path, **arguments}) for name, arguments in more.items()]


def names_below(root: Path, outcome: Outcome) -> bool:
    """Whether everything that a success names lies below the root, by its real path."""
    value = outcome.unwrap()
    named = [value, *value.get("entries", [])] if "path" in value else []
    real = (os.path.realpath(root / each["path"]) for each in named if each.get("kind") != "link")
    return all(Path(each).is_relative_to(root) for each in real)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(path=paths)
def test_no_sequence_of_parts_ever_reaches_outside_of_the_root(
    calls: Calls, root: Path, outside: Path, tree: Tree, path: str
) -> None:
    for name, target in LINKS.items():
        if not os.path.lexists(root / name):
            (root / name).symlink_to(target.format(root=root, outside=outside))
    before = tree(outside)

    outcomes = calls(every_tool(path))

    assert tree(outside) == before
    assert {each.name for each in root.parent.iterdir()} == {"root", "root_secret"}
    assert "SECRET" not in str([each.content for each in outcomes if not each.is_error])
    assert {each.code for each in outcomes if each.is_error} <= {"tool_error"}
    assert all(names_below(root, each) for each in outcomes if not each.is_error)


def until_done(step: Callable[[], object], *, place: Path) -> None:
    """Do a step; what a call has made in the way meanwhile is removed."""
    while True:
        try:
            step()
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            with suppress(OSError):
                place.unlink()
        else:
            return


@contextmanager
def swapping(place: Path, outside: Path) -> Iterator[list[int]]:
    """While the block runs, an entry and a link that leads out change places all the time."""
    done, swaps, aside = threading.Event(), [0], place.with_name("aside")

    def swap() -> None:
        while not done.is_set():
            place.rename(aside)
            until_done(lambda: place.symlink_to(outside), place=place)
            swaps[0] += 1
            until_done(lambda: place.unlink(missing_ok=True), place=place)
            until_done(lambda: aside.replace(place), place=place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield swaps
    finally:
        done.set()
        thread.join()


def numbered(calls: list[ToolCall]) -> list[ToolCall]:
    """The same calls, each with an id of its own."""
    return [ToolCall(str(number), each.name, each.arguments) for number, each in enumerate(calls)]


def until_swapped(calls: Calls, batch: list[ToolCall], swaps: list[int]) -> list[Outcome]:
    """The outcomes of a batch, again and again: till enough was swapped, and some failed by it."""
    outcomes: list[Outcome] = []
    for _ in range(MOST_ROUNDS):
        outcomes += calls(numbered(batch))
        if swaps[0] >= SWAPS and {each.is_error for each in outcomes} == {True, False}:
            return outcomes
    raise AssertionError(f"only {swaps[0]} swaps while {len(outcomes)} calls were made")


def reveals(outcome: Outcome) -> bool:
    """Whether a success shows something from outside."""
    return not outcome.is_error and "SECRET" in str(outcome.content)


def test_a_link_that_is_swapped_in_for_a_folder_leads_nowhere(
    calls: Calls, root: Path, outside: Path, tree: Tree
) -> None:
    (root / "work" / "inner").mkdir(parents=True)
    (root / "work" / "inner" / "secret.txt").write_text("inside\n")
    before = tree(outside)
    batch = [*every_tool("work/inner/secret.txt"), *every_tool("work/new.txt")[3:]]
    batch += [*every_tool("work")[:3], *every_tool("work/fresh/new.txt")[3:]]

    with swapping(root / "work", outside) as swaps:
        outcomes = until_swapped(calls, batch, swaps)

    assert tree(outside) == before
    assert not any(map(reveals, outcomes))


def test_a_link_that_is_swapped_in_for_a_file_leads_nowhere(
    calls: Calls, root: Path, outside: Path, tree: Tree
) -> None:
    (root / "work").write_text("inside\n")
    before = tree(outside)
    batch = [*every_tool("work")[1:], *every_tool(".")[2:3]]

    with swapping(root / "work", outside / "secret.txt") as swaps:
        outcomes = until_swapped(calls, batch, swaps)

    assert tree(outside) == before
    assert not any(map(reveals, outcomes))


@attrs.define
class Swap:
    """A link that takes the place of a name right after the plugin has looked at it."""

    place: Path
    target: Path
    swaps: int = 0

    def look(self, name: str, *, at: int) -> os.stat_result | None:
        """What the plugin sees; then the link is there."""
        found = LOOK_AT(name, at=at)
        if name == self.place.name and not self.place.is_symlink():
            self.place.rename(self.place.with_name("aside"))
            self.place.symlink_to(self.target)
            self.swaps += 1
        return found

    def back(self) -> None:
        """Put back what was there."""
        if self.place.is_symlink():
            self.place.unlink()
            self.place.with_name("aside").rename(self.place)


LOOK_AT = reach.look_at
SWAPPED = [
    ("file", "file"),
    ("file", "."),
    ("folder", "folder"),
    ("folder", "folder/secret.txt"),
    ("folder", "folder/new/x"),
    ("folder", "."),
]


@pytest.mark.parametrize("case", SWAPPED, ids=str)
def test_a_link_swapped_in_between_the_look_and_the_opening_leads_nowhere(
    calls: Calls, swap: Swap, outside: Path, tree: Tree, case: tuple[str, str]
) -> None:
    swap.place, path = swap.place / case[0], case[1]
    swap.target = outside if case[0] == "folder" else outside / "secret.txt"
    before = tree(outside)

    for each in every_tool(path):
        assert not reveals(*calls([each]))
        swap.back()

    assert swap.swaps >= 2
    assert tree(outside) == before


@pytest.fixture
def swap(root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Swap:
    """A link that takes the place of a name in the root, once a test has said which."""
    (root / "folder").mkdir()
    (root / "file").write_text("inside\n")
    swap = Swap(root, outside)
    monkeypatch.setattr(reach, "look_at", swap.look)
    monkeypatch.setattr(below, "look_at", swap.look)
    return swap


def test_nothing_but_what_was_written_is_left_after_the_swapping(
    calls: Calls, root: Path, outside: Path, names: Names
) -> None:
    (root / "work").mkdir()
    (root / "work" / "kept").touch()
    batch = every_tool("work/file")[3:4]

    with swapping(root / "work", outside) as swaps:
        until_swapped(calls, batch, swaps)

    assert set(names(root / "work")) <= {"file", "kept"}
    assert names(root) == ["notes", "work"]


def test_a_call_leaves_no_descriptor_open(
    calls: Calls, root: Path, outside: Path, names: Names
) -> None:
    (root / "out").symlink_to(outside)
    paths = ["notes/overview.md", "notes/../notes", "out/x", "missing/x", "notes", "a/b/c/", "\0"]
    batches = [every_tool(path) for path in paths]
    for batch in batches:
        calls(batch)
    before = len(names(Path("/dev/fd")))

    for batch in batches * 5:
        calls(batch)

    assert len(names(Path("/dev/fd"))) <= before
