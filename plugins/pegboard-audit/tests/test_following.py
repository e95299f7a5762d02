"""A record is read on from where it was, and says what operators did."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard import OperatorActed
from pegboard_audit import Audit, AuditError, End, Settings, read, read_end, read_events

Recorded = Callable[..., Any]


async def test_what_stands_behind_a_place_is_read_on_its_own(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        board = await host.board("one")
        for number in range(3):
            await board.call("echo", {"value": "a"}, id=f"call-{number}")

    first, *others = read(path)
    assert [each.call_id for each in others] == ["call-1", "call-2"]
    assert list(read(path, after=first.id)) == others
    assert list(read(path, after=read_end(path).calls)) == []
    assert list(read_events(path, after=read_end(path).events)) == []


async def test_the_end_of_a_record_moves_with_what_is_recorded(
    recorded: Recorded, path: Path
) -> None:
    async with recorded():
        pass
    before = read_end(path)

    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "a"})

    after = read_end(path)
    assert (before.calls, after.calls) == (0, 1)
    assert after.events > before.events > 0


def test_there_is_no_end_of_what_is_no_record(path: Path) -> None:
    with pytest.raises(AuditError, match="there is no record"):
        read_end(path)


def test_what_an_operator_did_is_found_by_plugin_and_by_board(path: Path) -> None:
    details: list[dict[str, Any]] = [
        {"name": "web", "block": True},
        {"selectors": ["a", {"plugin": "web"}], "board": "one"},
    ]
    audit = Audit(Settings(path=str(path)), logging.getLogger(), folder=path.parent)
    audit.open()
    audit.happened(OperatorActed("unload", details[0], 1000, 7, "failed", "it is required"))
    audit.happened(OperatorActed("deny", details[1], 1000, 7, "done"))
    audit.close()

    [unload], [deny] = read_events(path, plugin="web"), read_events(path, board="one")
    assert (unload.details["action"], unload.details["user"]) == ("unload", 1000)
    assert [each.details["details"] for each in (unload, deny)] == details
    assert read_end(path) == End(0, 2)
