"""What a board sees: layers, shadowing, restrictions, reserved names."""

import json
from typing import Any

import pytest
from pegboard import (
    BoardConfig,
    BoardError,
    CollisionError,
    Config,
    Failure,
    Host,
    HostClosedError,
    InvalidNameError,
    ReservedNameError,
    RestrictionError,
    Select,
    Tool,
    ToolAnnotations,
    UnknownNameError,
    formats,
    tool,
)
from pegboard_lives import offering


def named(name: str, *, gives: str = "", read_only: bool | None = None) -> Tool:
    """A tool of that name."""

    async def run(arguments: object, context: object) -> str:
        return gives or name

    annotations = None if read_only is None else ToolAnnotations(read_only=read_only)
    return Tool(
        name=name,
        description=f"{name}.",
        parameters={"type": "object"},
        run=run,
        annotations=annotations,
    )


async def test_the_nearer_tool_shadows_the_farther_one_until_it_goes() -> None:
    async with Host(discover=False) as host:
        host.register(named("x", gives="far"))
        board = await host.board("a")
        near = board.register(named("x", gives="near"))

        first = (await board.call("x")).unwrap()
        near.close()
        second = (await board.call("x")).unwrap()

    assert (first, second) == ("near", "far")


async def test_a_tool_of_one_board_is_on_no_other() -> None:
    async with Host(discover=False) as host:
        one, other = await host.board("one"), await host.board("other")
        one.register(named("mine"))

        outcome = await other.call("mine")

        assert list(one.tools) == ["mine"]
        assert list(other.tools) == list(host.tools) == []
        assert isinstance(outcome, Failure)


async def test_restrictions_filter_what_is_inherited_and_lift_by_themselves() -> None:
    async with Host(discover=False) as host:
        for name in ("read", "write", "exec"):
            host.register(named(name))
        board = await host.board("a")
        board.register(named("own"))
        first = board.restrict(deny=["exec"])
        second = board.restrict(allow=["re*", "exec"])

        both = list(board.tools)
        first.close()
        one = list(board.tools)
        second.close()

        assert both == ["read", "own"]
        assert one == ["read", "exec", "own"]
        assert list(board.tools) == ["read", "write", "exec", "own"]


async def test_a_child_narrows_what_its_parent_admits_and_never_widens_it() -> None:
    async with Host(discover=False) as host:
        host.register(named("web"))
        host.register(named("read"))
        parent = await host.board("parent", deny=["web"])
        parent.register(named("bash"))
        child = await host.board("child", parent=parent, allow=["web", "bash"])

        assert list(parent.tools) == ["read", "bash"]
        assert list(child.tools) == ["bash"]


async def test_select_judges_a_tool_by_its_annotations_and_unsaid_is_not_read_only() -> None:
    async with Host(discover=False) as host:
        host.register(named("a", read_only=True))
        host.register(named("b", read_only=False))
        host.register(named("c"))

        board = await host.board("x", allow=[Select(read_only=True)])

        assert list(board.tools) == ["a"]


@pytest.mark.parametrize(
    ("allow", "deny", "error"),
    [
        (None, None, RestrictionError),
        (None, ["run_code"], ReservedNameError),
        (["own"], None, RestrictionError),
        (["raed"], None, UnknownNameError),
    ],
)
async def test_a_restriction_that_cannot_mean_what_it_says_is_refused(
    allow: list[str] | None, deny: list[str] | None, error: type[Exception]
) -> None:
    async with Host(discover=False) as host:
        host.register(named("read"))
        board = await host.board("a")
        board.register(named("own"))

        with pytest.raises(error):
            board.restrict(allow=allow, deny=deny)

        assert list(board.tools) == ["read", "own"]


async def test_an_unknown_name_lists_the_near_ones() -> None:
    async with Host(discover=False) as host:
        host.register(named("read"))
        board = await host.board("a")

        with pytest.raises(UnknownNameError, match="'read'"):
            board.restrict(allow=["raed"])


async def test_a_pending_name_counts_as_soon_as_the_tool_is_there() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        board.restrict(allow=["later"], pending=True)
        before = list(board.tools)
        host.register(named("later"))
        host.register(named("other"))

        assert (before, list(board.tools)) == ([], ["later"])


async def test_the_hosts_own_deny_reaches_own_tools_too() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        board.register(named("files_delete"))
        switch = host.restrict(deny=["*_delete"])

        hidden = list(board.tools)
        switch.close()

        assert (hidden, list(board.tools)) == ([], ["files_delete"])


async def test_a_second_tool_of_one_name_on_one_layer_is_refused_with_the_way_out() -> None:
    async with Host(discover=False) as host:
        host.register(named("search"))

        with pytest.raises(CollisionError, match="already registered by the program"):
            host.register(named("Search"))

        assert list(host.tools) == ["search"]


