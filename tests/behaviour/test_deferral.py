"""Tools that are marked to be found later stay out of what models are shown until they are."""

import asyncio

import attrs
import pytest
from pegboard import Config, ToolConfig, UnknownNameError
from pegboard_cases import named
from pegboard_finding import FINDER, RARE, SCARCE, USUAL, finding, said, waiting


async def test_only_marked_tools_are_kept_back() -> None:
    async with finding(USUAL, RARE) as (_, board, deferral):
        assert (said(board), waiting(board)) == (["usual"], ["rare"])
        assert list(deferral.waiting) == ["rare"]
        assert list(board.tools) == ["usual", "rare"]


async def test_what_is_kept_back_can_be_called_by_its_name() -> None:
    async with finding(RARE) as (_, board, deferral):
        value = (await board.call("rare")).unwrap()

        assert (value, said(board), deferral.found) == ("rare", [], frozenset())


async def test_what_was_found_takes_its_place_in_the_order_of_the_board() -> None:
    async with finding(SCARCE, USUAL, RARE) as (_, board, deferral):
        new = deferral.show(["rare", "scarce"])

        assert new == ("rare", "scarce")
        assert said(board) == ["scarce", "usual", "rare"]
        assert waiting(board) == []


async def test_what_was_found_is_told_of_without_its_mark() -> None:
    async with finding(RARE) as (_, board, deferral):
        (before,) = board.deferred
        deferral.show(["rare"])
        (after,) = board.definitions()

        assert (before.defer_loading, after.defer_loading) == (True, False)
        assert attrs.evolve(before, defer_loading=False) == after


async def test_the_revision_moves_with_what_is_found_and_not_with_what_is_kept_back() -> None:
    async with finding(USUAL, RARE) as (host, board, deferral):
        seen = [board.revision]
        host.register(SCARCE)
        seen.append(board.revision)
        for names in (["rare"], ["rare", "usual"], ["scarce"]):
            deferral.show(names)
            seen.append(board.revision)

    assert seen == [0, 0, 1, 1, 2]


async def test_tools_that_a_model_sees_anyway_are_not_found_anew() -> None:
    async with finding(USUAL, RARE) as (_, _board, deferral):
        deferral.show(["rare"])

        assert deferral.show(["usual", "rare", "rare"]) == ()
        assert deferral.found == {"rare"}


async def test_a_name_that_is_not_visible_can_not_be_shown_and_nothing_else_is() -> None:
    async with finding(RARE, SCARCE, deny=["scarce"]) as (_, board, deferral):
        for name in ("scarce", "rarre"):
            with pytest.raises(UnknownNameError, match=name):
                deferral.show(["rare", name])

        assert (said(board), deferral.found) == ([], frozenset())


async def test_a_mask_hides_what_was_found_and_gives_it_back() -> None:
    async with finding(RARE) as (host, board, deferral):
        deferral.show(["rare"])
        with host.restrict(deny=["rare"]):
            hidden = said(board), waiting(board)

        assert hidden == ([], [])
        assert said(board) == ["rare"]


async def test_a_found_tool_that_went_and_came_back_is_still_found() -> None:
    async with finding() as (host, board, deferral):
        with host.register(RARE):
            deferral.show(["rare"])
        gone = said(board)
        host.register(RARE)

        assert (gone, said(board)) == ([], ["rare"])


async def test_another_boards_model_is_shown_nothing_of_what_one_has_found() -> None:
    async with finding(RARE) as (host, board, deferral):
        other = await host.board("other")
        before = other.revision
        deferral.show(["rare"])

        assert (said(board), said(other)) == (["rare"], [])
        assert other.revision == before


async def test_a_child_board_keeps_its_own_and_its_parents_tools_back_by_itself() -> None:
    async with finding(USUAL) as (host, board, deferral):
        board.register(RARE)
        child = await host.board("child", parent=board)
        child.register(SCARCE)
        deferral.show(["rare"])

        assert (said(board), waiting(board)) == (["usual", "rare"], [])
        assert (said(child), waiting(child)) == (["usual"], ["rare", "scarce"])


