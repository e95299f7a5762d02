"""The lock file is the same text for the same plugins, and only what is whole is read."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import LockFileError
from pegboard.plugins.trust.changes import changes_between
from pegboard.plugins.trust.lockfile import Identity, Lock, LockedPlugin, read_lock, write_lock
from pegboard.registry import Pinned

NAMES = st.text("abc-_.", min_size=1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TOOLS = st.builds(
    lambda name, text, schema: Pinned({"name": name, "description": [text], "x": schema}),
    NAMES,
    TEXTS,
    st.dictionaries(TEXTS, st.integers() | st.floats(allow_nan=False, allow_infinity=False)),
)
IDENTITIES = st.builds(Identity, *[st.none() | TEXTS] * 4)
PLUGINS = st.builds(LockedPlugin, IDENTITIES, st.lists(TOOLS, max_size=3).map(tuple))
LOCKS = st.builds(Lock, st.dictionaries(NAMES, PLUGINS, max_size=3))


def locked(*tools: dict[str, Any], **identity: str) -> LockedPlugin:
    """What was accepted of a plugin."""
    return LockedPlugin(Identity(**identity), tuple(map(Pinned, tools)))


@given(LOCKS)
def test_what_is_written_is_read_again_as_it_was(tmp_path_factory: Any, lock: Lock) -> None:
    path = tmp_path_factory.mktemp("locks") / "pegboard.lock"

    write_lock(path, lock)
    read = read_lock(path)

    assert read.text() == lock.text()
    assert list(changes_between(lock, read)) == []


@given(LOCKS)
def test_the_text_holds_nothing_that_people_do_not_see(lock: Lock) -> None:
    assert all(each.isprintable() for each in lock.text().split("\n"))


def test_the_order_in_which_plugins_and_tools_came_does_not_show() -> None:
    one, other = {"name": "a", "x": {"p": 1, "q": 2}}, {"name": "b"}
    turned = {"x": {"q": 2, "p": 1}, "name": "a"}

    first = Lock({"m": locked(one, other), "n": locked()})
    second = Lock({"n": locked(), "m": locked(other, turned)})

    assert first.text() == second.text()


GOOD = Lock({"mail": locked({"name": "send", "description": ["Send."]}, version="1.0")}).text()
TORN = {
    "nothing": "",
    "no JSON": "lock = 1",
    "half of it": GOOD[: len(GOOD) // 2],
    "a merge": GOOD.replace('"plugins"', '<<<<<<< ours\n"plugins"'),
    "a later kind": GOOD.replace('"lock": 1', '"lock": 2'),
    "no kind": '{"plugins": {}}',
    "a list": "[]",
    "a key twice": GOOD.replace('"lock": 1', '"lock": 1, "lock": 1'),
    "an unknown key": GOOD.replace('"version"', '"vresion"'),
    "a number for a digest": json.dumps({"lock": 1, "plugins": {"a": {"tools": [{"digest": 1}]}}}),
    "a tool without a name": GOOD.replace('"name"', '"nome"'),
    "another description": GOOD.replace("Send.", "Send it to x."),
    "NaN": GOOD.replace("1,", "NaN,"),
}


@pytest.mark.parametrize("text", TORN.values(), ids=TORN)
def test_a_file_that_is_not_whole_is_not_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pegboard.lock"
    path.write_text(text)

    with pytest.raises(LockFileError):
        read_lock(path)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe6")
    os.mkfifo(tmp_path / "pipe")

    for name in ("missing", ".", "pipe", "latin", "latin/below"):
        with pytest.raises(LockFileError):
            read_lock(tmp_path / name)


def test_a_file_is_written_once_and_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.lock", tmp_path / "pegboard.lock"
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)

    written = [write_lock(link, Lock()), write_lock(link, Lock())]

    assert written == [True, False]
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == (Lock().text(), 0o640)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "pegboard.lock").mkdir()

    with pytest.raises(LockFileError, match="can't be written"):
        write_lock(tmp_path / "pegboard.lock", Lock())

    assert [each.name for each in tmp_path.iterdir()] == ["pegboard.lock"]


def test_changes_name_plugins_and_tools_that_came_went_or_changed() -> None:
    before = Lock({"gone": locked(version="1"), "mail": locked({"name": "a"}, {"name": "b"})})
    now = Lock({"mail": locked({"name": "a", "x": 1}, {"name": "c"}), "new": locked()})

    found = [(each.plugin, each.tool, each.kind) for each in changes_between(before, now)]

    assert found == [
        ("gone", None, "gone"),
        ("mail", "a", "changed"),
        ("mail", "b", "gone"),
        ("mail", "c", "new"),
        ("new", None, "new"),
    ]


def test_one_more_definition_of_a_name_is_new_and_the_other_stays() -> None:
    before = Lock({"todo": locked({"name": "a", "x": 1})})
    now = Lock({"todo": locked({"name": "a", "x": 2}, {"name": "a", "x": 1})})

    (change,) = changes_between(before, now)

    assert (change.tool, change.kind, change.diff) == ("a", "new", ('+ name: "a"', "+ x: 2"))
