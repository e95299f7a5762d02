"""What happens to plugins, boards, restrictions and approvals."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pegboard import Ask, Host, Select, ToolCall, hookimpl
from pegboard_audit import read_events

Recorded = Callable[..., Any]


class Asking:
    """A plugin that asks for every call, and one that answers."""

    @hookimpl
    def pegboard_before_call(self) -> Ask:
        """Ask."""
        return Ask("is it fine?")

    @hookimpl
    def pegboard_approve(self) -> str:
        """Answer."""
        return "board"


def approvals_in(path: Path) -> list[tuple[Any, ...]]:
    query = "SELECT digest, answer, by_plugin, board, tool, call_id, reason FROM approvals"
    with closing(sqlite3.connect(path)) as database:
        return list(database.execute(query))


async def test_plugins_and_boards_are_recorded_as_they_come_and_go(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host, host.board("one"):
        await host.unload("tools")

    events = [(each.kind, each.board or each.plugin) for each in read_events(path)]
    assert ("PluginChanged", "tools") in events
    assert events.index(("BoardOpened", "one")) < events.index(("BoardClosed", "one"))
    states = [each.details["state"] for each in read_events(path, plugin="tools")]
    assert states[-3:] == ["loaded", "draining", "unloaded"]


async def test_restrictions_are_recorded_with_who_set_them(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        board = await host.board("one")
        with board.restrict(deny=["echo", Select(plugin="tools", read_only=True)]):
            pass

    added, lifted = read_events(path, kind="Restriction*")
    assert (added.kind, lifted.kind) == ("RestrictionAdded", "RestrictionLifted")
    assert added.board == "one"
    assert added.details["deny"][0] == "echo"
    assert added.details["deny"][1]["plugin"] == "tools"


async def test_an_approval_is_recorded_with_its_digest_its_answer_and_who_answered(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        await host.load(Asking(), name="asking")
        await (await host.board("one")).call("echo", {"value": "a"}, id="call-1")

    asked, answered = read_events(path, kind="Approval*")
    digest = asked.details["digest"]
    assert approvals_in(path) == [
        (digest, "board", "asking", "one", "echo", "call-1", "is it fine?")
    ]
    assert (answered.details["answer"], answered.details["by"]["plugin"]) == ("board", "asking")
    assert (asked.call_id, asked.plugin) == ("call-1", "tools")


async def test_an_answer_that_came_with_the_call_was_given_by_nobody_here(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        host.hook(before_call=lambda: Ask("why"), approve=lambda: "later")
        board = await host.board("one")
        call = ToolCall("call-1", "echo", {"value": "a"})
        asked = await board.call(call)
        await board.call(call, approvals={asked.details["request"]["digest"]: "once"})

    later, once = approvals_in(path)
    assert (later[1], once[1], once[2]) == ("later", "once", None)
    assert later[0] == once[0]


async def test_a_secret_argument_shows_in_no_event(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        await host.load(Asking(), name="asking")
        arguments = {"name": "me", "password": "hunter2"}
        await (await host.board("one")).call("login", arguments)

    (asked, _) = read_events(path, kind="Approval*")
    assert asked.details["arguments"] == {"name": "me", "password": "…"}
    assert not [each for each in path.parent.iterdir() if b"hunter2" in each.read_bytes()]


async def test_long_arguments_are_left_out_of_events_too(recorded: Recorded, path: Path) -> None:
    async with recorded(max_arguments_bytes=20) as host:
        await host.load(Asking(), name="asking")
        await (await host.board("one")).call("echo", {"value": "x" * 100})

    (asked, _) = read_events(path, kind="Approval*")
    assert (asked.details["arguments"], asked.details["arguments_bytes"]) == (None, 112)


async def test_events_can_be_narrowed_down_by_time(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        await host.board("one")
        later = datetime.now(UTC)
        await host.board("two")

    opened = read_events(path, kind="BoardOpened", since=later)
    assert [each.board for each in opened] == ["two"]


async def test_settings_show_in_no_event(path: Path) -> None:
    import pegboard_audit

    async with Host(discover=False) as host:
        await host.load(pegboard_audit, settings={"path": str(path), "max_queued": 4321})

    assert list(read_events(path))
    assert b"4321" not in path.read_bytes()
