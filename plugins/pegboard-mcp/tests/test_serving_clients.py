"""What a served tool knows of its client and asks of it, in both eras of the protocol."""

import asyncio
from typing import Any

import mcp_types as t
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pegboard import Ask, RunContext, WrongArgumentError, tool
from pegboard_mcp import BoardServer, InputRequired, McpClient, calling_client
from pegboard_serving import Person, board_with, eras, texts


def elicit(message: str, name: str) -> t.ElicitRequest:
    """A form with one field for text."""
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    return t.ElicitRequest(
        params=t.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def client_of() -> McpClient:
    """The client that calls."""
    found = calling_client()
    assert found is not None
    return found


@tool
async def greet() -> str:
    """Ask for a name, then for a colour."""
    client = client_of()
    kept: Any = client.state or {}
    if "name" in client.responses:
        kept = {"name": client.responses["name"].content["name"]}
    if "colour" in client.responses:
        return f"{kept['name']} likes {client.responses['colour'].content['colour']}"
    asked = "colour" if kept else "name"
    raise InputRequired({asked: elicit(f"Your {asked}?", asked)}, kept)


@tool
async def look() -> str:
    """Ask for roots and for what a model says."""
    client = client_of()
    if not client.responses:
        said = t.SamplingMessage(role="user", content=t.TextContent(type="text", text="Hi"))
        params = t.CreateMessageRequestParams(messages=[said], max_tokens=10)
        raise InputRequired(
            {"roots": t.ListRootsRequest(), "model": t.CreateMessageRequest(params=params)}
        )
    root = client.responses["roots"].roots[0]
    return f"{root.uri} {client.responses['model'].content.text}"


class Answering:
    """Answers every form with the name of its field."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fill(self, _: object, params: Any) -> t.ElicitResult:
        self.asked.append(params.message)
        field = next(iter(params.requested_schema["properties"]))
        content = {field: "once" if field == "answer" else f"my {field}"}
        return t.ElicitResult(action="accept", content=content)


async def roots(_: object) -> t.ListRootsResult:
    """One root."""
    return t.ListRootsResult(roots=[t.Root(uri="file:///data")])


async def sampled(_: object, params: Any) -> t.CreateMessageResult:
    """What a model says."""
    content = t.TextContent(type="text", text="Hello")
    return t.CreateMessageResult(role="assistant", content=content, model="m")


@eras
async def test_a_tool_asks_until_it_has_everything(era: str) -> None:
    person = Answering()

    async with (
        board_with(greet) as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        result = await client.call_tool("greet", {})

    assert texts(result) == "my name likes my colour"
    assert person.asked == ["Your name?", "Your colour?"]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@eras
async def test_a_tool_asks_for_roots_and_for_what_a_model_says(era: str) -> None:
    options: Any = {"list_roots_callback": roots, "sampling_callback": sampled}

    async with (
        board_with(look) as (_, board),
        Client(BoardServer(board), mode=era, **options) as client,
    ):
        result = await client.call_tool("look", {})

    assert texts(result) == "file:///data Hello"


@eras
async def test_an_approval_is_asked_for_once_however_often_the_tool_asks(era: str) -> None:
    person = Answering()

    async with board_with(greet) as (host, board):
        host.hook(before_call=lambda execution: Ask("sure?"))
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("greet", {})

    assert texts(result) == "my name likes my colour"
    assert ["approval" in each for each in person.asked] == [True, False, False]


async def test_a_modern_client_without_the_capability_gets_an_error_that_names_it() -> None:
    async with board_with(look) as (_, board), Client(BoardServer(board)) as client:
        with pytest.raises(MCPError) as error:
            await client.call_tool("look", {})

    assert error.value.code == -32021
    assert error.value.data == {"requiredCapabilities": {"roots": {}, "sampling": {}}}


async def test_an_older_client_without_the_capability_gets_a_failure_that_names_it() -> None:
    async with board_with(greet) as (_, board), Client(BoardServer(board), mode="legacy") as client:
        result = await client.call_tool("greet", {})

    assert result.is_error
    assert texts(result) == "Error: the client lacks elicitation, which the tool needs"


async def test_a_client_that_refuses_to_answer_gets_a_failure_with_its_words() -> None:
    async def refuse(_: object, params: Any) -> t.ErrorData:
        return t.ErrorData(code=-32000, message="nobody is here")

    async with (
        board_with(greet) as (_, board),
        Client(BoardServer(board), mode="legacy", elicitation_callback=refuse) as client,
    ):
        result = await client.call_tool("greet", {})

    assert result.is_error
    assert texts(result) == "Error: the client has given no answer: nobody is here"


@eras
async def test_a_tool_that_never_has_enough_is_stopped(era: str) -> None:
    person = Person(content={"name": "Pi"})

    @tool
    async def greedy() -> str:
        """Ask for ever."""
        raise InputRequired({"name": elicit("Your name?", "name")})

    async with (
        board_with(greedy) as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        if era == "legacy":
            assert (await client.call_tool("greedy", {})).is_error
        else:
            with pytest.raises(RuntimeError, match="10 rounds"):
                await client.call_tool("greedy", {})


@eras
async def test_a_tool_knows_its_client(era: str) -> None:
    seen: list[McpClient] = []

    @tool
    def peek() -> str:
        """Look, in a thread."""
        seen.append(client_of())
        return "seen"

    async with board_with(peek) as (_, board):
        info = t.Implementation(name="example", version="3")
        async with Client(BoardServer(board), mode=era, client_info=info) as client:
            await client.call_tool("peek", {})
            version = client.protocol_version

    [found] = seen
    assert (found.protocol_version, found.info) == (version, info)
    assert (found.responses, found.state, found.capabilities.sampling) == ({}, None, None)


async def test_a_call_of_the_program_has_no_client() -> None:
    @tool
    async def peek() -> bool:
        """Look."""
        return calling_client() is None

    async with board_with(peek, greet) as (_, board):
        assert (await board.call("peek")).unwrap()
        async with Client(BoardServer(board)) as client:
            await client.call_tool("peek", {})
            assert calling_client() is None


async def test_asking_for_input_is_a_failure_where_nobody_is_there_to_ask() -> None:
    @tool
    async def ask() -> str:
        """Ask."""
        raise InputRequired({"name": elicit("Your name?", "name")})

    async with board_with(ask) as (_, board):
        outcome = await board.call("ask")

    assert (outcome.is_error, outcome.code) == (True, "tool_error")
    assert outcome.message == (
        "an MCP client has to answer first: 'name'; "
        "only the tool that a client itself has called can ask it"
    )


@eras
async def test_a_tool_inside_a_call_cannot_ask_and_says_so(era: str) -> None:
    person = Answering()

    @tool
    async def outer(context: RunContext) -> str:
        """Have another tool greet."""
        return str((await context.call("greet", {})).unwrap())

    async with (
        board_with(outer, greet) as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        result = await client.call_tool("outer", {})

    assert (result.is_error, person.asked) == (True, [])
    assert "only the tool that a client itself has called can ask it" in texts(result)


@eras
async def test_what_a_body_was_allowed_is_asked_again_when_it_runs_again(era: str) -> None:
    person = Answering()

    @tool
    async def order(context: RunContext) -> str:
        """Ask, have something paid, and ask for a name."""
        answer = await context.ask("order?")
        (await context.call("pay", {})).unwrap()
        if "name" not in client_of().responses:
            raise InputRequired({"name": elicit("Your name?", "name")})
        return answer

    @tool
    async def pay() -> None:
        """Pay."""

    async with board_with(order, pay) as (host, board):
        host.hook(before_call=lambda execution: Ask("sure?") if execution.tool == "pay" else None)
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("order", {})

    asked = [each.splitlines()[0].partition(" ")[0] for each in person.asked]
    assert texts(result) == "once"
    assert asked == ["order", "pay", "Your", "order", "pay"]


def test_only_requests_of_the_protocol_can_be_asked_for() -> None:
    wrong: Any = {"name": {"method": "elicitation/create"}}

    with pytest.raises(WrongArgumentError, match="request 'name' is a request of MCP, not dict"):
        InputRequired(wrong)


async def logged(era: str, *, least: str | None) -> list[Any]:
    """What a client's log gets of three messages."""
    got: list[Any] = []

    @tool
    async def talk(context: RunContext) -> str:
        """Talk."""
        for level in ("debug", "info", "error"):
            await client_of().log(level, {"level": level}, logger="talk")
        return "said"

    async def take(params: Any) -> None:
        got.append((params.level, params.data, params.logger))

    async with (
        board_with(talk) as (_, board),
        Client(BoardServer(board), mode=era, logging_callback=take) as client,
    ):
        meta: Any = None
        if least and era == "legacy":
            await client.session.send_request(
                t.SetLevelRequest(params=t.SetLevelRequestParams(level=least)), t.EmptyResult
            )
        elif least:
            meta = {"io.modelcontextprotocol/logLevel": least}
        await client.call_tool("talk", {}, meta=meta)
        await asyncio.sleep(0)
    return [level for level, data, logger in got if (data, logger) == ({"level": level}, "talk")]


@pytest.mark.parametrize("data", ["\ud800", float("nan"), object(), {1}])
@eras
async def test_a_message_that_is_no_json_is_a_mistake_of_the_tool(era: str, data: Any) -> None:
    @tool
    async def talk() -> None:
        """Talk."""
        await client_of().log("error", data)

    async with board_with(talk) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("talk", {})

    assert result.is_error
    assert "a message for a log is JSON" in texts(result)


@pytest.mark.parametrize(
    ("era", "least", "levels"),
    [
        ("legacy", None, ["debug", "info", "error"]),
        ("legacy", "info", ["info", "error"]),
        ("auto", None, []),
        ("auto", "info", ["info", "error"]),
    ],
)
async def test_a_client_gets_the_messages_that_it_wants(
    era: str, least: str | None, levels: list[str]
) -> None:
    assert await logged(era, least=least) == levels