async def test_a_nearer_tool_without_a_mark_is_shown_in_the_place_of_one_that_waits() -> None:
    async with finding(RARE) as (_, board, _deferral):
        with board.register(named("rare")):
            nearer = said(board), waiting(board)

        assert nearer == (["rare"], [])
        assert (said(board), waiting(board)) == ([], ["rare"])


async def test_without_who_finds_them_marked_tools_are_shown_with_their_mark() -> None:
    async with finding(RARE) as (host, board, _):
        await host.unload("finding")
        (definition,) = board.definitions()

        assert definition.defer_loading
        assert board.deferred == ()


async def test_the_operator_says_which_tools_are_kept_back() -> None:
    said_of = {"us*": ToolConfig(defer_loading=True), "rare": ToolConfig(defer_loading=False)}
    async with finding(USUAL, RARE, config=Config(tools=said_of)) as (host, board, deferral):
        first = said(board), waiting(board)
        deferral.show(["usual"])
        await host.sync(Config(tools={"rare": ToolConfig(defer_loading=True)}))

        assert first == (["rare"], ["usual"])
        assert (said(board), waiting(board)) == (["usual"], ["rare"])


async def test_what_the_operator_says_of_a_found_tool_is_told_too() -> None:
    async with finding(RARE) as (host, board, deferral):
        deferral.show(["rare"])
        before = board.definitions(), board.revision
        await host.sync(Config(tools={"rare": ToolConfig(description="Seldom.")}))
        (told,) = board.definitions()

        assert (told.description, told.defer_loading) == ("Seldom.", False)
        assert (before[0] != (told,), board.revision - before[1]) == (True, 1)


async def test_the_finder_is_shown_only_where_there_is_something_to_find() -> None:
    async with finding(USUAL, finder=FINDER) as (host, board, deferral):
        without = said(board)
        with host.register(RARE):
            waits = said(board), waiting(board)
            deferral.show(["rare"])
            found = said(board), waiting(board)

        assert without == said(board) == ["usual"]
        assert waits == (["usual", "finder"], ["rare"])
        assert found == (["usual", "rare", "finder"], [])


async def test_nothing_is_kept_back_where_the_finder_can_not_be_called() -> None:
    async with finding(USUAL, RARE, finder=FINDER, allow=["usual", "rare"]) as (_, board, deferral):
        masked = said(board), waiting(board), list(deferral.waiting)
        with board.grant("finder"):
            granted = said(board), waiting(board), list(deferral.waiting)

    assert masked == (["usual", "rare"], [], [])
    assert granted == (["usual", "finder"], ["rare"], ["rare"])


async def test_a_finder_that_is_hidden_on_a_child_board_keeps_nothing_back_there() -> None:
    async with finding(RARE, finder=FINDER) as (host, board, _):
        child = await host.board("child", parent=board, deny=["finder"])

        assert (said(board), said(child)) == (["finder"], ["rare"])


async def test_the_hosts_own_deny_of_the_finder_shows_every_tool() -> None:
    async with finding(RARE, finder=FINDER) as (host, board, _):
        seen = [said(board)]
        with host.restrict(deny=["finder"]):
            seen.append(said(board))
        seen.append(said(board))

    assert seen == [["finder"], ["rare"], ["finder"]]


async def test_the_finder_is_never_kept_back_itself() -> None:
    marked = attrs.evolve(FINDER, defer_loading=True)
    async with finding(RARE, finder=marked) as (_, board, deferral):
        assert (said(board), waiting(board)) == (["finder"], ["rare"])
        assert deferral.show(["finder"]) == ()
        assert not board.definitions()[0].defer_loading


async def test_tools_that_come_and_go_while_some_are_found_are_each_shown_as_they_are() -> None:
    marked = [attrs.evolve(named(f"rare_{n}"), defer_loading=True) for n in range(20)]
    async with finding() as (host, board, deferral):

        async def come_and_go(number: int) -> None:
            for _ in range(10):
                with host.register(marked[number]):
                    await asyncio.sleep(0)
                    if number % 2:
                        deferral.show([f"rare_{number}"])
                    assert (f"rare_{number}" in said(board)) is bool(number % 2)
                await asyncio.sleep(0)

        await asyncio.gather(*map(come_and_go, range(20)))

        assert deferral.found == {f"rare_{n}" for n in range(1, 20, 2)}
        assert said(board) == waiting(board) == []
