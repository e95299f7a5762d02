"""What is recorded of calls, and read back."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pegboard import Code, Config, Host, PluginConfig
from pegboard_audit import AuditError, CallRecord, read

Recorded = Callable[..., Any]


async def call(recorded: Recorded, tool: str, arguments: Any, **settings: Any) -> Any:
    async with recorded(**settings) as host:
        board = await host.board("one", labels={"who": "me"})
        return await board.call(tool, arguments, id="call-1")


async def test_a_call_is_recorded_with_what_happened_and_whose_tool_it_was(
    recorded: Recorded, path: Path
) -> None:
    before = datetime.now(UTC)

    await call(recorded, "echo", {"value": "Pi", "ignored": 1})

    (found,) = read(path)
    assert (found.call_id, found.root_call_id, found.parent_call_id) == ("call-1", "call-1", None)
    assert (found.board, found.tool, found.raw_tool, found.plugin) == (
        "one",
        "echo",
        "echo",
        "tools",
    )
    assert (found.arguments, found.labels) == ({"value": "Pi"}, {"who": "me"})
    assert (found.code, found.message, found.is_failure) == ("success", None, False)
    assert "ignored" in found.notes[0]
    assert before - timedelta(seconds=1) < found.started < datetime.now(UTC)
    assert found.total >= found.body > 0.0


async def test_a_failure_is_recorded_with_its_code_and_message(
    recorded: Recorded, path: Path
) -> None:
    await call(recorded, "fail", {"value": "Pi"})

    (found,) = read(path)
    assert (found.code, found.message) == ("tool_error", "it went wrong")
    assert found.is_failure


async def test_a_nested_call_is_recorded_below_its_caller(recorded: Recorded, path: Path) -> None:
    await call(recorded, "outer", {"value": "Pi"})

    inner, outer = read(path)
    assert (inner.call_id, inner.parent_call_id, inner.root_call_id) == (
        "call-1:1",
        "call-1",
        "call-1",
    )
    assert (outer.tool, outer.parent_call_id) == ("outer", None)


async def test_the_name_that_the_author_gave_a_tool_is_recorded_beside_the_operators(
    path: Path,
) -> None:
    import pegboard_audit
    import pegboard_echo

    config = Config(plugins={"echo": PluginConfig(prefix="my_")})
    async with Host(config, discover=False) as host:
        await host.load(pegboard_audit, settings={"path": str(path)})
        await host.load(pegboard_echo, name="echo")
        await (await host.board("one")).call("my_echo", {"value": "Pi"})

    (found,) = read(path)
    assert (found.tool, found.raw_tool) == ("my_echo", "echo")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("login", {"name": "me", "password": "hunter2"}),
        ("login", {"name": "me", "passwort": "hunter2"}),
        ("login", {"name": ["hunter2"], "password": 1}),
        ("logon", {"name": "me", "password": "hunter2"}),
        ("login", '{"name": "me", "password": "hunter2"'),
    ],
)
async def test_no_secret_argument_comes_into_the_file_however_the_call_ends(
    recorded: Recorded, path: Path, tool: str, arguments: Any
) -> None:
    async with recorded(max_outcome_bytes=10_000) as host:
        await (await host.board("one")).call(tool, arguments)

    assert len(list(read(path))) == 1
    assert not [each for each in path.parent.iterdir() if b"hunter2" in each.read_bytes()]


async def test_other_arguments_of_a_call_with_a_secret_are_kept(
    recorded: Recorded, path: Path
) -> None:
    await call(recorded, "login", {"name": "me", "password": "hunter2"})

    (found,) = read(path)
    assert found.arguments == {"name": "me", "password": "…"}


async def test_no_outcome_is_kept_unless_it_is_asked_for(recorded: Recorded, path: Path) -> None:
    await call(recorded, "echo", {"value": "Pi"})

    (found,) = read(path)
    assert (found.outcome, found.outcome_bytes) == (None, None)
    assert b"Pi" in path.read_bytes()


@pytest.mark.parametrize("tool", ["echo", "fail", "missing"])
async def test_an_outcome_that_is_kept_is_read_back_equal(
    recorded: Recorded, path: Path, tool: str
) -> None:
    outcome = await call(recorded, tool, {"value": "Pi"}, max_outcome_bytes=10_000)

    (found,) = read(path)
    assert found.outcome == outcome


async def test_what_is_too_long_is_left_out_and_its_size_is_kept(
    recorded: Recorded, path: Path
) -> None:
    sizes = {"max_arguments_bytes": 50, "max_outcome_bytes": 50}

    await call(recorded, "echo", {"value": "x" * 100}, **sizes)

    (found,) = read(path)
    assert (found.arguments, found.arguments_bytes) == (None, 112)
    assert found.outcome is None
    assert (found.outcome_bytes or 0) > 100


async def test_text_that_no_database_takes_is_recorded_with_its_escapes(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "\0"}, id="call\udfff")

    (found,) = read(path)
    assert found.call_id == "call\\udfff"
    assert found.arguments == {"value": "\0"}


async def test_what_is_read_can_be_narrowed_down(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        one, two = await host.board("one"), await host.board("two")
        await one.call("echo", {"value": "a"}, id="1")
        await one.call("fail", {"value": "a"}, id="2")
        later = datetime.now(UTC)
        await two.call("echo", {"value": "a"}, id="3")
        await two.call("missing", id="4")

    def ids(**conditions: Any) -> str:
        return "".join(each.call_id for each in read(path, **conditions))

    assert ids() == "1234"
    assert (ids(board="one"), ids(board="t*"), ids(tool="e*")) == ("12", "34", "13")
    assert (ids(plugin="tools"), ids(failed=True), ids(failed=False)) == ("123", "24", "13")
    assert (ids(since=later), ids(since=later, failed=True), ids(tool="x")) == ("34", "4", "")


async def test_a_record_is_read_page_by_page_and_without_holding_it(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        board = await host.board("one")
        for number in range(1_100):
            await board.call("echo", {"value": "a"}, id=str(number))

    first = next(reading := read(path))
    assert isinstance(first, CallRecord)
    assert [each.call_id for each in reading] == [str(number) for number in range(1, 1_100)]


def test_what_is_no_record_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()

    for name in ("missing", "text", "other"):
        with pytest.raises(AuditError, match=name):
            list(read(tmp_path / name))


async def test_calls_that_policies_refuse_are_recorded(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        board = await host.board("one")
        board.guard(lambda execution: "not today")
        outcome = await board.call("echo", {"value": "a"})

    (found,) = read(path)
    assert outcome.code is Code.DENIED
    assert (found.code, found.message, found.body) == ("denied", "not today", 0.0)
