"""One span a call, after OpenTelemetry's conventions for generative AI."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pegboard import Failure, Outcome, RunContext, tool

Recorded = Callable[..., Any]
WITHOUT = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            raise ImportError(name)

sys.meta_path.insert(0, Refusing())
import asyncio
import pegboard_audit, pegboard_echo
from pegboard import Host

async def main():
    async with Host(discover=False) as host:
        await host.load(pegboard_audit, settings={"path": sys.argv[1]})
        await host.load(pegboard_echo)
        print((await (await host.board("one")).call("echo", {"value": "Pi"})).unwrap())

asyncio.run(main())
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[ReadableSpan]]]:
    """Gives the spans that have ended, in the order in which they ended."""
    provider, exporter = TracerProvider(shutdown_on_exit=False), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield lambda: list(exporter.get_finished_spans())
    provider.shutdown()


async def test_a_call_is_one_span_named_after_its_tool(recorded: Recorded, spans: Any) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "Pi"}, id="call-1")

    (span,) = spans()
    assert (span.name, span.kind) == ("execute_tool echo", trace.SpanKind.INTERNAL)
    assert dict(span.attributes) | {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.type": "function",
        "pegboard.board": "one",
        "pegboard.plugin": "tools",
    } == dict(span.attributes)
    assert [each.name for each in span.events] == ["before", "around", "after"]
    assert span.status.status_code is trace.StatusCode.UNSET


async def test_no_argument_and_no_value_comes_into_a_span(recorded: Recorded, spans: Any) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "hunter2"})

    assert "hunter2" not in spans()[0].to_json()


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("missing", {}, "unknown_tool"),
        ("echo", {}, "invalid_arguments"),
        ("echo", {"value": "denied"}, "denied"),
        ("fail", {"value": "a"}, "tool_error"),
    ],
)
async def test_a_call_that_fails_is_one_span_wherever_it_fails(
    recorded: Recorded, spans: Any, tool: str, arguments: Any, code: str
) -> None:
    async with recorded() as host:
        host.guard(lambda execution: "no" if execution.arguments["value"] == "denied" else None)
        outcome = await (await host.board("one")).call(tool, arguments)

    (span,) = spans()
    assert isinstance(outcome, Failure)
    assert (span.attributes["error.type"], outcome.code) == (code, code)
    assert span.status.status_code is trace.StatusCode.ERROR
    assert span.status.description == outcome.message
    assert span.start_time < span.end_time


async def test_a_span_is_a_child_of_what_is_current_where_the_call_is_made(
    recorded: Recorded, spans: Any
) -> None:
    async with recorded() as host:
        board = await host.board("one")
        with trace.get_tracer("test").start_as_current_span("agent"):
            await board.call("echo", {"value": "a"})
            await board.call("missing")

    echo, missing, agent = spans()
    assert echo.parent.span_id == missing.parent.span_id == agent.context.span_id


async def test_a_nested_call_is_a_child_of_its_caller(recorded: Recorded, spans: Any) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("outer", {"value": "a"})

    inner, outer = spans()
    assert (inner.name, outer.name) == ("execute_tool echo", "execute_tool outer")
    assert inner.parent.span_id == outer.context.span_id
    assert outer.parent is None


async def test_the_span_is_current_in_an_async_body_and_in_a_thread(
    recorded: Recorded, spans: Any
) -> None:
    @tool
    async def here() -> int:
        return trace.get_current_span().get_span_context().span_id

    @tool
    def there(context: RunContext) -> int:
        return trace.get_current_span().get_span_context().span_id

    async with recorded() as host:
        board = await host.board("one")
        for each in (here, there):
            board.register(each)
            value = (await board.call(each.name)).unwrap()
            assert value == spans()[-1].context.span_id


async def test_a_retry_stays_in_one_span(recorded: Recorded, spans: Any) -> None:
    async def twice(call_next: Callable[..., Any]) -> Outcome:
        await call_next()
        return await call_next()

    async with recorded() as host:
        host.hook(around_call=twice)
        await (await host.board("one")).call("echo", {"value": "a"})

    (span,) = spans()
    assert [each.name for each in span.events] == ["before", "around", "after"]


async def test_spans_can_be_switched_off(recorded: Recorded, spans: Any) -> None:
    async with recorded(spans=False) as host:
        await (await host.board("one")).call("echo", {"value": "a"})

    assert spans() == []


def test_without_opentelemetry_calls_are_recorded_and_nothing_of_it_is_imported(
    path: Path,
) -> None:
    command = [sys.executable, "-c", WITHOUT, str(path)]

    ran = subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)

    assert (ran.returncode, ran.stdout) == (0, "Pi\n"), ran.stderr
