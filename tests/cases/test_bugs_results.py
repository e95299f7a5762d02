"""The bugs of section Results."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Code,
    Config,
    Content,
    Failure,
    Host,
    Image,
    Output,
    PluginConfig,
    RunContext,
    Text,
    Tool,
    ToolError,
    formats,
    tool,
)
from pegboard_cases import board_with, call, giving, raw, refusal, says

SECRET = "https://example.org/?key=tok-123"
MASKED = Config(mask_errors=True)
LARGE = "ö" * 6_000_000


class MuteError(Exception):
    """An exception that can't say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


ERRORS = {
    "TimeoutError": TimeoutError(),
    "AssertionError": AssertionError(),
    "'k'": KeyError("k"),
    "MuteError": MuteError(),
    "deep": ExceptionGroup("", [ValueError("deep"), OSError()]),
    "deeper": ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError("deeper")]), OSError()]),
    "Exception": Exception(""),
    "ValueError": ValueError("  \n"),
}


def raising(error: BaseException) -> Tool:
    """A tool that raises."""

    def fail(arguments: JSON, context: RunContext) -> None:
        raise error

    return raw(fail, name="fail")


@pytest.mark.parametrize("word", ERRORS)
async def test_b_030_every_failure_has_id_name_code_and_text(word: str) -> None:
    outcome = await call(raising(ERRORS[word]))

    assert isinstance(outcome, Failure)
    assert (outcome.call_id, outcome.tool, outcome.code) == ("call-1", "fail", Code.CRASHED)
    assert says(outcome.message, word)
    assert outcome.content == (Text(f"Error: {outcome.message}"),)


@attrs.frozen
class Exiting:
    """A type whose validator does what no validator should."""

    error: str = attrs.field()

    @error.validator
    def _check(self, attribute: Any, value: str) -> None:
        raise RAISED[value]


def build(given: Exiting) -> None:
    """Build."""


def renders(name: str) -> Tool:
    """A tool whose renderer raises."""

    def render(arguments: JSON, value: JSON) -> list[Content]:
        raise RAISED[name]

    return giving(1, render=render)


RAISED: dict[str, BaseException] = {
    "SystemExit": SystemExit(3),
    "KeyboardInterrupt": KeyboardInterrupt(),
    "GeneratorExit": GeneratorExit(),
    "CancelledError": asyncio.CancelledError(),
    "MuteError": MuteError(),
}


@pytest.mark.parametrize("name", RAISED)
async def test_b_030_whatever_the_validator_of_a_type_raises_is_one_failure(name: str) -> None:
    message = await refusal(tool(build), {"given": {"error": name}})

    assert says(message, "$.given.error", name)


@pytest.mark.parametrize("name", RAISED)
async def test_b_030_whatever_a_renderer_raises_is_one_failure(name: str) -> None:
    assert says(await refusal(renders(name), code=Code.INVALID_OUTPUT), name)


@pytest.mark.parametrize("name", RAISED)
async def test_b_030_whatever_a_body_raises_is_one_failure(name: str) -> None:
    assert (await refusal(raising(RAISED[name]), code=Code.CRASHED)).strip()


@pytest.mark.parametrize("details", [["x"], "x", {1: 2}, {"x": {1}}], ids=repr)
async def test_b_030_a_tool_error_with_details_that_are_none_keeps_its_text(details: Any) -> None:
    error = ToolError("plain words", details=details)

    assert says(await refusal(raising(error), code=Code.TOOL_ERROR), "plain words", "left out")


@pytest.mark.parametrize("error", [ToolError(""), ToolError(" ", code="E")], ids=repr)
async def test_b_030_a_tool_error_without_text_has_one_too(error: ToolError) -> None:
    assert says(await refusal(raising(error), code=Code.TOOL_ERROR), "ToolError")


@pytest.mark.parametrize("shape", ["anthropic", "openai", "openai_responses", "gemini", "mcp"])
async def test_b_030_a_provider_is_sent_the_text_of_a_failure(shape: str) -> None:
    outcome = await call(raising(TimeoutError()))

    sent = repr(getattr(formats, shape).results([outcome]))

    assert says(sent, "Error: TimeoutError")


def failing_with(content: list[Content]) -> Tool:
    """A tool that raises a ToolError with content."""
    return raising(ToolError("too much", content=content))


def repeating() -> Iterator[str]:
    """Give too much, one thing after the other."""
    yield from ["x" * 6_500_000] * 100


