"""The cases of section run_code: running."""

import asyncio
import os
import signal as signals
from typing import Any

import pytest
from pegboard import (
    JSON,
    Accept,
    Block,
    Code,
    CodeConfig,
    Config,
    Execution,
    Output,
    RunContext,
    Signal,
    Text,
)
from pegboard_batches import Gated
from pegboard_cases import Keeper, named, raw, says
from pegboard_policies import PATIENCE, Held, failed, kind, succeeded, turns, until
from pegboard_programs import LATE, Seen
from pegboard_sandboxed import ran, sandboxed, workers, written

pytestmark = pytest.mark.usefixtures("sandboxes")

GATHER = "import asyncio\nawait asyncio.gather({})"
THREE = GATHER.format("free(), free(), free()")
IDS = ["p:code:1", "p:code:2", "p:code:3"]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("None", {"result": None}, "Result: null"),
        ("''", {"result": ""}, 'Result: ""'),
        ("0", {"result": 0}, "Result: 0"),
        ("False", {"result": False}, "Result: false"),
        ("x = 1", {}, "printed nothing"),
        ("", {}, "printed nothing"),
    ],
)
async def test_p_329_results_that_are_next_to_nothing_are_told_apart(
    code: str, value: JSON, text: str
) -> None:
    outcome = succeeded(await ran(code))

    assert outcome.value == value | {"logs": ""}
    assert says(outcome.content[0].text, text)


async def test_p_330_a_program_that_raises_says_so_and_keeps_what_it_printed() -> None:
    outcome = await ran("print('one')\nprint('two')\nraise ValueError('three')")

    failure = failed(outcome, Code.CODE_FAILED)
    assert failure.details == {"kind": "exception", "line": 3, "logs": "one\ntwo\n"}
    assert says(failure.message, "ValueError", "three")
    assert says(failure.content[-1].text, "one\ntwo\n")


async def test_p_331_a_worker_that_is_killed_is_told_and_the_next_program_runs() -> None:
    held = Held()
    async with sandboxed(held.tool()) as (_, board):
        program = asyncio.create_task(board.call(written("print('begun')\nawait held()")))
        await held.started.wait()
        for pid in workers():
            os.kill(pid, signals.SIGKILL)
        failure = failed(await asyncio.wait_for(program, 1), Code.CODE_FAILED)
        after = succeeded(await board.call(written("1 + 1", "q")))

    assert failure.details == {"kind": "worker lost", "line": None, "logs": "begun\n"}
    assert failure.message.strip()
    assert held.left == ["cancelled"]
    assert after.value["result"] == 2


async def test_p_332_content_that_an_after_hook_replaces_leaves_the_program_its_value() -> None:
    def other(execution: Execution) -> Accept | None:
        return Accept(content=[Text("other")]) if execution.tool == "echo" else None

    async with sandboxed(named("echo")) as (host, board):
        host.hook(after_call=other)
        outcome = succeeded(await board.call(written("await echo()")))

    assert outcome.value["result"] == "echo"


async def test_p_333_no_meta_is_made_for_a_call_from_a_program() -> None:
    made: list[Any] = []

    def meta(arguments: Any, value: Any) -> JSON:
        made.append(value)
        return {"made": True}

    tool = raw(lambda arguments, context: 1, output=Output(meta=meta))
    async with sandboxed(tool, presentation="both") as (_, board):
        succeeded(await board.call(written("await raw()")))
        before = list(made)
        direct = succeeded(await board.call("raw"))

    assert (before, made) == ([], [1])
    assert direct.meta == {"made": True}


EVEN: JSON = {
    "type": "object",
    "properties": {"x": {"type": "integer", "multipleOf": 2}},
    "required": ["x"],
}


async def test_p_334_arguments_that_pass_the_types_and_break_the_schema_can_be_caught() -> None:
    keep = Keeper()
    caught = "try:\n    await keep(x=1)\nexcept ToolCallError as error:\n    print(error)\n"

    outcome = succeeded(await ran(f"{caught}await keep(x=2)", keep.tool(EVEN)))

    assert says(outcome.value["logs"], "x", "multiple of 2")
    assert (outcome.value["result"], keep.kept) == ({"x": 2}, [{"x": 2}])


