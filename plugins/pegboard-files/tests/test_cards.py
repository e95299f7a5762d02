"""Cards: what a person sees of a change, before it is made and afterwards."""

import asyncio
import difflib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pegboard_files
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import DiffCard, GenericCard, Host, ToolCall
from pegboard.records import call_from_json, outcome_from_json, to_json
from pegboard_files.patches import MOST_OF_A_PATCH, patch_of

FILE = "notes/overview.md"
Shown = Callable[..., tuple[Any, Any]]


@pytest.fixture
def shown(root: Path) -> Shown:
    """`shown(tool, arguments)` gives the cards of a logged call and of its outcome."""

    def shown(name: str, arguments: object) -> tuple[Any, Any]:
        async def main() -> tuple[Any, Any]:
            settings = {"root": str(root), "move": True, "delete": True}
            async with Host(discover=False) as host:
                await host.load(pegboard_files, settings=settings)
                board = await host.board("tests")
                call = ToolCall("1", name, arguments)
                log = json.dumps([to_json(call), to_json(await board.call(call))])
                logged, outcome = json.loads(log)
                called = call_from_json(logged)
                return board.present(called), board.present(called, outcome_from_json(outcome))

        return asyncio.run(main())

    return shown


def test_a_write_is_shown_as_the_change_that_it_made(shown: Shown) -> None:
    content = "# Overview\n\n- one\n- 2\n"

    before, after = shown("files_write", {"path": FILE, "content": content})

    assert before == DiffCard(FILE, after=content, title="Write a file")
    assert after == DiffCard(
        FILE,
        patch=f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1,4 +1,4 @@\n # Overview\n \n - one\n"
        "-- two\n+- 2\n",
        title="Write a file",
    )


def test_a_new_file_is_shown_as_coming_from_nothing(shown: Shown) -> None:
    _, after = shown("files_write", {"path": "a", "content": "one\ntwo"})

    end = "\\ No newline at end of file\n"
    assert after.patch == f"--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n{end}"


def test_one_edit_is_shown_with_its_two_texts_and_several_as_a_patch(shown: Shown) -> None:
    one, two = {"old": "one", "new": "1"}, {"old": "two\n", "new": "2\n"}

    before, after = shown("files_edit", {"path": FILE, "edits": [one]})
    both, _ = shown("files_edit", {"path": FILE, "edits": [one, two]})

    assert before == DiffCard(FILE, before="one", after="1", title="Edit a file")
    assert after.patch.endswith("@@ -1,4 +1,4 @@\n # Overview\n \n-- one\n+- 1\n - two\n")
    assert both.patch.endswith("+1\n\\ No newline at end of file\n@@ edit 2 @@\n-two\n+2\n")


def test_a_move_is_shown_with_both_names(shown: Shown) -> None:
    cards = shown("files_move", {"path": FILE, "to": "a.md"})

    patch = f"rename from {FILE}\nrename to a.md\n"
    assert cards == (DiffCard("a.md", patch=patch, title="Move a file or folder"),) * 2


def test_a_deleted_text_is_shown_with_its_lines(shown: Shown) -> None:
    before, after = shown("files_delete", {"path": FILE})

    head = f"--- a/{FILE}\n+++ /dev/null\n"
    assert before == DiffCard(FILE, patch=head, title="Delete a file or folder")
    assert after.patch == f"{head}@@ -1,4 +0,0 @@\n-# Overview\n-\n-- one\n-- two\n"


def test_a_change_that_failed_is_a_generic_card(shown: Shown) -> None:
    calls = [
        ("files_write", {"path": "..", "content": "x"}),
        ("files_edit", {"path": FILE, "edits": [{"old": "x", "new": "y"}]}),
        ("files_move", {"path": "x", "to": "y"}),
        ("files_delete", {"path": "."}),
    ]

    afters = [shown(name, arguments)[1] for name, arguments in calls]

    assert [(type(each), each.is_error) for each in afters] == [(GenericCard, True)] * 4


@pytest.mark.parametrize("content", ["x" * 20_000, "x\n" * 20_000, "y" * (1 << 21)])
def test_what_is_too_long_to_be_compared_is_shown_as_it_was_sent(
    shown: Shown, content: str
) -> None:
    _, after = shown("files_write", {"path": FILE, "content": content})

    assert (after.patch, after.after) == (None, content)


def test_a_path_cannot_fake_lines_of_a_patch(shown: Shown) -> None:
    path = "a\n+++ b/innocent\n\x1b[2J"

    before, after = shown("files_write", {"path": path, "content": "x\n"})

    assert before.path.isprintable()
    assert [line for line in after.patch.split("\n") if "innocent" in line] == [
        "+++ b/a\\n+++ b/innocent\\n\\x1b[2J"
    ]


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n"]), max_size=40)


@given(before=lines, after=lines, shared=lines)
def test_a_patch_leads_from_one_text_to_the_other(
    before: list[str], after: list[str], shared: list[str]
) -> None:
    old, new = ([*shared, *each, *shared] for each in (before, after))

    patch = patch_of("f", "".join(old), "".join(new))

    assert patched(old, patch) == new
    head = len("--- a/f\n+++ b/f\n")
    hunks = "".join(list(difflib.unified_diff(old, new))[2:])
    assert patch is None or len(patch[head:].split("\n")) <= len(hunks.split("\n")) + 20


def patched(old: list[str], patch: str | None) -> list[str]:
    """The lines to which a patch leads, by the numbers in its headings."""
    new, at = [], 0
    for line in (patch or "").splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            first, _, count = line.split()[1][1:].partition(",")
            begins = int(first) - (count != "0")
            new, at = new + old[at:begins], begins
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new, at = new + [line[1:]] * (line[0] == " "), at + 1
    return new + old[at:]


def test_texts_that_are_hard_to_compare_cost_little() -> None:
    before, after = "a\nb\n" * 499, "b\nb\na\n" * 333
    began = time.process_time()

    patch = patch_of("f", before, after)

    assert time.process_time() - began < 20
    assert patch is None or len(patch) <= MOST_OF_A_PATCH
