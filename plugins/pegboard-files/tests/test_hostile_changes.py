"""Inputs that mean harm, for the tools that find, move and delete: refused, and nothing touched."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, ToolCall

Calls = Callable[[list[ToolCall]], list[Outcome]]
Tree = Callable[[Path], object]

LINKS = {
    "out_file": "../root_secret/secret.txt",
    "out_folder": "../root_secret",
    "out_absolute": "{outside}",
    "out_and_in": "../root/notes",
    "notes/up": "../..",
    "to_root": "/",
    "nowhere": "notes/nothing/there",
    "itself": "itself",
    "loop_a": "loop_b",
    "loop_b": "loop_a",
    "grows": "grows/x",
}


@pytest.fixture
def world(root: Path, outside: Path) -> Path:
    """The root with everything in it that may do harm."""
    for name, target in LINKS.items():
        (root / name).symlink_to(target.format(root=root, outside=outside))
    os.mkfifo(root / "pipe")
    (root / "file").write_text("file\n")
    (root / "folder" / "inner").mkdir(parents=True)
    (root / "folder" / "inner" / "file").touch()
    with (root / "sparse").open("wb") as stream:
        stream.truncate(1 << 36)
    return root


OUT = dict.fromkeys(
    [
        "..",
        "../root_secret",
        "../root_secret/secret.txt",
        "notes/../../root_secret/secret.txt",
        "notes/" + "../" * 20 + "etc/passwd",
        "out_folder/secret.txt",
        "out_folder/..",
        "out_absolute/inner",
        "out_and_in/overview.md",
        "notes/up/root_secret/secret.txt",
        "notes/up/root",
        "to_root/etc/passwd",
    ],
    "outside_root",
)
NO_PATH = dict.fromkeys(
    [
        "/",
        "/etc/passwd",
        "..\\root_secret",
        "file\0",
        "x" * 256,
        "x/" * 65,
        "../" * 10_000,
    ],
    "invalid_path",
)
NOTHING_THERE = dict.fromkeys(
    [
        "missing",
        "~",
        "$HOME",
        "*",
        "-rf",
        "--",
        "-",
        "--recursive",
        "\n",
        "\x1b[2J",
        "\u202e",
        "file:///etc/passwd",
        "file/x",
        "pipe/x",
        "nowhere/x",
        "%2e%2e",
        "...",
        " ",
    ],
    "not_found",
)
ROUND = dict.fromkeys(["itself/x", "loop_a/x", "grows/x"], "too_far")
ROOT = dict.fromkeys(["", ".", "./.", "notes/..", "folder/inner/../.."], "is_root")
NO_FOLDER = dict.fromkeys(["file/", "pipe/", "out_folder/", "to_root/", "loop_a/"], "not_a_folder")
FULL = dict.fromkeys(["folder", "folder/inner", "folder/inner/..", "notes"], "not_empty")
TAKEN = dict.fromkeys(
    [
        *("", ".", "notes/..", "notes", "folder", "folder/", "pipe", "sparse", "out_file"),
        *("itself", "out_folder", "nowhere", "notes/overview.md", "folder/inner/file"),
    ],
    "exists",
)
NO_PLACE = {
    "notes/overview.md/x": "not_found",
    "fresh/../../x": "not_found",
    "fresh/": "not_a_folder",
    "fresh/deep/": "not_a_folder",
    "./file": "same_place",
    "notes/../file": "same_place",
}
INTO_ITSELF = {
    "folder/x": "into_itself",
    "folder/inner/x": "into_itself",
    "folder/new/deep/x": "into_itself",
    "folder": "same_place",
    "notes/../folder/.": "same_place",
}
OLD = (OUT, NO_PATH, NOTHING_THERE, ROUND, ROOT, NO_FOLDER)
CASES: list[tuple[str, str, dict[str, object], dict[str, str]]] = [
    *(("files_delete", "path", {}, each) for each in (*OLD, FULL)),
    *(("files_delete", "path", {"recursive": True}, each) for each in OLD),
    *(("files_move", "path", {"to": "new/place"}, each) for each in OLD),
    *(("files_move", "to", {"path": "file"}, each) for each in (OUT, NO_PATH, ROUND, TAKEN)),
    ("files_move", "to", {"path": "file"}, NO_PLACE),
    ("files_move", "to", {"path": "folder"}, INTO_ITSELF),
    *(("files_glob", "path", {"pattern": "**"}, each) for each in (OUT, NO_PATH, NOTHING_THERE)),
    ("files_glob", "path", {"pattern": "**"}, {"file": "not_a_folder", "pipe": "not_a_folder"}),
]


@pytest.mark.parametrize(("tool", "key", "more", "codes"), CASES)
def test_every_hostile_path_is_refused_with_its_reason_and_nothing_is_touched(
    world: Path,
    changes: Calls,
    tree: Tree,
    *,
    tool: str,
    key: str,
    more: dict[str, object],
    codes: dict[str, str],
) -> None:
    before = tree(world.parent)

    refused = dict(zip(codes, changes(batch_of(tool, key, more, codes)), strict=True))

    assert {path: code_of(each) for path, each in refused.items()} == codes
    assert tree(world.parent) == before
    for each in refused.values():
        assert isinstance(each, Failure)
        assert each.message.isprintable()
        assert len(each.message) < 800
        assert str(world.parent) not in each.message


def batch_of(tool: str, key: str, more: dict[str, object], codes: dict[str, str]) -> list[ToolCall]:
    """One call of a tool for each path."""
    return [ToolCall(str(n), tool, {key: path, **more}) for n, path in enumerate(codes)]


def code_of(outcome: Outcome) -> object:
    """The tool's own code of a failure."""
    return outcome.details["code"] if isinstance(outcome, Failure) else outcome.unwrap()