async def test_p_335_calls_that_may_overlap_do_and_are_numbered_as_they_were_made() -> None:
    gated = Gated()
    async with sandboxed(gated.free()) as (_, board):
        program = asyncio.create_task(board.call(written(THREE)))
        await gated.started(*IDS)
        gated.let(*IDS)
        outcome = succeeded(await program)

    assert outcome.value["result"] == IDS
    assert gated.log[:3] == [f"+{each}" for each in IDS]


async def test_p_336_no_more_run_at_once_than_max_parallel_says() -> None:
    gated = Gated()
    async with sandboxed(gated.free(), config=Config(code=CodeConfig(max_parallel=2))) as (
        _,
        board,
    ):
        program = asyncio.create_task(board.call(written(THREE)))
        await gated.started(*IDS[:2])
        await turns(50)
        at_once = set(gated.running)
        gated.let(*IDS)
        assert succeeded(await program).value["result"] == IDS

    assert at_once == set(IDS[:2])


async def test_p_337_a_read_starts_after_the_slow_after_hook_of_a_write() -> None:
    log: list[str] = []

    def noting(arguments: JSON, context: RunContext) -> None:
        log.append(context.call_id)

    async def slow(execution: Execution) -> None:
        if execution.tool == "write":
            await turns(50)
            log.append("after the write")

    write, read = raw(noting, name="write"), raw(noting, name="read", concurrency_safe=True)
    async with sandboxed(write, read) as (host, board):
        host.hook(after_call=slow)
        succeeded(await board.call(written(GATHER.format("write(), read()"))))

    assert log == ["p:code:1", "after the write", "p:code:2"]


async def test_p_338_slow_before_hooks_come_one_after_the_other() -> None:
    log: list[str] = []

    async def slow(execution: Execution) -> None:
        log.append(f"+{execution.call_id}")
        await turns(20)
        log.append(f"-{execution.call_id}")

    async with sandboxed(Gated(is_open=True).free()) as (host, board):
        host.hook(before_call=slow)
        succeeded(await board.call(written(THREE)))

    assert log == [f"{sign}{each}" for each in ("p", *IDS) for sign in "+-"]


async def test_p_339_the_first_of_two_exclusive_calls_is_stopped_and_the_second_never_starts() -> (
    None
):
    held, seen = Held(), Seen()
    config = Config(code=CodeConfig(interpreter_time=LATE))
    code = "first = held()\nsecond = held()\nwhile True:\n    pass"
    async with sandboxed(held.tool(), config=config) as (host, board):
        seen.on(host)
        failed(await board.call(written(code)), Code.CODE_FAILED)

    assert held.left == ["cancelled"]
    assert [(each.call_id, kind(each)) for _, each in seen.finished] == [
        ("p:code:1", "aborted"),
        ("p:code:2", "aborted_before_start"),
        ("p", "code_failed"),
    ]


async def test_p_340_a_call_that_nobody_awaits_is_stopped_before_the_outer_outcome() -> None:
    held, seen = Held(), Seen()
    async with sandboxed(held.tool()) as (host, board):
        seen.on(host)
        outcome = succeeded(await board.call(written("forgotten = held()\n5")))
        assert host.running == ()

    assert outcome.value["result"] == 5
    assert seen.ids == ["p:code:1", "p"]
    assert kind(seen.finished[0][1]) in {"aborted", "aborted_before_start"}


async def test_p_341_a_program_whose_caller_cancels_is_aborted() -> None:
    held, signal = Held(), Signal()
    code = "try:\n    await held()\nexcept ToolCallError:\n    pass\n'a value'"
    async with sandboxed(held.tool()) as (_, board):
        program = asyncio.create_task(board.call(written(code), signal=signal))
        await held.started.wait()
        signal.cancel("enough")
        failure = failed(await program, Code.ABORTED)

    assert failure.message == "enough"


async def test_p_342_an_inner_tool_that_goes_on_for_ever_ends_the_call_after_the_grace() -> None:
    held, signal = Held("goes on"), Signal()
    async with sandboxed(held.tool(), config=Config(stop_grace=LATE)) as (host, board):
        program = asyncio.create_task(board.call(written("await held()"), signal=signal))
        await held.started.wait()
        signal.cancel("enough")
        failure = failed(await asyncio.wait_for(program, PATIENCE), Code.ABORTED)
        listed = [each.call_id for each in host.running]
        held.released.set()
        await until(lambda: not host.running)

    assert failure.details["still_running"] is True
    assert listed == ["p:code:1"]