@pytest.mark.parametrize("name", ["bash ", "b\u0430sh", "bash\u200b", "", "1st", "a.b", "x" * 65])
async def test_a_name_outside_the_rule_is_refused_and_never_repaired(name: str) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(InvalidNameError):
            host.register(named(name))


async def test_run_code_is_reserved_on_every_layer() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        for place in (host, board):
            with pytest.raises(ReservedNameError, match="run_code"):
                place.register(named("Run_Code"))


async def test_the_revision_moves_exactly_when_the_visible_text_does() -> None:
    async with Host(discover=False) as host:
        board, other = await host.board("a"), await host.board("b", deny=["x*"])
        seen = [(board.revision, other.revision)]
        registration = host.register(named("x1"))
        seen.append((board.revision, other.revision))
        board.guard(lambda execution: None)
        seen.append((board.revision, other.revision))
        registration.close()
        seen.append((board.revision, other.revision))

    assert seen == [(0, 0), (1, 0), (1, 0), (2, 0)]


async def test_a_listing_is_a_snapshot() -> None:
    async with Host(discover=False) as host:
        host.register(named("a"))
        board = await host.board("x")
        kept = board.tools
        host.register(named("b"))

        assert (list(kept), list(board.tools)) == (["a"], ["a", "b"])


async def test_asking_for_a_board_again_gives_the_same_or_refuses_other_options() -> None:
    async with Host(discover=False) as host:
        first = await host.board("a", deny=["x*"])

        assert await host.board("a") is first
        with pytest.raises(BoardError, match="deny"):
            await host.board("a", deny=["y*"])


async def test_boards_without_a_name_are_fresh_and_close_when_they_are_left() -> None:
    async with Host(discover=False) as host:
        async with host.board() as one, host.board() as other:
            names = {one.name, other.name}
            opened = set(host.boards)

        assert names == opened
        assert len(names) == 2
        assert not host.boards


async def test_a_board_stays_until_the_last_block_has_left_it() -> None:
    async with Host(discover=False) as host:
        async with host.board("a"):
            async with host.board("a"):
                pass
            assert "a" in host.boards

        assert "a" not in host.boards


async def test_a_board_with_children_does_not_close() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        child = await host.board("c", parent="p")

        with pytest.raises(BoardError, match="'c'"):
            await parent.close()
        await child.close()
        await parent.close()

        assert not host.boards


async def test_unknown_boards_are_refused_where_the_configuration_says_so() -> None:
    config = Config(boards={"researcher": BoardConfig(deny=["x*"])}, unknown_boards="refuse")
    async with Host(config, discover=False) as host:
        with pytest.raises(UnknownNameError, match="'researcher'"):
            await host.board("reseacher")


async def test_explain_says_what_hides_a_tool_and_who_brought_it() -> None:
    @tool
    def search(q: str) -> str:
        """Search."""
        return q

    async with Host(discover=False) as host:
        host.register(search)
        board = await host.board("a", deny=["sea*"])

        hidden, missing = board.explain("search"), board.explain("serch")

    assert not hidden.visible
    assert "denied by 'sea*' of board 'a'" in str(hidden)
    assert "registered on the global layer by the program" in str(hidden)
    assert [reason.kind for reason in missing.reasons] == ["unknown"]


async def test_a_host_that_is_not_open_says_so() -> None:
    with pytest.raises(HostClosedError, match="async with Host"):
        await Host(discover=False).board("a")


@pytest.mark.parametrize("shape", list(formats.SHAPES))
async def test_encoded_definitions_are_those_of_the_shape_and_made_once(shape: str) -> None:
    async with Host(discover=False) as host:
        host.register(named("read"))
        board, other = await host.board("a"), await host.board("b")

        first, again = board.encoded_definitions(shape), board.encoded_definitions(shape)

        assert first is again is other.encoded_definitions(shape)
        assert json.loads(first) == formats.SHAPES[shape](board)
        host.register(named("write"))
        assert len(json.loads(board.encoded_definitions(shape))) >= len(json.loads(first))
        assert board.encoded_definitions(shape) != first


async def test_an_unknown_shape_is_told_the_near_one() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")

        with pytest.raises(UnknownNameError, match="'anthropic'"):
            board.encoded_definitions("antropic")


async def test_a_board_of_another_host_is_refused_wherever_one_is_taken() -> None:
    async with Host(discover=False) as mine, Host(discover=False) as other:
        board = await other.board("b")
        for attempt in (
            mine.load(offering("a"), name="p", board=board),
            _awaited(mine.board("child", parent=board)),
        ):
            with pytest.raises(BoardError, match="'b' can't be used here"):
                await attempt

        assert ("p" in mine.plugins, "p" in other.plugins) == (False, False)


async def _awaited(request: Any) -> Any:
    return await request
