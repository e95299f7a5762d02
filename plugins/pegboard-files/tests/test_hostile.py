"""Inputs that mean harm: each is refused or bounded, with a clear outcome and nothing left."""

import os
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs
import pytest
from pegboard import Failure, Outcome, ToolCall

Call = Callable[..., Outcome]
Calls = Callable[[list[ToolCall]], list[Outcome]]
Tree = Callable[[Path], object]

MORE = {"files_write": {"content": "x"}, "files_edit": {"edits": [{"old": "one", "new": "x"}]}}


@attrs.frozen
class Hostile:
    """A root with everything in it that may do harm, and calls on it."""

    world: Path
    calls: Calls
    _tree: Tree

    def tree(self) -> object:
        """What is there, outside the root too."""
        return self._tree(self.world.parent)

    def refusals(
        self, tool: str, paths: Iterable[str], more: dict[str, object]
    ) -> dict[str, Failure]:
        """The failures of a tool, by the path that it was given."""
        asked = {path: {"path": path.format(root=self.world), **more} for path in paths}
        batch = [ToolCall(str(number), tool, each) for number, each in enumerate(asked.values())]
        found = dict(zip(asked, self.calls(batch), strict=True))
        return {path: each for path, each in found.items() if isinstance(each, Failure)}

    def admits(self, path: str, refusal: Failure) -> bool:
        """Whether a refusal is a short line without a secret, and without a path of the host."""
        message = refusal.message
        is_short = message.isprintable() and len(message) < 800
        names_host = str(self.world.parent) in message and not path.startswith("{root}")
        return is_short and "SECRET" not in message and not names_host


@pytest.fixture
def hostile(world: Path, calls: Calls, tree: Tree) -> Hostile:
    """A root with everything in it that may do harm."""
    return Hostile(world, calls, tree)


LINKS = {
    "out_absolute": "{outside}/secret.txt",
    "out_relative": "../root_secret/secret.txt",
    "out_folder": "../root_secret",
    "out_and_in": "../root/notes",
    "notes/zigzag": "../notes/../../root_secret",
    "notes/up": "../..",
    "out_of_chain": "notes/up",
    "below_by_name_only": "{root}_secret/secret.txt",
    "below_then_up": "{root}/../root_secret/secret.txt",
    "through_the_system": "/proc/self/cwd",
    "new_outside": "../root_secret/new.txt",
    "new_absolute": "{outside}/new.txt",
    "nowhere": "notes/nothing/there",
    "itself": "itself",
    "loop_a": "loop_b",
    "loop_b": "loop_a",
    "grows": "grows/x",
    "to_root": "/",
}


@pytest.fixture
def world(root: Path, outside: Path) -> Path:
    """The root with everything in it that may do harm."""
    for name, target in LINKS.items():
        (root / name).symlink_to(target.format(root=root, outside=outside))
    for number in range(70):
        (root / f"chain{number}").symlink_to(f"chain{number + 1}")
    os.mkfifo(root / "pipe")
    (root / "binary").write_bytes(b"\x7fELF\0\0")
    (root / "wide").write_text("one", encoding="utf-16-le")
    (root / "latin").write_bytes(b"caf\xe9\n")
    with (root / "sparse").open("wb") as stream:
        stream.truncate(1 << 36)
    return root


