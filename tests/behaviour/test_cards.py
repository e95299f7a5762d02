"""Cards: what a user interface shows of calls, as they are made and from a log."""

import json
from pathlib import Path
from typing import Annotated, Any

from pegboard import (
    JSON,
    Board,
    Card,
    Config,
    DiffCard,
    GenericCard,
    Host,
    Outcome,
    Output,
    PluginConfig,
    Secret,
    TerminalCard,
    Tool,
    ToolCall,
    tool,
)
from pegboard.records import call_from_json, outcome_from_json, to_json
from pegboard_offers import Offering, named


def edits(arguments: JSON) -> DiffCard:
    """The card of a call of `edit`."""
    return DiffCard(arguments["path"], before=arguments["old"], after=arguments["new"])


def edited(arguments: JSON, outcome: Outcome) -> JSON:
    """The card of its outcome, from the meta."""
    meta: Any = getattr(outcome, "meta", None)
    return {"kind": "diff", "path": arguments["path"], "patch": meta["patch"]}


def editing(ran: list[str]) -> Tool:
    """A tool that notes when it runs."""

    @tool(
        title="Edit a file",
        present_call=edits,
        present_result=edited,
        output=Output(meta=lambda arguments, value: {"patch": f"-{arguments['old']}"}),
    )
    async def edit(path: str, old: str, new: str) -> str:
        ran.append(path)
        return "done"

    return edit


@tool
async def log_in(user: str, password: Annotated[str, Secret]) -> str:
    """Log in."""
    return f"hello {user}"


async def presented(board: Board, name: str, arguments: JSON) -> GenericCard:
    """The card of an outcome, which must be a generic one."""
    call = ToolCall("1", name, arguments)
    card = board.present(call, await board.call(call))
    assert type(card) is GenericCard
    return card


async def test_a_tool_without_presenters_has_a_card_of_its_arguments_and_content() -> None:
    async with Host(discover=False) as host:
        host.register(log_in)
        board = await host.board("a")

        card = await presented(board, "log_in", {"user": "Pi", "password": "abc"})

    assert card == GenericCard("log_in", fields={"user": "Pi", "password": "…"}, content="hello Pi")


async def test_a_presenter_sees_no_secret_either() -> None:
    @tool(present_call=lambda arguments: {"kind": "generic", "fields": arguments})
    async def unlock(door: str, code: Annotated[str, Secret]) -> None:
        """Unlock it."""

    async with Host(discover=False) as host:
        host.register(unlock)
        board = await host.board("a")

        card = board.present(ToolCall("1", "unlock", {"door": "d", "code": "1234"}))

    assert card == GenericCard("unlock", fields={"door": "d", "code": "…"})


async def test_a_key_that_the_tool_does_not_declare_does_not_show() -> None:
    async with Host(discover=False) as host:
        host.register(log_in)
        board = await host.board("a")

        card = await presented(board, "log_in", {"user": "Pi", "pass": "abc"})

    assert card.is_error
    assert card.fields == {"user": "Pi", "pass": "…"}


async def test_arguments_that_are_no_object_do_not_show() -> None:
    async with Host(discover=False) as host:
        host.register(log_in)
        board = await host.board("a")

        card = await presented(board, "log_in", '{"password": "abc"')

    assert (card.fields, card.is_error) == ({}, True)


async def test_a_hidden_tool_has_the_same_card_as_one_that_is_not_there() -> None:
    async with Host(discover=False) as host:
        host.register(editing([]))
        open_board, board = await host.board("a"), await host.board("b", deny=["edit"])
        call = ToolCall("1", "edit", {"path": "a.txt", "old": "x", "new": "y"})

        assert open_board.present(call).kind == "diff"
        assert board.present(call) == GenericCard("edit", fields=dict.fromkeys(call.arguments, "…"))


async def test_the_card_of_a_tool_that_has_gone_shows_its_outcome_and_no_values() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering((named("web_get", gives="a page"),)), name="web")
        board = await host.board("a")
        call = ToolCall("1", "web_get", {"url": "https://example.org"})
        outcome = await board.call(call)
        await host.unload("web")

        card = board.present(call, outcome)

    assert card == GenericCard("web_get", fields={"url": "…"}, content="a page")


async def test_a_tool_that_was_renamed_is_shown_under_the_name_of_the_call() -> None:
    config = Config(plugins={"web": PluginConfig(prefix="w_")})
    async with Host(config, discover=False) as host:
        await host.load(Offering(("get",)), name="web")
        board = await host.board("a")

        assert board.present(ToolCall("1", "w_get")) == GenericCard("w_get")


async def test_a_board_that_is_closed_still_shows_cards() -> None:
    async with Host(discover=False) as host:
        host.register(editing([]))
        board = await host.board("a")
        await board.close()

        card = board.present(ToolCall("1", "edit", {"path": "a", "old": "x", "new": "y"}))

    assert card == DiffCard("a", before="x", after="y", title="Edit a file")


CALLS = [
    ToolCall("1", "edit", {"path": "a.txt", "old": "x", "new": "y"}),
    ToolCall("2", "edit", '{"path": "b.txt"}'),
    ToolCall("3", "nobody", {}),
]


async def shown_and_logged(board: Board, log: Path) -> list[Card]:
    """The cards of the calls and of their outcomes; both are written to a log."""
    cards: list[Card] = []
    with log.open("w", encoding="utf-8") as lines:
        for call in CALLS:
            outcome = await board.call(call)
            cards += [board.present(call), board.present(call, outcome)]
            lines.write(json.dumps([to_json(call), to_json(outcome)]) + "\n")
    return cards


def replayed(board: Board, log: Path) -> list[Card]:
    """The cards of what a log holds."""
    cards: list[Card] = []
    for line in log.read_text(encoding="utf-8").splitlines():
        call, outcome = json.loads(line)
        read = call_from_json(call)
        cards += [board.present(read), board.present(read, outcome_from_json(outcome))]
    return cards


async def test_a_log_is_replayed_as_equal_cards_without_running_any_body(tmp_path: Path) -> None:
    ran: list[str] = []
    log = tmp_path / "calls.jsonl"
    async with Host(discover=False) as host:
        host.register(editing(ran))
        shown = await shown_and_logged(await host.board("a"), log)

    async with Host(discover=False) as host:
        host.register(editing(ran))
        assert replayed(await host.board("another"), log) == shown

    assert [each.kind for each in shown] == ["diff", "diff", *["generic"] * 4]
    assert ran == ["a.txt"]


async def test_a_card_of_a_later_version_is_made_of_what_an_earlier_one_logged() -> None:
    @tool(present_call=lambda arguments: TerminalCard(arguments.get("command", "?")))
    async def shell(command: str, timeout: float = 1.0) -> None:
        """Run it."""

    async with Host(discover=False) as host:
        host.register(shell)
        board = await host.board("a")

        card = board.present(ToolCall("1", "shell", {"cmd": "ls"}))

    assert card == TerminalCard("?", title="shell")
