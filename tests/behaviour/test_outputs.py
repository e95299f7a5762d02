"""What a model reads of a huge result is bounded, and the whole is kept in a file."""

import re
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    Accept,
    Code,
    Config,
    Content,
    Host,
    Image,
    Outcome,
    Output,
    PluginConfig,
    RunContext,
    Text,
    Tool,
    ToolError,
    tool,
)
from pegboard_cases import raw
from pegboard_policies import failed, plugin, standing, succeeded

HUGE = "".join(f"line {number}\n" for number in range(2000))
IMAGE = Image("aGVsbG8=", "image/png")


def on(**said: Any) -> Config:
    """A configuration with a table for the plugin."""
    return Config(plugins={"outputs": PluginConfig(settings={"most": 1000, **said})})


@tool
async def huge() -> str:
    """Give a lot."""
    return HUGE


@tool
async def failing() -> str:
    """Fail at length."""
    raise ToolError(HUGE)


def text_of(outcome: Outcome) -> str:
    """What a model reads."""
    return "".join(each.text for each in outcome.content if isinstance(each, Text))


async def read_by(given: Tool, config: Config, **hooks: Any) -> Outcome:
    """The outcome of one call."""
    async with standing(given, config=config) as (host, board):
        if hooks:
            host.hook(**hooks)
        return await board.call(given.name, id="call/1")


async def test_a_model_reads_the_beginning_and_the_end_and_how_much_is_missing() -> None:
    outcome = succeeded(await read_by(huge, on()))

    text = text_of(outcome)
    found = re.search(rf"\n\[… (\d+) of {len(HUGE)} characters left out …\]\n", text)
    assert found
    assert len(text) <= 1000
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 1999\n")
    assert len(HUGE) - int(found[1]) == len(text) - len(found[0])


async def test_the_value_stays_whole() -> None:
    assert succeeded(await read_by(huge, on())).value == HUGE


@pytest.mark.parametrize("length", [0, 1, 999, 1000])
async def test_what_is_short_enough_is_left_as_it_is(length: int, tmp_path: Path) -> None:
    async def body(arguments: Any, context: RunContext) -> str:
        return "x" * length

    outcome = await read_by(raw(body), on(folder=str(tmp_path)))

    assert text_of(outcome) == "x" * length
    assert list(tmp_path.iterdir()) == []


async def test_a_failure_is_bounded_too_and_its_message_stays_whole() -> None:
    outcome = failed(await read_by(failing, on()), Code.TOOL_ERROR)

    assert len(text_of(outcome)) <= 1000
    assert outcome.message == HUGE.strip()


async def test_images_stay_where_they_are() -> None:
    def render(_arguments: Any, value: Any) -> list[Content]:
        return [Text(value), IMAGE, Text("the end")]

    async def body(arguments: Any, context: RunContext) -> str:
        return HUGE

    made = raw(body, output=Output({"type": "string"}, render=render))
    outcome = await read_by(made, on())

    kinds = [type(each).__name__ for each in outcome.content]
    assert kinds == ["Text", "Image", "Text"]
    assert len(text_of(outcome)) <= 1000


