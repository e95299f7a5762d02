"""The cases of section Guards."""

from typing import Any

import pytest
from pegboard import (
    Allow,
    Board,
    Code,
    Deny,
    Execution,
    Failure,
    Host,
    RunContext,
    Tool,
    tool,
)
from pegboard.testing import site_at
from pegboard_cases import says
from pegboard_offers import Offering, code_of, named, register

MODULE = """
from pegboard import hookimpl, tool

@tool
def greet() -> str:
    return "hello"

@hookimpl
def pegboard_tools():
    return [greet]
"""


def allow() -> Allow:
    """A policy that minds nothing."""
    return Allow()


async def refused(board: Board, name: str = "t") -> Failure:
    """The failure of a call."""
    outcome = await board.call(name)
    assert isinstance(outcome, Failure)
    return outcome


async def test_p_094_a_guards_reason_is_what_the_model_reads_whatever_a_policy_allows() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        host.hook(before_call=allow)
        host.guard(lambda execution: "read-only")

        failure = await refused(await host.board("a"))

    assert failure.code is Code.DENIED
    assert says(failure.message, "read-only")


async def test_p_095_the_first_guard_with_a_reason_refuses() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(lambda execution: None)
        host.guard(lambda execution: "second")

        failure = await refused(await host.board("a"))

    assert (failure.code, failure.message) == (Code.DENIED, "second")


async def test_p_096_an_empty_reason_refuses_with_a_message_that_is_not() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(lambda execution: "")

        failure = await refused(await host.board("a"))

    assert failure.code is Code.DENIED
    assert failure.message.strip()


async def test_p_097_an_async_guard_refuses_too() -> None:
    async def guard(execution: Execution) -> str:
        return "not now"

    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(guard)

        failure = await refused(await host.board("a"))

    assert (failure.code, failure.message) == (Code.DENIED, "not now")


@pytest.mark.parametrize("answer", [True, False, 0, object(), [], b"no"])
async def test_p_098_a_guard_that_gives_anything_but_none_keeps_the_body_from_running(
    answer: Any,
) -> None:
    ran: list[str] = []
    async with Host(discover=False) as host:
        host.register(noting(ran))
        host.guard(lambda execution: answer)

        failure = await refused(await host.board("a"), "note")

    assert failure.code is Code.POLICY_FAILED
    assert ran == []


async def test_p_098_a_guard_that_raises_refuses() -> None:
    def guard(execution: Execution) -> None:
        raise SystemExit(3)

    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(guard)

        assert await code_of(await host.board("a"), "t") == "policy_failed"


async def test_p_098_after_hooks_hear_of_a_refusal_and_not_of_a_guard_that_raised() -> None:
    heard: list[str] = []

    def guard(execution: Execution) -> str:
        return {}["no such key"] if execution.call_id == "raises" else "no"

    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(guard)
        host.hook(after_call=lambda execution: heard.append(execution.call_id))
        board = await host.board("a")
        for call_id in ("refused", "raises"):
            await board.call("t", id=call_id)

    assert heard == ["refused"]


async def test_p_099_a_guard_that_is_added_during_a_call_is_asked_from_the_next_one_on() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        board, added = await host.board("a"), []

        def guard(execution: Execution) -> None:
            if not added:
                added.append(board.guard(lambda execution: "no more"))

        board.guard(guard)

        assert [await code_of(board, "t") for _ in range(2)] == [None, "denied"]


async def test_p_100_a_guard_that_replaces_itself_by_a_refusing_one_lets_its_call_run() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        board = await host.board("a")

        def guard(execution: Execution) -> None:
            registration.close()
            board.guard(lambda execution: "no more")

        registration = board.guard(guard)

        assert [await code_of(board, "t") for _ in range(2)] == [None, "denied"]


async def test_p_101_no_guard_is_asked_about_a_call_that_a_policy_denied() -> None:
    asked: list[str] = []
    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(lambda execution: asked.append(execution.call_id))
        board = await host.board("a")
        board.hook(before_call=lambda: Deny("not here"))

        failure = await refused(board)

    assert (failure.code, failure.message, asked) == (Code.DENIED, "not here", [])


async def test_p_101_no_guard_is_asked_about_a_call_that_ended_at_its_arguments() -> None:
    asked: list[str] = []
    async with Host(discover=False) as host:
        host.register(noting([]))
        host.guard(lambda execution: asked.append(execution.call_id))
        board = await host.board("a")

        outcome = await board.call("note", {"of": "an unknown kind", "count": "three"})

    assert isinstance(outcome, Failure)
    assert (outcome.code, asked) == (Code.INVALID_ARGUMENTS, [])


async def test_p_102_a_guard_that_refuses_nested_calls_leaves_the_outer_one_alone() -> None:
    @tool
    async def outer(context: RunContext) -> str | None:
        """Call another tool."""
        inner = await context.call("t")
        return str(inner.code) if isinstance(inner, Failure) else None

    async with Host(discover=False) as host:
        host.register(outer)
        register(host, "t")
        host.guard(lambda each: None if each.call_id == each.root_call_id else "not inside")

        assert (await (await host.board("a")).call("outer")).unwrap() == "denied"


async def test_p_103_guards_of_an_unloaded_plugin_are_not_asked_any_more() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        board = await host.board("a")
        await host.load(Offering(guards=(lambda execution: "no",)), name="policy")
        before = await code_of(board, "t")

        await host.unload("policy")

        assert (before, await code_of(board, "t")) == ("denied", None)


async def test_p_103_guards_of_ancestors_are_asked_from_the_farthest_to_the_nearest() -> None:
    async with Host(discover=False) as host:
        register(host, "t")
        parent = await host.board("p")
        child = await host.board("c", parent=parent)
        asked: list[str] = []

        for name, side in (("child", child), ("parent", parent), ("host", host)):
            side.guard(lambda execution, name=name: asked.append(name))
        await child.call("t")

        assert asked == ["host", "parent", "child"]


async def test_p_370_a_guard_sees_the_deps_and_labels_of_the_call() -> None:
    seen: list[Execution] = []
    async with Host(discover=False) as host:
        register(host, "t")
        host.guard(seen.append)
        board = await host.board("a", labels={"team": "red"})

        await board.call("t", deps="the database", labels={"run": 7})

    assert seen[0].deps == "the database"
    assert dict(seen[0].labels) == {"team": "red", "run": 7}


async def test_p_370_a_guard_sees_the_version_of_the_owner(tmp_path: Any) -> None:
    seen: list[Execution] = []
    with site_at(tmp_path / "site") as site:
        entry, files = {"greeter": "greeter_plugin"}, {"greeter_plugin.py": MODULE}
        site.install("greeter", "2.1", entry_points=entry, files=files)
        async with Host() as host:
            host.guard(seen.append)

            await (await host.board("a")).call("greet")

    assert seen[0].owner is not None
    assert (seen[0].owner.plugin, seen[0].owner.version) == ("greeter", "2.1")


def noting(ran: list[str]) -> Tool:
    """A tool that notes that it ran."""

    @tool
    def note(count: int = 1) -> str:
        """Note it."""
        ran.append("ran")
        return named("note").name

    return note