ODD_NAMES = ["-rf", "--", "line\nbreak", "\x1b[2J", "it's", "\u202etxt", " ", "*", "$(id)", "a;b"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_is_a_name(changes: Calls, root: Path, name: str) -> None:
    (root / name).write_text("one\n")
    batch = [
        ToolCall("1", "files_move", {"path": name, "to": f"new/{name}"}),
        ToolCall("2", "files_glob", {"pattern": "new/*"}),
        ToolCall("3", "files_delete", {"path": f"new/{name}"}),
    ]

    moved, found, deleted = changes(batch)

    assert moved.unwrap()["to"] == f"new/{name}"
    assert [each["path"] for each in found.unwrap()["entries"]] == [f"new/{name}"]
    assert deleted.unwrap()["count"] == 1
    for each in (moved, found, deleted):
        assert each.content[0].text.replace("\n", "").isprintable()
    assert sorted(each.name for each in root.rglob("*")) == ["new", "notes", "overview.md"]


def test_names_that_are_no_text_are_shown_and_go_with_their_folder(
    changes: Calls, root: Path
) -> None:
    (root / "notes" / os.fsdecode(b"bad\xff")).touch()
    batch = [
        ToolCall("1", "files_glob", {"pattern": "notes/bad*"}),
        ToolCall("2", "files_delete", {"path": "notes/bad\\xff"}),
        ToolCall("3", "files_delete", {"path": "notes", "recursive": True}),
    ]

    found, refused, deleted = changes(batch)

    assert [each["path"] for each in found.unwrap()["entries"]] == ["notes/bad\\xff"]
    assert refused.details["code"] == "invalid_path"
    assert deleted.unwrap()["count"] == 3


def test_what_is_no_file_is_moved_and_deleted_without_being_opened(
    changes: Calls, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    os.mkfifo("pipe")
    with (root / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        names = ("pipe", "sparse", "socket")
        moves = [ToolCall(n, "files_move", {"path": n, "to": f"x/{n}"}) for n in names]
        deletes = [ToolCall(f"d{n}", "files_delete", {"path": f"x/{n}"}) for n in names]

        outcomes = changes([*moves, *deletes])

    assert [each.unwrap()["kind"] for each in outcomes] == ["named pipe", "file", "socket"] * 2


def test_a_folder_that_is_endlessly_deep_is_kept_whole_and_cannot_be_lost(
    changes: Calls, root: Path
) -> None:
    make_deep(root / "notes", levels=300)

    deleted, moved, found = changes(
        [
            ToolCall("1", "files_delete", {"path": "notes", "recursive": True}),
            ToolCall("2", "files_move", {"path": "notes", "to": "texts"}),
            ToolCall("3", "files_glob", {"pattern": "**/deep"}),
        ]
    )

    assert "nothing was deleted, delete what is in it first" in deleted.message
    assert moved.unwrap()["to"] == "texts"
    assert len(found.unwrap()["entries"]) == 31
    assert (root / "texts" / "overview.md").exists()


def make_deep(folder: Path, *, levels: int) -> None:
    """Folders in folders, deeper than a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deep", dir_fd=here)
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize(
    "pattern",
    [
        "**/" * 60,
        "**/*" * 40,
        "*a" * 100,
        "{a,b}" * 40,
        "{**/,}" * 33,
        "{" * 100 + "}" * 100,
        "[" * 200,
        "[!" * 100,
        "(a+)+$",
        "?" * 200,
        "**/{*a*a*a*a,*b*b*b}*/**/x",
        "\u202e*",
    ],
)
def test_a_hostile_pattern_costs_nothing(
    call: Callable[..., Outcome], root: Path, pattern: str
) -> None:
    folder = root
    for _ in range(30):
        folder /= "a" * 50
        folder.mkdir()
        (folder / ("a" * 200)).touch()

    outcome = call("files_glob", {"pattern": pattern}, max_seconds=20)

    assert not outcome.is_error or outcome.details["code"] == "invalid_pattern"
    assert (
        outcome.is_error or not outcome.unwrap()["notes"] or len(outcome.unwrap()["entries"]) < 500
    )


def test_links_are_found_and_never_entered(changes: Calls, world: Path) -> None:
    (found,) = changes([ToolCall("1", "files_glob", {"pattern": "**"})])

    kinds = {each["path"]: each["kind"] for each in found.unwrap()["entries"]}
    assert {kinds[name] for name in LINKS} == {"link"}
    assert not any(path.startswith(f"{name}/") for path in kinds for name in LINKS)
    assert "SECRET" not in str(found.content)
