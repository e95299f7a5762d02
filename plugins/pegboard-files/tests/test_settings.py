"""Settings and the moment of loading, through a host."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome, PluginLoadError, ToolCall

Call = Callable[..., Outcome]
Calls = Callable[[list[ToolCall]], list[Outcome]]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_bytes", 0),
        ("max_bytes", 2**40),
        ("max_file_bytes", -1),
        ("max_entries", 0),
        ("max_matches", 10**9),
        ("max_seconds", 0.0),
        ("max_bytes", "many"),
        ("max_byte", 1000),
        ("skip", ["build/cache"]),
        ("skip", ["*.egg-info"]),
        ("skip", ["node_modules/"]),
        ("skip", [""]),
        ("skip", [".."]),
    ],
)
def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    call: Call, setting: str, value: object
) -> None:
    with pytest.raises(PluginLoadError, match=setting):
        call("files_list", {}, **{setting: value})


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_folder_is_an_error_at_loading(call: Call, root: Path, name: str) -> None:
    (root / "file").touch()

    with pytest.raises(PluginLoadError, match=f"root '.*/{name}' is not a folder"):
        call("files_list", {}, root=str(root / name))


def test_the_root_is_the_working_folder_unless_it_is_set(
    call: Call, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "notes")

    listing = call("files_list", {}, root=".").unwrap()

    assert [each["path"] for each in listing["entries"]] == ["overview.md"]


def test_the_root_may_be_a_link_of_the_operator(call: Call, root: Path) -> None:
    (root.parent / "link").symlink_to(root)

    listing = call("files_list", {}, root=str(root.parent / "link")).unwrap()

    assert [each["path"] for each in listing["entries"]] == ["notes"]


def test_other_folders_can_be_left_out(call: Call) -> None:
    value = call("files_search", {"pattern": "one"}, skip=["notes"]).unwrap()

    assert (value["matches"], value["notes"]) == ([], ["folders that the settings leave out: 1"])


def test_a_system_that_cannot_open_below_a_folder_is_refused_with_the_reason(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())

    with pytest.raises(PluginLoadError, match="needs a system that opens files relative to"):
        call("files_list", {})


EVERY_TOOL: dict[str, dict[str, object]] = {
    "files_list": {"path": "."},
    "files_read": {"path": "a"},
    "files_search": {"pattern": "a"},
    "files_glob": {"pattern": "*"},
    "files_write": {"path": "new/a", "content": "x"},
    "files_edit": {"path": "a", "edits": [{"old": "a", "new": "b"}]},
    "files_move": {"path": "a", "to": "b"},
    "files_delete": {"path": "a"},
}


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_root_that_goes_while_the_plugin_is_loaded_is_said_and_not_made_again(
    changes: Calls, root: Path, *, is_replaced: bool
) -> None:
    shutil.rmtree(root)
    if is_replaced:
        root.touch()

    outcomes = changes([ToolCall(name, name, more) for name, more in EVERY_TOOL.items()])

    assert [each.details["code"] for each in outcomes] == ["root_gone"] * len(EVERY_TOOL)
    assert all("only the operator can" in each.message for each in outcomes)
    assert root.exists() == is_replaced


def test_a_root_that_comes_back_is_used_again(changes: Calls, root: Path) -> None:
    root.rename(root.with_name("aside"))
    (gone,) = changes([ToolCall("1", "files_list", {})])
    root.with_name("aside").rename(root)

    (back,) = changes([ToolCall("1", "files_list", {})])

    assert (gone.is_error, back.is_error) == (True, False)