OUT = dict.fromkeys(
    [
        "../../etc/passwd",
        "..",
        "../root_secret/secret.txt",
        "../root/notes/overview.md",
        "notes/../../root_secret/secret.txt",
        "./notes/./../.././root_secret/secret.txt",
        "notes/" + "../" * 30 + "etc/passwd",
        "out_absolute",
        "out_relative",
        "out_folder/secret.txt",
        "out_folder/inner/secret.txt",
        "out_and_in/overview.md",
        "notes/zigzag/secret.txt",
        "notes/up/root_secret/secret.txt",
        "out_of_chain/root_secret/secret.txt",
        "below_by_name_only",
        "below_then_up",
        "through_the_system/x",
        "to_root/etc/passwd",
    ],
    "outside_root",
)
NO_PATH = dict.fromkeys(
    [
        "/etc/passwd",
        "//etc/passwd",
        "/",
        "{root}/notes/overview.md",
        "..\\root_secret\\secret.txt",
        "C:\\Windows\\win.ini",
        "\\\\server\\share",
        "notes/overview.md\0",
        "\0",
        "notes\0/../../root_secret/secret.txt",
        "x" * 256,
        "\N{HOT BEVERAGE}" * 86,
        "x/" * 3_000,
        "x/" * 64 + "x",
        "../" * 100_000,
        "notes/../" * 40 + "notes/overview.md",
    ],
    "invalid_path",
)
NOTHING_THERE = dict.fromkeys(
    [
        "missing/../../root_secret/secret.txt",
        "notes/overview.md/../../../root_secret/secret.txt",
        "~/.ssh/id_rsa",
        "$HOME/.profile",
        "file:///etc/passwd",
        "%2e%2e/root_secret/secret.txt",
        "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/root_secret/secret.txt",
        ".. /root_secret/secret.txt",
        "...",
        " ",
        "\n",
        "-rf",
        "x" * 255,
        "nowhere",
        "pipe/x",
    ],
    "not_found",
)
ROUND = dict.fromkeys(
    [
        "itself",
        "loop_a",
        "grows",
        "chain0",
    ],
    "too_far",
)
FOLDERS = dict.fromkeys(
    [
        "",
        ".",
        "./././.",
        "notes/..",
        "notes",
    ],
    "not_a_file",
)
NO_TEXT = {
    "pipe": "not_a_file",
    "binary": "not_text",
    "wide": "not_text",
    "latin": "not_text",
    "sparse": "not_text",
}
NEW = {
    "new_outside": "outside_root",
    "new_absolute": "outside_root",
    "out_folder/new/deep/x": "outside_root",
    "fresh/../../x": "not_found",
    "notes/overview.md/x": "not_found",
    "fresh/deep/": "not_a_file",
    "pipe": "not_a_file",
}
NO_LIST = {**dict.fromkeys(NO_TEXT, "not_a_folder"), "notes/overview.md": "not_a_folder"}
EDIT = {"edits": [{"old": "SECRET", "new": "x"}]}
CASES: list[tuple[str, dict[str, object], dict[str, str]]] = [
    *(("files_read", {}, each) for each in (OUT, NO_PATH, NOTHING_THERE, ROUND, FOLDERS, NO_TEXT)),
    *(("files_edit", EDIT, each) for each in (OUT, NO_PATH, NOTHING_THERE, ROUND, FOLDERS)),
    ("files_edit", EDIT, {**NO_TEXT, "sparse": "too_large"}),
    *(("files_write", {"content": "x"}, each) for each in (OUT, NO_PATH, ROUND, FOLDERS, NEW)),
    *(("files_list", {}, each) for each in (OUT, NO_PATH, NOTHING_THERE, ROUND, NO_LIST)),
    *(("files_search", {"pattern": "x"}, each) for each in (OUT, NO_PATH, NOTHING_THERE, ROUND)),
]


@pytest.mark.parametrize(("tool", "more", "codes"), CASES)
def test_every_hostile_path_is_refused_with_its_reason_and_nothing_is_touched(
    hostile: Hostile, tool: str, more: dict[str, object], codes: dict[str, str]
) -> None:
    before = hostile.tree()

    refusals = hostile.refusals(tool, codes, more)

    assert {path: refusals[path].details["code"] for path in codes} == codes
    assert {each.code for each in refusals.values()} == {"tool_error"}
    assert hostile.tree() == before
    assert [path for path, each in refusals.items() if not hostile.admits(path, each)] == []


@pytest.mark.parametrize("name", ["null", "zero", "random", "tty", "stdin"])
def test_a_device_is_never_opened(call: Call, name: str) -> None:
    outcome = call("files_read", {"path": name}, root="/dev")

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] in {"not_a_file", "outside_root"}