TOO_LARGE = {
    "text": giving(LARGE),
    "text of a typed function": tool(lambda: LARGE, name="say"),
    "image": giving(Image(LARGE, "image/png")),
    "many blocks": giving([Text(LARGE[:4_000_000]), Text(LARGE[:4_000_000])]),
    "rendered": giving(1, render=lambda arguments, value: [Text(LARGE)]),
    "meta": giving(1, meta=lambda arguments, value: LARGE),
    "iterator": tool(repeating),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
async def test_b_031_too_much_is_refused_with_the_limit_and_the_size_and_nothing_is_cut(
    kind: str,
) -> None:
    """The content of MCP tools comes with their plugin."""
    message = await refusal(TOO_LARGE[kind], code=Code.INVALID_OUTPUT)

    assert says(message, "10485760")
    assert re.search(r"\b1[2-6][0-9]{6} bytes", message)
    assert len(message) < 1_000


async def test_b_031_too_much_content_of_a_tool_error_is_left_out_and_said() -> None:
    outcome = await call(failing_with([Text(LARGE)]))

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TOOL_ERROR
    assert says(outcome.message, "too much", "left out", "10485760")
    assert outcome.content == (Text(f"Error: {outcome.message}"),)


async def test_b_031_what_is_just_small_enough_is_whole() -> None:
    text = LARGE[: 5 * 2**20 - 1]

    outcome = await call(giving(text))

    assert outcome.unwrap() == text
    assert outcome.content == (Text(text),)


async def test_b_031_the_configured_limit_holds_for_everything_that_a_tool_gives() -> None:
    config = Config(max_bytes=100)
    error = raising(ToolError("m", details={"x": "y" * 200}))

    outcome = await call(error, config=config)

    assert isinstance(outcome, Failure)
    assert says(outcome.message, "left out", "100")
    assert says(
        await refusal(giving("x" * 99), code=Code.INVALID_OUTPUT, config=config), "100", "101"
    )


def revealing() -> Iterator[str]:
    """Raise with a secret after the first thing."""
    yield "first"
    raise RuntimeError(SECRET)


def paints_secrets(arguments: JSON, value: JSON) -> list[Content]:
    """Raise with a secret."""
    raise RuntimeError(SECRET)


REVEALING = {
    "body": raising(RuntimeError(SECRET)),
    "group": raising(ExceptionGroup(SECRET, [RuntimeError(SECRET)])),
    "key": raising(KeyError(SECRET)),
    "exit": raising(SystemExit(SECRET)),
    "iterator": tool(revealing),
    "renderer": giving(1, render=paints_secrets),
    "meta": giving(1, meta=paints_secrets),
    "renderer of a typed function": tool(
        lambda: 1, name="show", output=Output(render=paints_secrets)
    ),
}


@pytest.mark.parametrize("kind", REVEALING)
async def test_b_032_a_masked_text_is_kept_from_model_and_outcome_and_is_in_the_log(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = await call(REVEALING[kind], config=MASKED)

    sent = repr(formats.anthropic.results([outcome]))
    assert outcome.is_error
    assert "tok-123" not in repr(outcome) + sent
    assert "tok-123" in caplog.text


@pytest.mark.parametrize("kind", REVEALING)
async def test_b_032_a_model_reads_no_traceback(kind: str) -> None:
    outcome = await call(REVEALING[kind])

    assert outcome.is_error
    assert not any(word in repr(outcome) for word in ("Traceback", "File ", ".py", __file__))


async def test_b_032_a_masked_failure_still_says_what_kind_it_is() -> None:
    assert says(await refusal(REVEALING["body"], code=Code.CRASHED, config=MASKED), "RuntimeError")


async def test_b_032_a_tool_error_is_written_for_the_model_and_is_not_masked() -> None:
    message = await refusal(raising(ToolError("try")), code=Code.TOOL_ERROR, config=MASKED)

    assert message == "try"


def test_b_032_the_text_of_a_configuration_holds_no_settings() -> None:
    config = Config(plugins={"web": PluginConfig(settings={"url": SECRET})}, mask_errors=True)

    assert "tok-123" not in repr(config)


async def test_b_032_a_guard_that_raises_keeps_its_text_from_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(execution: Any) -> None:
        raise RuntimeError(SECRET)

    async with board_with(giving(1), config=MASKED) as board:
        board.guard(refuse)

        outcome = await board.call("raw", {})

    assert "tok-123" not in repr(outcome)
    assert "tok-123" in caplog.text


FILLED: dict[str, JSON] = {
    "pattern": "SECRET",
    "content": "overwritten",
    "edits": [{"old": "SECRET", "new": "overwritten"}],
}
LEAVING = ["../music_secret/a", "link/a", "inner/../../music_secret/a", "a\x00b", "linked"]


@pytest.fixture
def music(tmp_path: Path) -> Path:
    """A root folder with a secret one beside it, and links that lead there."""
    root, secret = tmp_path / "music", tmp_path / "music_secret"
    (root / "inner").mkdir(parents=True)
    secret.mkdir()
    (secret / "a").write_text("SECRET")
    (root / "link").symlink_to(secret)
    (root / "linked").symlink_to(secret / "a")
    return root


def arguments_for(made: Tool, path: str) -> dict[str, JSON]:
    """Arguments of a tool with a path: this one, and something for the rest that it needs."""
    required = made.parameters.get("required", [])
    return {"path": path} | {name: FILLED[name] for name in required if name != "path"}


@pytest.mark.parametrize("plugin", ["files"])
@pytest.mark.parametrize("path", [*LEAVING, "{secret}"])
async def test_b_033_no_tool_of_a_plugin_with_a_root_leaves_it(
    plugin: str, path: str, music: Path
) -> None:
    secret = music.parent / "music_secret" / "a"
    async with Host(discover=False) as host:
        await host.load(plugin, settings={"root": str(music)})
        board = await host.board("a")
        sent = path.format(secret=secret)
        tools = [each for each in board.tools.values() if "path" in each.parameters["properties"]]
        outcomes = [await board.call(each.name, arguments_for(each, sent)) for each in tools]

    assert tools
    assert all(each.is_error for each in outcomes)
    assert not any("SECRET" in repr(each) for each in outcomes)
    assert (secret.read_text(), [*secret.parent.iterdir()]) == ("SECRET", [secret])
