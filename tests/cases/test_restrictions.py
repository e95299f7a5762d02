"""The cases of section Restrictions."""

import asyncio

import pytest
from pegboard import (
    Failure,
    Host,
    ReservedNameError,
    RestrictionError,
    RunContext,
    Tool,
    UnknownNameError,
    formats,
    tool,
)
from pegboard_cases import says
from pegboard_offers import Offering, code_of, named, offer, register


async def test_p_204_a_deny_admits_what_comes_later_and_an_allow_list_does_not() -> None:
    async with Host(discover=False) as host:
        register(host, "exec", "read")
        one = await host.board("A", deny=["exec"])
        other = await host.board("B", allow=["read"])

        register(host, "fetch")

        assert (list(one.tools), list(other.tools)) == (["read", "fetch"], ["read"])


async def test_p_205_what_is_allowed_and_denied_is_denied() -> None:
    async with Host(discover=False) as host:
        register(host, "a")
        board = await host.board("x", allow=["a"], deny=["a"])

        assert list(board.tools) == []


async def test_p_206_a_list_that_its_caller_changes_afterwards_changes_nothing() -> None:
    async with Host(discover=False) as host:
        register(host, "a", "b")
        board, allow, deny = await host.board("x"), ["a"], ["b"]
        board.restrict(allow=allow)
        host.restrict(deny=deny)

        allow.append("b")
        deny.clear()

        assert list(board.tools) == ["a"]


async def test_p_207_a_restriction_without_a_list_is_refused() -> None:
    async with Host(discover=False) as host:
        board = await host.board("x")

        with pytest.raises(RestrictionError, match="allow, deny"):
            board.restrict()


async def test_p_207_a_restriction_on_a_reserved_name_is_refused() -> None:
    async with Host(discover=False) as host:
        board = await host.board("x")

        with pytest.raises(ReservedNameError, match="run_code"):
            board.restrict(allow=["run_code"])


async def test_p_207_a_restriction_on_what_only_the_board_owns_is_refused() -> None:
    async with Host(discover=False) as host:
        board = await host.board("x")
        register(board, "own")

        with pytest.raises(RestrictionError, match="'own' belongs to the board itself"):
            board.restrict(deny=["own"])


async def test_p_207_an_unknown_exact_name_lists_the_near_ones() -> None:
    async with Host(discover=False) as host:
        register(host, "files_read", "files_write")
        board = await host.board("x")

        with pytest.raises(UnknownNameError, match="'files_read'"):
            board.restrict(allow=["file_read"])

        assert len(board.tools) == 2


async def test_p_207_an_exact_name_of_what_a_plugin_puts_on_the_board_is_known() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering(per_board=("todo_add",)), name="todo")
        board = await host.board("x")

        board.restrict(deny=["todo_add"])

        assert list(board.tools) == []


async def test_p_208_a_pending_name_counts_as_soon_as_the_plugin_is_there() -> None:
    async with Host(discover=False) as host:
        board = await host.board("x")
        board.restrict(allow=["not_yet"], pending=True)

        await host.load(offer("not_yet", "other"), name="late")

        assert list(board.tools) == ["not_yet"]


async def test_p_209_patterns_are_anchored_and_tell_case_apart() -> None:
    async with Host(discover=False) as host:
        register(host, "read", "read_all", "x_read", "READ_it", "x_delete", "read_delete")
        board = await host.board("x", allow=["read*"])
        other = await host.board("y", deny=["*_delete"])
        register(host, "A_DELETE")

        assert list(board.tools) == ["read", "read_all", "read_delete"]
        assert "A_DELETE" in other.tools
        assert not {"x_delete", "read_delete"} & set(other.tools)


async def test_p_210_a_pattern_may_match_nothing() -> None:
    async with Host(discover=False) as host:
        register(host, "a")
        board = await host.board("x")

        board.restrict(deny=["nothing_*"])

        assert list(board.tools) == ["a"]


async def test_p_211_a_denied_tool_stays_hidden_when_it_comes_back() -> None:
    async with Host(discover=False) as host:
        registration = host.register(named("exec"))
        board = await host.board("x", deny=["exec"])
        registration.close()

        register(host, "exec")

        assert list(board.tools) == []


async def test_p_212_a_child_hides_what_its_parent_owns_for_itself_only() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        register(parent, "bash", "read")
        child = await host.board("c", parent=parent, deny=["bash"])

        assert (list(child.tools), list(parent.tools)) == (["read"], ["bash", "read"])


