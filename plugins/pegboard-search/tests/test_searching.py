"""What a search finds, shows and answers."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Failure, PluginLoadError, Tool, ToolCall
from pegboard_services import tools_of_services

Made = Callable[..., Tool]


@pytest.fixture(scope="module")
def services() -> list[Tool]:
    """Tools of many services."""
    return tools_of_services()


async def test_a_search_shows_what_it_finds_from_the_next_turn_on(desk: Any, made: Made) -> None:
    tools = [made("invoice_find", "Find invoices."), made("door_lock", "Lock a door.")]
    async with desk(*tools) as it:
        before = it.said, it.board.revision
        found = await it.names("invoices of this year")
        after = it.said, it.board.revision
        again = await it.names("invoices of this year"), it.board.revision

    assert (before, after) == (
        (["tools_search"], 0),
        (["invoice_find", "tools_search"], 1),
    )
    assert found == ["invoice_find"]
    assert again == (found, 1)


async def test_what_is_found_says_how_it_is_called(desk: Any, services: list[Tool]) -> None:
    async with desk(*services) as it:
        (found, *_) = (await it.value("mail_send"))["tools"]

    assert found == {
        "name": "mail_send",
        "description": "Send an e-mail, to one or more people, at once or later.",
        "required": ["to", "subject", "body"],
        "optional": ["send_at"],
    }


async def test_a_long_description_is_cut_and_many_parameters_are_too(desk: Any, made: Made) -> None:
    many: dict[str, Any] = {f"p{number}": {} for number in range(300)}
    async with desk(
        made("a", "First. " * 900 + "\n\nSecond.", many), made("b", "B.\n\nMore.")
    ) as it:
        (a, b) = [(await it.value(name))["tools"][0] for name in ("a", "b")]

    assert len(a["description"]) < 500
    assert len(a["optional"]) < 50
    assert b["description"] == "B."


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("issue_list", "issue_list"),
        ("ISSUE_LIST", "issue_list"),
        ("issue list", "issue_list"),
        ("issue-list", "issue_list"),
        ("`issue_list`, please", "issue_list"),
        ("use pipeline-rerun on build 7", "pipeline-rerun"),
        ("mergePullRequest", "mergePullRequest"),
        ("merge_pull_request", "mergePullRequest"),
    ],
)
async def test_an_exact_name_comes_first(
    desk: Any, services: list[Tool], query: str, first: str
) -> None:
    async with desk(*services) as it:
        found = await it.names(query)

    assert found[0] == first


async def test_several_names_at_once_are_all_found(desk: Any, services: list[Tool]) -> None:
    wanted = ["mail_reply", "pipeline-cancel", "issue_get"]
    async with desk(*services) as it:
        found = await it.names(", ".join(wanted))

    assert found[:3] == wanted


async def test_the_beginning_of_a_name_finds_what_begins_so(
    desk: Any, services: list[Tool]
) -> None:
    async with desk(*services) as it:
        found = await it.names("sprint_", limit=20)

    assert found[0] == "sprint_get"
    assert all(each.startswith("sprint_") for each in found[:3])


async def test_a_search_finds_as_many_as_it_is_asked_for(desk: Any, services: list[Tool]) -> None:
    async with desk(*services, limit=3) as it:
        counts = [len(await it.names("create", **given)) for given in ({}, {"limit": 20})]
        refused = await it.outcome("create", limit=21)

    assert counts == [3, 20]
    assert isinstance(refused, Failure)
    assert refused.code == "invalid_arguments"


@pytest.mark.parametrize("query", ["calandar_xdd", "calandar", "zzz calamity"])
async def test_where_nothing_is_found_the_nearest_names_are_said_and_nothing_is_shown(
    desk: Any, made: Made, query: str
) -> None:
    async with desk(made("calendar_add", "Plan."), made("door_lock", "Lock.")) as it:
        value = await it.value(query)

        assert value["tools"] == []
        assert "nearest names are 'calendar_add': search for one" in value["notes"][0]
        assert it.said == ["tools_search"]


async def test_where_nothing_is_near_the_note_says_what_to_do(desk: Any, made: Made) -> None:
    async with desk(made("a", "A.")) as it:
        value = await it.value("zebra")

    assert value["tools"] == []
    assert "nearest" not in value["notes"][0]
    assert value["notes"][0].startswith("no tool was found; search in other words")


async def test_only_tools_that_wait_are_found_unless_the_operator_says_otherwise(
    desk: Any, made: Made
) -> None:
    shown = made("zebra_count", "Count zebras.", defer_loading=False)
    waits = made("zebra_find", "Find zebras.")
    async with desk(shown, waits) as it:
        narrow = await it.names("zebras")
    async with desk(shown, waits, only_deferred=False) as it:
        wide = await it.names("zebras")
        own = await it.names("find tools by what they do")

    assert (narrow, sorted(wide)) == (["zebra_find"], ["zebra_count", "zebra_find"])
    assert "tools_search" not in own


async def test_a_tool_that_is_shown_anyway_is_said_to_be_there(desk: Any, made: Made) -> None:
    tools = [made("door_lock", "Lock a door."), made("room_list", defer_loading=False)]
    async with desk(*tools) as it:
        alone, both = [await it.value(each) for each in ("Room list", "room_list and door_lock")]

    there = "among your tools already: 'room_list'"
    assert alone == {"tools": [], "notes": [there]}
    assert ([each["name"] for each in both["tools"]], both["notes"]) == (["door_lock"], [there])


async def test_what_is_hidden_is_not_said_to_be_there(desk: Any, made: Made) -> None:
    tools = [made("room_book"), made("room_list", defer_loading=False)]
    async with desk(*tools, board={"deny": ["room_list"]}) as it:
        value = await it.value("room_list")

    assert "room_list" not in repr(value)


@pytest.mark.parametrize("waits", [True, False], ids=["with", "without"])
async def test_a_search_among_no_tools_says_that_there_are_none(
    desk: Any, made: Made, waits: bool
) -> None:
    tools = [made("room_list", "List rooms.", defer_loading=False)]
    async with desk(*tools, *([made("door_lock", "Lock a door.")] if waits else [])) as it:
        (note,) = (await it.value("invoices"))["notes"]

    assert ("nothing waits to be found" in note) is not waits


async def test_found_tools_are_found_again(desk: Any, made: Made) -> None:
    async with desk(made("zebra_find", "Find zebras.")) as it:
        assert await it.names("zebra") == await it.names("zebra") == ["zebra_find"]


async def test_the_boards_that_are_meant_and_those_below_them_keep_tools_back(
    desk: Any, made: Made
) -> None:
    async with desk(made("zebra"), boards=["agent-*"]) as it:
        agent = await it.host.board("agent-1")
        child = await it.host.board("inner", parent=agent)
        said = [[each.name for each in one.definitions()] for one in (it.board, agent, child)]

    assert said == [["zebra"], ["tools_search"], ["tools_search"]]


async def test_a_search_on_a_child_board_shows_nothing_on_its_parent(desk: Any, made: Made) -> None:
    async with desk(made("zebra", "Count zebras.")) as it:
        child = await it.host.board("inner", parent=it.board)
        await child.call("tools_search", {"query": "zebra"})

        assert [each.name for each in child.definitions()] == ["zebra", "tools_search"]
        assert it.said == ["tools_search"]


async def test_where_nothing_waits_there_is_no_search_to_be_seen(desk: Any, made: Made) -> None:
    async with desk(made("usual", defer_loading=False)) as it:
        before = it.said
        with it.host.register(made("zebra")):
            during = it.said

        assert (before, during, it.said) == (["usual"], ["usual", "tools_search"], ["usual"])


async def test_a_search_and_a_call_of_what_it_finds_may_stand_in_one_message(
    desk: Any, made: Made
) -> None:
    calls = [ToolCall("1", "tools_search", {"query": "zebra"}), ToolCall("2", "zebra", {})]
    async with desk(made("zebra", "Count zebras.")) as it:
        outcomes = await it.board.run(calls)

    assert [each.is_error for each in outcomes] == [False, False]


async def test_the_cards_of_a_search_show_what_was_asked_and_found(desk: Any, made: Made) -> None:
    call = ToolCall("1", "tools_search", {"query": "zebra\n\0 count " * 99})
    async with desk(made("zebra", "Count\nzebras.")) as it:
        asked = it.board.present(call)
        found = it.board.present(call, await it.board.call(call))
        odd = it.board.present(ToolCall("1", "tools_search", {"query": 7, "more": []}))

    assert asked.kind == found.kind == odd.kind == "generic"
    assert asked.title.startswith("Find tools: zebra")
    assert len(asked.title) < 150
    assert found.content[0].text == "zebra: Count zebras."


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 21}, "limit"),
        ({"boards": "agent"}, "boards"),
        ({"only_defered": False}, "only_deferred"),
    ],
)
async def test_settings_that_can_not_be_meant_fail_the_plugin(
    desk: Any, settings: Any, words: str
) -> None:
    with pytest.raises(PluginLoadError, match=words):
        async with desk(**settings):
            pass