def test_a_socket_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")

    for tool in ("files_read", "files_edit", "files_write"):
        outcome = call(tool, {"path": "socket", **MORE.get(tool, {})})

        assert outcome.message == "'socket' is a socket, not a file"


if sys.platform == "linux":

    @pytest.mark.parametrize("path", ["root/etc/passwd", "cwd/pyproject.toml", "exe", "fd/0"])
    def test_the_links_that_linux_makes_up_lead_nowhere(call: Call, path: str) -> None:
        assert call("files_read", {"path": path}, root="/proc/self").is_error

    def test_a_name_that_is_not_utf_8_is_shown_and_searched_and_never_a_crash(
        call: Call, root: Path
    ) -> None:
        (root / os.fsdecode(b"bad\xff")).write_text("one\n")

        found = call("files_search", {"pattern": "one"}).unwrap()["matches"]

        assert call("files_list", {}).unwrap()["entries"][0]["path"] == "bad\\xff"
        assert [each["path"] for each in found] == ["bad\\xff", "notes/overview.md"]
        assert call("files_read", {"path": "bad\\xff"}).is_error


def test_a_file_that_never_ends_is_cut(call: Call, world: Path) -> None:
    with (world / "sparse").open("r+b") as stream:
        stream.write(b"line\n" * 2_000_000)

    value = call("files_read", {"path": "sparse", "offset": 1_000_000}).unwrap()

    assert (value["first_line"], value["total_lines"]) == (1_000_000, None)
    assert len(value["text"]) <= 65_536
    assert value["notes"][-1] == f"only the first 8388608 of {1 << 36} bytes are looked at"


def test_folders_that_lie_endlessly_deep_are_left_out(call: Call, root: Path) -> None:
    make_deep(root, levels=300)

    listing = call("files_list", {"depth": 32}).unwrap()
    search = call("files_search", {"pattern": "one"}).unwrap()

    assert len(listing["entries"]) == 32 + 2
    assert listing["notes"] == ["folders more than 32 levels down: 1"] == search["notes"]


def make_deep(folder: Path, *, levels: int) -> None:
    """Folders in folders, deeper than a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deep", dir_fd=here)
        inner = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def test_a_search_over_all_of_it_finds_no_secret_and_opens_no_pipe(call: Call, world: Path) -> None:
    value = call("files_search", {"pattern": "SECRET|one"}, max_file_bytes=100_000).unwrap()

    assert [each["path"] for each in value["matches"]] == ["notes/overview.md"]
    assert "binary files that were not searched: 3" in value["notes"]


def test_a_listing_over_all_of_it_shows_links_and_enters_none(call: Call, world: Path) -> None:
    entries = call("files_list", {"depth": 32}).unwrap()["entries"]

    kinds = {each["path"]: each["kind"] for each in entries}
    assert {kinds[name] for name in LINKS} == {"link"}
    assert kinds["pipe"] == "other"
    assert not any(path.startswith(f"{name}/") for path in kinds for name in LINKS)


@pytest.mark.parametrize("glob", ["*a" * 100, "[" * 200, "[!" * 100, "**/" * 60, "{a,b}" * 40])
def test_a_hostile_glob_costs_nothing(call: Call, root: Path, glob: str) -> None:
    (root / ("a" * 250)).touch()

    assert call("files_search", {"pattern": "x", "glob": glob}).unwrap()["matches"] == []


@pytest.mark.parametrize(
    "name", ["\x1b[2Jcleared", "line\nfake.md  3 bytes", "\u202etxt.exe", "it's"]
)
def test_a_name_on_the_disk_cannot_fake_a_line_of_a_listing(
    call: Call, root: Path, name: str
) -> None:
    (root / name).touch()

    outcome = call("files_list", {})

    assert {each["path"] for each in outcome.unwrap()["entries"]} == {name, "notes"}
    text = outcome.content[0].text
    assert len(text.splitlines()) == 2
    assert text.replace("\n", "").isprintable()