async def test_p_213_what_a_parent_denies_is_hidden_from_its_child_too() -> None:
    async with Host(discover=False) as host:
        register(host, "web")
        parent = await host.board("p", deny=["web"])
        child = await host.board("c", parent=parent)

        assert list(child.tools) == []


async def test_p_214_a_child_cannot_allow_what_its_parent_denies() -> None:
    async with Host(discover=False) as host:
        register(host, "web", "read")
        parent = await host.board("p", deny=["web"])
        child = await host.board("c", parent=parent, allow=["web", "read"])

        assert list(child.tools) == ["read"]


async def test_p_215_what_the_host_denies_is_hidden_everywhere_until_it_is_lifted() -> None:
    async with Host(discover=False) as host:
        register(host, "files_delete")
        one, other = await host.board("a"), await host.board("b")
        register(other, "files_delete")

        with host.restrict(deny=["files_delete"]):
            hidden = [list(each.tools) for each in (one, other)]

        assert hidden == [[], []]
        assert [list(each.tools) for each in (one, other)] == [["files_delete"]] * 2


async def test_p_215_the_host_takes_no_allow_list() -> None:
    async with Host(discover=False) as host:
        with pytest.raises(TypeError, match="allow"):
            host.restrict(allow=["a"])  # type: ignore[call-arg]


async def test_p_216_a_hidden_tool_is_absent_everywhere_but_where_people_ask_why() -> None:
    """Absence from the SDK of `run_code` and from an MCP server belongs to those issues."""
    async with Host(discover=False) as host:
        register(host, "exec")
        host.register(calling("exec"))
        board = await host.board("x", deny=["exec"])

        assert list(board.tools) == [each.name for each in board.definitions()] == ["nested"]
        assert not [
            shape for shape, each in formats.SHAPES.items() if "'exec'" in repr(each(board))
        ]
        assert await code_of(board, "exec") == "unknown_tool"
        assert (await board.call("nested")).unwrap() == "unknown_tool"
        assert says(str(board.explain("exec")), "not visible", "denied by 'exec'", "board 'x'")


async def test_p_216_the_message_of_a_hidden_tool_is_that_of_a_tool_that_does_not_exist() -> None:
    async with Host(discover=False) as host:
        register(host, "exec")
        board, bare = await host.board("x", deny=["exec"]), await host.board("y", allow=[])

        outcomes = [await each.call("exec", id="1") for each in (board, bare)]
        with host.restrict(deny=["exec"]):
            outcomes.append(await (await host.board("z")).call("exec", id="1"))

    assert len({each.message for each in outcomes if isinstance(each, Failure)}) == 1


async def test_p_217_lifting_a_restriction_leaves_a_running_call_alone() -> None:
    async with Host(discover=False) as host:
        begun, go_on = asyncio.Event(), asyncio.Event()
        host.register(waiting(begun, go_on))
        register(host, "other")
        board = await host.board("x")
        mask = board.restrict(allow=["wait"])
        running = asyncio.create_task(board.call("wait"))
        await begun.wait()

        mask.close()
        go_on.set()

        assert (await running).unwrap() == "done"
        assert await code_of(board, "other") is None


async def test_p_217_a_call_that_runs_goes_on_when_its_tool_is_hidden() -> None:
    async with Host(discover=False) as host:
        begun, go_on = asyncio.Event(), asyncio.Event()
        host.register(waiting(begun, go_on))
        board = await host.board("x")
        running = asyncio.create_task(board.call("wait"))
        await begun.wait()

        board.restrict(deny=["wait"])
        go_on.set()

        assert (await running).unwrap() == "done"
        assert await code_of(board, "wait") == "unknown_tool"


def calling(name: str) -> Tool:
    """A tool that calls another, and gives the code of its failure."""

    @tool
    async def nested(context: RunContext) -> str | None:
        """Call another tool."""
        outcome = await context.call(name)
        return str(outcome.code) if isinstance(outcome, Failure) else None

    return nested


def waiting(begun: asyncio.Event, go_on: asyncio.Event) -> Tool:
    """A tool that says when it has begun, and waits."""

    @tool
    async def wait() -> str:
        """Wait."""
        begun.set()
        await go_on.wait()
        return "done"

    return wait
