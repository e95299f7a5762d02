"""What a board with programs shows: definitions in every shape, its revision, and explanations."""

from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Board,
    Code,
    Config,
    GenericCard,
    Output,
    ReservedNameError,
    Select,
    Tool,
    ToolAnnotations,
    ToolCall,
    ToolConfig,
    formats,
)
from pegboard_cases import named, raw, says
from pegboard_policies import failed, kind, succeeded
from pegboard_programs import Inside, asked, coded, nothing, running

SHAPES = ["anthropic", "openai", "openai_responses", "gemini", "mcp", "pi"]
KINDS = {"native": {"echo"}, "code": {"run_code"}, "both": {"echo", "run_code"}}


def said(board: Board) -> set[str]:
    """The names of what a model is shown."""
    return {each.name for each in board.definitions()}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("presentation", KINDS)
async def test_every_shape_shows_what_the_presentation_says(shape: str, presentation: str) -> None:
    module = getattr(formats, shape)
    async with coded(nothing, named("echo"), presentation=presentation) as (_, board):
        text, losses = repr(module.definitions(board)), module.losses(board)
        encoded = board.encoded_definitions(shape).decode()

    for name in ("echo", "run_code"):
        is_shown = name in KINDS[presentation]
        assert (f"'name': '{name}'" in text) is is_shown
        assert (f'"name":"{name}"' in encoded) is is_shown
    assert {each.tool for each in losses} <= KINDS[presentation] | {"*"}


@pytest.mark.parametrize("shape", SHAPES)
async def test_the_definition_of_run_code_says_what_it_takes_and_what_programs_may_call(
    shape: str,
) -> None:
    async with coded(nothing, named("echo")) as (_, board):
        text = repr(getattr(formats, shape).definitions(board))

    assert says(text, "description", "code", "async def echo(", "ToolCallError", "tools[")


async def test_the_neutral_definition_of_run_code_is_the_same_on_every_run() -> None:
    seen = []
    for _ in range(2):
        async with coded(nothing, named("b"), named("a")) as (_, board):
            seen.append(board.definitions())

    assert seen[0] == seen[1]
    (definition,) = seen[0]
    assert set(definition.parameters["required"]) == {"description", "code"}


async def test_a_call_that_a_provider_sends_reaches_run_code() -> None:
    message = {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "p", "name": "run_code", "input": asked().arguments}
        ],
    }
    async with coded(nothing) as (_, board):
        outcomes = await board.run(formats.anthropic.calls(message, board))
        (result,) = formats.anthropic.results(outcomes)

    assert succeeded(outcomes[0]).value == {"result": None, "logs": ""}
    assert says(repr(result), "Result: null")


async def test_a_direct_call_of_another_tool_says_the_way_in() -> None:
    async with coded(nothing, named("echo")) as (_, board):
        known, unknown = await board.call("echo"), await board.call("ehco")

    assert says(failed(known, Code.UNKNOWN_TOOL).message, "'echo'", "programs", "'run_code'")
    assert says(failed(unknown, Code.UNKNOWN_TOOL).message, "'ehco'", "'run_code'")


@pytest.mark.parametrize("name", ["run_cod", "Run_Code"])
async def test_a_name_near_run_code_is_answered_with_it(name: str) -> None:
    async with coded(nothing, named("echo"), presentation="both") as (_, board):
        assert says(failed(await board.call(name), Code.UNKNOWN_TOOL).message, "run_code")


async def test_a_native_board_knows_no_run_code_and_says_why() -> None:
    async with coded(nothing, presentation="native") as (_, board):
        outcome = await board.call(asked())

    assert says(failed(outcome, Code.UNKNOWN_TOOL).message, "'case'", "native")


async def test_an_explanation_says_who_runs_programs() -> None:
    async with coded(nothing, named("echo")) as (_, board):
        explanation = board.explain("run_code")

    assert explanation.visible
    assert explanation.layer == "host"
    assert explanation.owner is not None
    assert explanation.owner.plugin == "runtime"
    assert says(str(explanation), "'code'", "'runtime'")


@pytest.mark.parametrize(("presentation", "is_said"), [("code", True), ("both", False)])
async def test_an_explanation_says_that_a_tool_is_for_programs_only(
    presentation: str, is_said: bool
) -> None:
    async with coded(nothing, named("echo"), presentation=presentation) as (_, board):
        explanation = board.explain("echo")

    assert explanation.visible
    kinds = [each.kind for each in explanation.reasons]
    assert ("presented" in kinds) is is_said


async def test_an_explanation_of_run_code_on_a_native_board_says_what_is_lacking() -> None:
    async with coded(nothing, presentation="native") as (_, board):
        explanation = board.explain("run_code")

    assert not explanation.visible
    assert says(str(explanation), "native", "reserved")


@pytest.mark.parametrize("presentation", KINDS)
async def test_every_board_gives_the_sdk_of_its_tools(presentation: str) -> None:
    async with coded(nothing, named("echo"), presentation=presentation) as (_, board):
        assert says(board.sdk, "async def echo(")


