"""Versions: what was read, and whether it is still there when it is changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, ToolCall

Call = Callable[..., Outcome]
Calls = Callable[[list[ToolCall]], list[Outcome]]
Tree = Callable[[Path], object]

FILE = "notes/overview.md"
CHANGES: list[tuple[str, dict[str, object]]] = [
    ("files_write", {"content": "new\n"}),
    ("files_edit", {"edits": [{"old": "one", "new": "1"}]}),
]


def version(call: Call, path: str = FILE, **settings: object) -> str:
    """The version that a reader is shown."""
    shown: str = call("files_read", {"path": path}, **settings).unwrap()["version"]
    return shown


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_a_file_that_is_as_it_was_read_is_changed(
    call: Call, root: Path, tool: str, more: dict[str, object]
) -> None:
    read = version(call)

    changed = call(tool, {"path": FILE, **more, "version": read}).unwrap()

    assert changed["version"] == version(call) != read


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_a_file_that_has_changed_since_is_left_alone_and_the_model_told_what_to_do(
    call: Call, root: Path, tree: Tree, tool: str, more: dict[str, object]
) -> None:
    read = version(call)
    (root / FILE).write_text("# Overview\n\n- one\n- three\n")
    before = tree(root)

    outcome = call(tool, {"path": FILE, **more, "version": read})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "changed"
    assert outcome.message.endswith("read it again, and make the change to what is there now")
    assert tree(root) == before


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_a_file_that_is_gone_since_isnt_made_again(
    call: Call, root: Path, tool: str, more: dict[str, object]
) -> None:
    read = version(call)
    (root / FILE).unlink()

    outcome = call(tool, {"path": FILE, **more, "version": read})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "changed"
    assert not (root / FILE).exists()


def test_a_file_is_the_same_version_as_long_as_its_bytes_are_the_same(
    call: Call, root: Path
) -> None:
    read, text = version(call), (root / FILE).read_text()
    (root / FILE).write_text("else\n")
    (root / FILE).unlink()
    (root / FILE).write_text(text)

    assert version(call) == read


def test_writing_what_is_there_already_is_no_conflict(call: Call, root: Path) -> None:
    read = version(call)
    arguments = {"path": FILE, "content": "new\n", "version": read}

    first, second = (call("files_write", arguments).unwrap() for _ in range(2))

    assert first["version"] == second["version"]
    assert (first["patch"] is None, second["patch"]) == (False, None)


def test_a_part_of_a_file_has_the_version_of_the_whole(call: Call) -> None:
    part = call("files_read", {"path": FILE, "offset": 3, "limit": 1}).unwrap()

    assert part["version"] == version(call)


def test_a_file_that_is_only_looked_at_in_part_has_a_version_too(call: Call, root: Path) -> None:
    (root / "log").write_bytes(b"x" * 1000)
    read = version(call, "log", max_file_bytes=100)
    with (root / "log").open("ab") as stream:
        stream.write(b"y")

    outcome = call(
        "files_write", {"path": "log", "content": "", "version": read}, max_file_bytes=100
    )

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "changed"


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_an_operator_can_ask_that_a_file_is_read_before_it_is_changed(
    call: Call, root: Path, tree: Tree, tool: str, more: dict[str, object]
) -> None:
    before = tree(root)

    outcome = call(tool, {"path": FILE, **more}, require_version=True)

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "version_needed"
    assert "read it with files_read" in outcome.message
    assert tree(root) == before


def test_a_new_file_needs_no_version(call: Call, root: Path) -> None:
    written = call("files_write", {"path": "a/new", "content": "x"}, require_version=True).unwrap()
    arguments = {"path": "a/new", "content": "y", "version": written["version"]}

    call("files_write", arguments, require_version=True).unwrap()

    assert (root / "a" / "new").read_text() == "y"


def test_calls_on_one_path_take_their_turns_in_a_batch(calls: Calls, root: Path) -> None:
    texts = [f"{number}\n" for number in range(20)]
    batch = []
    for number, text in enumerate(texts):
        path = ("a.txt", "./a.txt", "notes/../a.txt")[number % 3]
        batch.append(ToolCall(f"w{number}", "files_write", {"path": path, "content": text}))
        batch.append(ToolCall(f"r{number}", "files_read", {"path": "a.txt"}))

    outcomes = calls(batch)

    assert [each.unwrap()["text"] for each in outcomes[1::2]] == texts


def test_a_search_in_a_batch_sees_what_was_written_before_it(calls: Calls) -> None:
    batch = []
    for number in range(20):
        content = {"path": f"new{number}", "content": f"word{number}\n"}
        batch.append(ToolCall(f"w{number}", "files_write", content))
        batch.append(ToolCall(f"s{number}", "files_search", {"pattern": f"word{number}$"}))
        batch.append(ToolCall(f"g{number}", "files_glob", {"pattern": f"new{number}"}))

    outcomes = calls(batch)

    assert all(len(each.unwrap()["matches"]) == 1 for each in outcomes[1::3])
    assert all(len(each.unwrap()["entries"]) == 1 for each in outcomes[2::3])
