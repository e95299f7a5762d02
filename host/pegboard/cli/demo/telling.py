"""What happened in the demo, told as tables or as JSON."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

import attrs

from pegboard import Failure, Outcome, RunningCall, ToolCall, UnloadReport
from pegboard.cli.content import in_words
from pegboard.cli.demo.story import Answered, Story, Unloading, play
from pegboard.cli.jsons import print_json
from pegboard.cli.streams import Streams
from pegboard.cli.tables import Table, drawn
from pegboard.cli.waiting import waiting
from pegboard.formats import anthropic
from pegboard.records import to_json
from pegboard.values import JSON

_COLUMNS = ("call", "tool", "arguments", "outcome", "what the model reads")
_LONGEST = 160
_WIDEST = 100


async def demonstrate(streams: Streams, *, is_json: bool) -> int:
    """Answer a packaged message on two boards, unload a plugin, and show all of it."""
    async with waiting(streams, "demo"):
        story = await play()
    if is_json:
        print_json(_json(story), streams)
    else:
        width = min(streams.width, _WIDEST)
        streams.result("\n".join(_filled(line, width) for line in _told(story, streams)))
    return 0


def _told(story: Story, streams: Streams) -> Iterator[str]:
    yield from _reader(story, streams)
    yield from _writer(story, streams)
    yield from _unloading(story.unloading, streams)


def _filled(text: str, width: int) -> str:
    """A sentence within the width; tables are already."""
    if "\n" in text:
        return text
    return textwrap.fill(text, width, subsequent_indent="   ", break_on_hyphens=False)


def _reader(story: Story, streams: Streams) -> Iterator[str]:
    reader = story.reader
    yield f"1. A model sent {len(reader.calls)} calls; board {reader.board!r} answers them."
    yield f"   It may use what only reads: {', '.join(reader.tools)}."
    yield from ("", _table(reader.calls, reader.outcomes, streams), "")
    yield from str(story.explanation).splitlines()


def _writer(story: Story, streams: Streams) -> Iterator[str]:
    writer = story.writer
    yield from ("", f"2. Board {writer.board!r} has no restriction; the same call again.", "")
    yield _table(writer.calls, writer.outcomes, streams)
    yield from ("", f"In the folder now: {', '.join(story.files)}.", "")


def _unloading(unloading: Unloading, streams: Streams) -> Iterator[str]:
    report, gone = unloading.report, set(unloading.before) - set(unloading.after)
    yield f"3. Plugin {report.name!r} is unloaded while one of its calls runs."
    yield f"   Running when it began: {', '.join(map(_running, unloading.running))}."
    yield from ("", _table(unloading.calls, unloading.outcomes, streams), "")
    yield f"Tools before: {', '.join(unloading.before)}."
    yield f"Tools after:  {', '.join(unloading.after)}; gone: {', '.join(sorted(gone))}."
    yield f"Report: {_report(report)}."


def _running(call: RunningCall) -> str:
    return f"{call.call_id} of {call.tool} (plugin {call.plugin!r}, stage {call.stage})"


def _report(report: UnloadReport) -> str:
    values = attrs.asdict(report)
    counted = (f"{key} {values.pop(key)}" for key in ("drained", "cancelled"))
    rest = ("still_running", "errors", "leaked")
    return ", ".join([*counted, *(f"{key} {' '.join(values[key]) or 'none'}" for key in rest)])


def _table(calls: Sequence[ToolCall], outcomes: Iterable[Outcome], streams: Streams) -> str:
    rows = [_row(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]
    return drawn(Table(_COLUMNS, rows), streams)


def _row(call: ToolCall, outcome: Outcome) -> tuple[str, ...]:
    code = str(outcome.code) if isinstance(outcome, Failure) else "success"
    read = _short(in_words(outcome.content).strip())
    return outcome.call_id, outcome.tool, _short(_arguments(call)), code, read


def _arguments(call: ToolCall) -> str:
    if not isinstance(call.arguments, dict):
        return str(call.arguments)
    return ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _json(story: Story) -> JSON:
    unloading = story.unloading
    return {
        "reader": _answered_json(story.reader),
        "results": anthropic.results(story.reader.outcomes),
        "explanation": attrs.asdict(story.explanation),
        "writer": _answered_json(story.writer),
        "files": list(story.files),
        "unloading": {
            "before": list(unloading.before),
            "running": [attrs.asdict(each) for each in unloading.running],
            "calls": list(map(to_json, unloading.calls)),
            "outcomes": list(map(to_json, unloading.outcomes)),
            "report": attrs.asdict(unloading.report),
            "after": list(unloading.after),
        },
    }


def _answered_json(answered: Answered) -> JSON:
    return {
        "board": answered.board,
        "tools": list(answered.tools),
        "calls": list(map(to_json, answered.calls)),
        "outcomes": list(map(to_json, answered.outcomes)),
    }