async def test_tools_that_a_mask_hides_are_not_for_programs_either() -> None:
    async def body(it: Inside) -> JSON:
        return list(it.sdk.names)

    async with coded(body, named("echo"), named("other")) as (_, board):
        board.restrict(deny=["oth*"])
        outcome = succeeded(await running(board))
        assert "other" not in board.sdk
        assert "other" not in repr(board.definitions())

    assert outcome.value["result"] == ["echo"]


@pytest.mark.parametrize("presentation", ["code", "both"])
@pytest.mark.parametrize("deny", [["*"], ["run_*"], [Select(plugin="runtime")]])
async def test_what_the_host_denies_reaches_run_code_too(
    presentation: str, deny: list[Any]
) -> None:
    async with coded(nothing, named("echo"), presentation=presentation) as (host, board):
        switch = host.restrict(deny=deny)
        hidden, outcome = said(board), await board.call(asked())
        explanation = board.explain("run_code")
        switch.close()
        shown = said(board)

    assert "run_code" not in hidden
    assert "run_code" in shown
    assert kind(outcome) == "unknown_tool"
    assert not explanation.visible
    assert says(str(explanation), "'run_code' is ")


async def test_an_exact_name_of_run_code_is_refused_as_no_mask_of_a_board_reaches_it() -> None:
    async with coded(nothing, named("echo")) as (host, board):
        for restrict in (board.restrict, host.restrict):
            with pytest.raises(ReservedNameError, match="run_code"):
                restrict(deny=["run_code"])


async def test_masks_of_a_board_do_not_hide_run_code() -> None:
    async with coded(nothing, named("echo")) as (_, board):
        board.restrict(deny=["*"])
        assert said(board) == {"run_code"}
        assert kind(await running(board)) == "ok"


async def test_no_tool_may_be_named_run_code() -> None:
    async with coded(nothing) as (host, board):
        for register in (host.register, board.register):
            with pytest.raises(Exception, match="reserved"):
                register(named("run_code"))


async def test_what_the_operator_says_of_run_code_holds() -> None:
    told = ToolConfig(
        timeout=7.5,
        description="Run it.",
        annotations=ToolAnnotations(destructive=True),
        concurrency_safe=True,
        max_running=2,
    )
    async with coded(nothing, config=Config(tools={"run_code": told})) as (_, board):
        made, (definition,) = board.tools["run_code"], board.definitions()
        mcp = formats.mcp.definitions(board)

    assert (made.timeout, made.concurrency_safe) == (7.5, True)
    assert definition.description.startswith("Run it.\n\n```python\n")
    assert "'destructiveHint': True" in repr(mcp)


async def test_a_pattern_of_the_configuration_reaches_run_code() -> None:
    async with coded(nothing, config=Config(tools={"run_*": ToolConfig(timeout=3)})) as (_, board):
        assert board.tools["run_code"].timeout == 3


async def test_the_card_of_a_program_shows_what_it_does_and_its_code() -> None:
    async with coded(nothing) as (_, board):
        card = board.present(asked(code="1 + 1"))
        odd = board.present(ToolCall("p", "run_code", {"code": 5}))

    assert isinstance(card, GenericCard)
    assert (card.title, card.fields) == ("A test.", {"code": "1 + 1"})
    assert odd.title == "Run code"


def described(text: str, output: JSON = None, **options: Any) -> Tool:
    """A tool with this description and output schema."""
    made = raw(lambda arguments, context: None, name="echo", output=Output(output), **options)
    return attrs.evolve(made, description=text)


READ_ONLY = ToolAnnotations(read_only=True)
CHANGES = {
    "nothing": (described("One."), set()),
    "its description": (described("Two."), set(KINDS)),
    "its output schema": (described("One.", {"type": "string"}), set(KINDS)),
    "its annotations": (described("One.", annotations=READ_ONLY), {"native", "both"}),
    "its time limit": (described("One.", timeout=5), set()),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("presentation", KINDS)
async def test_the_revision_moves_exactly_where_the_change_of_a_tool_shows(
    presentation: str, change: str
) -> None:
    after, moving = CHANGES[change]
    async with coded(nothing, presentation=presentation) as (host, board):
        before = host.register(described("One."))
        revision, definitions = board.revision, board.definitions()
        before.close()
        host.register(after)
        moved = board.revision != revision
        assert moved or definitions == board.definitions()

    assert moved is (presentation in moving)


@pytest.mark.parametrize("presentation", KINDS)
async def test_the_revision_stays_where_a_tool_changes_that_is_hidden(presentation: str) -> None:
    async with coded(nothing, presentation=presentation) as (host, board):
        board.restrict(deny=["ech*"])
        before = host.register(described("One."))
        revision = board.revision
        before.close()
        host.register(described("Two.", {"type": "string"}))
        host.guard(lambda execution: None)
        assert board.revision == revision


async def test_the_revision_moves_with_what_the_host_hides() -> None:
    async with coded(nothing, named("echo")) as (host, board):
        revisions = [board.revision]
        with host.restrict(deny=["echo"]):
            revisions.append(board.revision)
        revisions.append(board.revision)
        with host.restrict(deny=["run_*"]):
            revisions.append(board.revision)

    assert len(set(revisions)) == len(revisions)