async def test_the_whole_is_kept_in_a_private_file_that_the_model_is_told_of(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "deep" / "kept"

    outcome = await read_by(huge, on(folder=str(folder)))

    (kept,) = folder.iterdir()
    assert f"characters left out; the whole is in {kept} …]" in text_of(outcome)
    assert len(text_of(outcome)) <= 1000
    assert kept.read_bytes().decode() == HUGE
    assert re.fullmatch(r"call-1-[0-9a-f]{12}\.txt", kept.name)
    if sys.platform != "win32":
        assert [stat.S_IMODE(each.stat().st_mode) for each in (kept, folder)] == [0o600, 0o700]


async def test_the_model_is_told_of_the_folder_as_the_operator_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    outcome = await read_by(huge, on(folder="kept"))

    (kept,) = (tmp_path / "kept").iterdir()
    assert f"the whole is in {Path('kept') / kept.name} …" in text_of(outcome)


async def test_no_file_is_ever_overwritten(tmp_path: Path) -> None:
    config = on(folder=str(tmp_path))
    await read_by(huge, config)
    (first,) = tmp_path.iterdir()
    first.write_text("mine now")

    outcome = await read_by(huge, config)

    assert first.read_text() == "mine now"
    (second,) = set(tmp_path.iterdir()) - {first}
    assert second.name == f"{first.stem}-2.txt"
    assert second.name in text_of(outcome)


@pytest.mark.parametrize("call_id", ["../../etc/passwd", "\x1b[31m", "…", "x" * 5000, "CON"])
async def test_no_call_id_leads_out_of_the_folder(call_id: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    async with standing(huge, config=on(folder=str(folder))) as (_, board):
        await board.call("huge", id=call_id)

    (kept,) = folder.iterdir()
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,73}\.txt", kept.name)
    assert list(tmp_path.iterdir()) == [folder]


async def test_a_folder_holds_no_more_than_it_may_and_nothing_goes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = on(folder=str(tmp_path), folder_bytes=len(HUGE) * 2)
    async with standing(huge, config=config) as (_, board):
        said = [text_of(await board.call("huge")) for _ in range(3)]

    assert len(list(tmp_path.iterdir())) == 2
    assert "left out; the whole could not be kept …]" in said[2]
    assert f"may hold {len(HUGE) * 2} bytes" in caplog.text


async def test_a_folder_that_is_gone_costs_the_file_only(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    async with standing(huge, config=on(folder=str(folder))) as (_, board):
        folder.rmdir()
        outcome = await board.call("huge")

    assert "the whole could not be kept" in text_of(outcome)


async def test_a_folder_that_can_t_be_made_is_a_fault_at_loading(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with Host(on(folder=str(tmp_path / "file")), discover=False) as host:
        info = host.plugins["outputs"]

    assert info.state == "failed"
    assert "FileExistsError" in str(info.error)


@pytest.mark.parametrize("place", ["the host", "the board", "a plugin"])
async def test_it_has_the_last_say_of_all_hooks(place: str) -> None:
    def grow(outcome: Outcome) -> Accept:
        return Accept(content=[Text(text_of(outcome) + HUGE)])

    async with standing(huge, config=on()) as (host, board):
        if place == "a plugin":
            await host.load(plugin(after_call=grow), name="zzz")
        else:
            {"the host": host, "the board": board}[place].hook(after_call=grow)
        outcome = await board.call("huge")

    assert f"of {2 * len(HUGE)} characters" in text_of(outcome)
    assert len(text_of(outcome)) <= 1000


async def test_it_stands_outside_of_hooks_that_wrap_as_well() -> None:
    async def grow(outcome: Outcome, call_next: Any) -> Accept:
        await call_next()
        return Accept(content=[Text(text_of(outcome) + HUGE)])

    outcome = await read_by(huge, on(), after_call=grow)

    assert f"of {2 * len(HUGE)} characters" in text_of(outcome)


async def test_the_last_word_of_the_tool_itself_comes_after_it() -> None:
    def finalize(_arguments: Any, outcome: Outcome) -> list[Content]:
        return [*outcome.content, Text("signed")]

    async def body(arguments: Any, context: RunContext) -> str:
        return HUGE

    outcome = await read_by(raw(body, finalize=finalize), on())

    assert text_of(outcome).endswith("signed")


async def test_calls_inside_calls_are_left_whole(tmp_path: Path) -> None:
    seen: list[int] = []

    @tool
    async def outer(context: RunContext) -> int:
        """Call the other."""
        seen.append(len(text_of(await context.call("huge"))))
        return seen[0]

    async with standing(huge, outer, config=on(folder=str(tmp_path))) as (_, board):
        await board.call("outer")

    assert seen == [len(HUGE)]
    assert list(tmp_path.iterdir()) == []


async def test_without_a_table_nothing_is_cut() -> None:
    assert text_of(await read_by(huge, Config())) == HUGE