def deferring(arguments: JSON, context: RunContext) -> None:
    """Leave a context."""
    context.defer(context.call_id)


async def test_p_343_a_context_of_an_inner_call_is_gone_once_the_outer_call_is_blocked() -> None:
    def block(execution: Execution) -> Block | None:
        return Block([Text("no")]) if execution.tool == "run_code" else None

    async with sandboxed(raw(deferring)) as (host, board):
        host.hook(after_call=block)
        failure = failed(await board.call(written("await raw()")), Code.BLOCKED)

    assert failure.contexts == ()


async def test_p_344_contexts_are_on_the_outer_outcome_in_the_order_of_the_calls() -> None:
    outcome = await ran(
        GATHER.format("free(), free(), free()"), raw(deferring, name="free", concurrency_safe=True)
    )

    assert succeeded(outcome).contexts == tuple(IDS)


ENDLESS = {
    "a busy loop": ("while True:\n    pass", "timeout", "the program's own code"),
    "waiting": ("await held()", "timeout", "waiting for calls included"),
    "output": ("while True:\n    print('x' * 1000)", "output", "printed more than"),
    "memory": ("x = ['x']\nwhile True:\n    x = x + x", "memory", "memory"),
}


@pytest.mark.parametrize("case", ENDLESS)
async def test_p_345_each_limit_has_its_own_message_and_what_was_printed_is_kept(
    case: str,
) -> None:
    code, fault, words = ENDLESS[case]
    limits = CodeConfig(interpreter_time=0.5, wall_time=2, memory=2**23, output=2**14)
    if case == "memory":
        limits = CodeConfig(interpreter_time=10, wall_time=20, memory=2**23)

    outcome = await ran(f"print('begun')\n{code}", Held().tool(), config=Config(code=limits))

    failure = failed(outcome, Code.CODE_FAILED)
    assert failure.details["kind"] == fault, failure.message
    assert failure.details["logs"].startswith("begun\n")
    assert says(failure.message, words)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.environ['HOME']",
        "import os\nos.environ",
        "import os\nos.listdir('.')",
        "open('/etc/passwd').read()",
        "import socket\nsocket.socket()",
        "import subprocess",
        "__import__('os').system('true')",
        "import sys\nsys.modules['pegboard']",
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        "().__class__.__bases__[0].__subclasses__()",
    ],
)
async def test_p_346_nothing_of_the_host_can_be_reached(code: str) -> None:
    failure = failed(await ran(code), Code.CODE_FAILED)

    assert failure.details["kind"] in {"types", "exception", "syntax"}
    assert os.environ["HOME"] not in repr(failure)
    assert "root:" not in repr(failure)


async def test_p_347_one_type_error_and_no_call_is_made() -> None:
    keep, seen = Keeper(), Seen()
    async with sandboxed(keep.tool(EVEN)) as (host, board):
        seen.on(host)
        outcome = await board.call(written("await keep(x=2)\nawait keep(x='two')"))

    failure = failed(outcome, Code.CODE_FAILED)
    assert (failure.details["kind"], failure.details["line"]) == ("types", 2)
    assert says(failure.message, "x", "int", "two")
    assert (keep.kept, seen.ids) == ([], ["p"])


async def test_p_348_two_programs_at_once_see_nothing_of_each_other() -> None:
    gated = Gated()
    async with sandboxed(gated.free()) as (host, board):
        other = await host.board("other", presentation="code")
        other.register(named("own"))
        secret = asyncio.create_task(board.call(written("secret = await free()\nsecret")))
        await gated.started("p:code:1")
        names = await other.call(written("secret", "q"))
        tools = await board.call(written("await own()", "r"))
        own = await other.call(written("await own()", "s"))
        gated.let("p:code:1")
        first = await secret

    assert failed(names, Code.CODE_FAILED).details["kind"] == "types"
    assert failed(tools, Code.CODE_FAILED).details["kind"] == "types"
    assert succeeded(own).value["result"] == "own"
    assert succeeded(first).value["result"] == "p:code:1"
