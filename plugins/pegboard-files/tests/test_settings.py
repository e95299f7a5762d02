"""Settings and the moment of loading, through a host."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome, PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("files", settings=lambda folder: {"root": str(folder)})

Call = Callable[..., Outcome]


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
