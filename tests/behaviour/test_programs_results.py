"""What is told of a program that has ended: its result, its output, and why it gave none."""

import asyncio
from enum import StrEnum
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    JSON,
    Code,
    CodeConfig,
    Config,
    ProgramError,
    ProgramFault,
    ProgramResult,
    Text,
)
from pegboard_cases import says
from pegboard_policies import Held, failed, kind, succeeded
from pegboard_programs import LATE, Inside, Runtime, Seen, asked, coded, running


def printing(*texts: str, gives: Any = None) -> Any:
    """A program that prints, and gives this."""

    async def body(it: Inside) -> Any:
        for each in texts:
            it.output(each)
        return gives

    return body


NO_RESULT = ProgramResult()


@pytest.mark.parametrize(
    ("gives", "logs", "text"),
    [
        (1, "", "Result: 1"),
        (None, "", "Result: null"),
        ("", "", 'Result: ""'),
        (0, "a\n", "a\nResult: 0"),
        (False, "a", "a\nResult: false"),
        (NO_RESULT, "a", "a\n"),
        (NO_RESULT, "a\n", "a\n"),
    ],
)
async def test_models_read_what_was_printed_and_the_result_under_it(
    gives: Any, logs: str, text: str
) -> None:
    async with coded(printing(logs, gives=gives)) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.content == (Text(text),)
    assert outcome.value == {"logs": logs} | ({} if gives is NO_RESULT else {"result": gives})


async def test_a_program_without_a_result_that_prints_nothing_says_so() -> None:
    async with coded(printing(gives=NO_RESULT)) as (_, board):
        (text,) = succeeded(await running(board)).content

    assert says(text.text, "printed nothing", "no expression")


@pytest.mark.parametrize("fault", get_args(ProgramFault))
async def test_a_program_without_a_result_says_which_fault_where_and_what_it_printed(
    fault: ProgramFault,
) -> None:
    async def body(it: Inside) -> None:
        it.output("one\n")
        it.output("two\n")
        raise ProgramError(fault, "it went wrong", line=3)

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.message == "it went wrong"
    assert failure.details == {"kind": fault, "line": 3, "logs": "one\ntwo\n"}
    assert failure.content == (
        Text("Error: it went wrong"),
        Text("Printed until then:\none\ntwo\n"),
    )


async def test_a_program_that_printed_nothing_before_its_fault_shows_the_message_only() -> None:
    async def body(it: Inside) -> None:
        raise ProgramError("syntax", "")

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.content == (Text("Error: ProgramError"),)
    assert failure.details == {"kind": "syntax", "line": None, "logs": ""}


class Kind(StrEnum):
    """How a runtime may spell a fault."""

    MEMORY = "memory"


async def test_what_a_runtime_says_of_a_fault_is_kept_as_plain_json() -> None:
    kind: Any = Kind.MEMORY
    line: Any = 3.5

    async def body(it: Inside) -> None:
        raise ProgramError(kind, "too large", line=line)

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details == {"kind": "memory", "line": None, "logs": ""}


def limited(**limits: Any) -> Config:
    """A configuration whose programs may use so much."""
    return Config(code=CodeConfig(**limits), stop_grace=LATE)


async def test_a_runtime_is_told_what_programs_may_use() -> None:
    seen: list[Inside] = []

    async def body(it: Inside) -> None:
        seen.append(it)

    said = {"interpreter_time": 1.5, "wall_time": 60.0, "memory": 2**20, "output": 100}
    async with coded(body, config=limited(**said)) as (_, board):
        await running(board)

    limits = seen[0].limits
    assert {each: getattr(limits, each) for each in said} == said


async def test_output_that_is_exactly_as_long_as_it_may_be_is_kept_whole() -> None:
    async with coded(printing("12", "345"), config=limited(output=5)) as (_, board):
        assert succeeded(await running(board)).value["logs"] == "12345"


async def test_one_byte_more_ends_the_program_and_keeps_what_fits() -> None:
    seen: list[ProgramError] = []

    async def body(it: Inside) -> None:
        it.output("123")
        try:
            it.output("456")
        except ProgramError as error:
            seen.append(error)
            raise

    async with coded(body, config=limited(output=5)) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.message == str(seen[0]) == "the program printed more than 5 bytes"
    assert failure.details == {"kind": "output", "line": None, "logs": "12345"}


@pytest.mark.parametrize(("most", "kept"), [(1, ""), (2, ""), (3, "€"), (5, "€"), (6, "€€")])
async def test_output_is_cut_between_characters(most: int, kept: str) -> None:
    async with coded(printing("€€", "€"), config=limited(output=most)) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details["logs"] == kept


@pytest.mark.parametrize("and_then", ["a result", "another fault", "more output"])
async def test_a_runtime_that_ignores_the_refusal_changes_nothing(and_then: str) -> None:
    async def body(it: Inside) -> str:
        for _ in range(3 if and_then == "more output" else 1):
            with pytest.raises(ProgramError):
                it.output("too much")
        if and_then == "another fault":
            raise ProgramError("exception", "something else")
        return "result"

    async with coded(body, config=limited(output=3)) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details == {"kind": "output", "line": None, "logs": "too"}


async def test_text_with_lone_surrogates_is_printed_as_far_as_text_can_say_it() -> None:
    async with coded(printing("a\ud800b")) as (_, board):
        assert succeeded(await running(board)).value["logs"] == "a?b"


@given(texts=st.lists(st.text(max_size=6), max_size=6), most=st.integers(1, 20))
async def test_what_is_kept_of_the_output_is_its_longest_beginning_of_whole_characters(
    texts: list[str], most: int
) -> None:
    async with coded(printing(*texts), config=limited(output=most)) as (_, board):
        outcome = await running(board)

    whole = "".join(texts)
    encoded = whole.encode()
    is_too_much = len(encoded) > most
    value = failed(outcome, Code.CODE_FAILED).details if is_too_much else outcome.value
    assert value["logs"] == encoded[:most].decode(errors="ignore")


@pytest.mark.parametrize("value", [object(), float("nan"), (1, 2), {1: 2}, {"a": {1}}, b"x"])
async def test_a_result_that_is_not_json_is_invalid_output(value: Any) -> None:
    async with coded(printing(gives=value)) as (_, board):
        failure = failed(await running(board), Code.INVALID_OUTPUT)

    assert says(failure.message, "result")


@pytest.mark.parametrize("value", [None, {"result": 1}, "text", ProgramResult])
async def test_a_runtime_that_gives_no_program_result_has_crashed(value: Any) -> None:
    class Wrong(Runtime):
        async def run(self, *given: Any) -> Any:
            return value

    async with coded(printing()) as (host, board):
        await host.load(Wrong(printing()), name="wrong", board=board)
        failure = failed(await running(board), Code.CRASHED)

    assert says(failure.message, "ProgramResult", type(value).__name__)


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        ValueError("bad"),
        ExceptionGroup("g", [ValueError("bad")]),
    ],
)
async def test_a_runtime_that_raises_crashes_that_call_only(error: BaseException) -> None:
    errors = [error]

    async def body(it: Inside) -> str:
        if errors:
            raise errors.pop()
        return "next"

    async with coded(body) as (host, board):
        outcomes = await board.run([asked("1"), asked("2")])
        assert host.running == ()

    assert [kind(each) for each in outcomes] == ["crashed", "ok"]
    assert outcomes[0].message.strip()


async def test_a_failed_call_that_a_runtime_lets_through_is_a_fault_of_the_program() -> None:
    async def body(it: Inside) -> JSON:
        it.output("a")
        return await it.make("nope")

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert says(failure.message, "unknown tool 'nope'")
    assert failure.details == {"kind": "exception", "line": None, "logs": "a"}


async def test_a_runtime_that_stops_a_program_by_itself_has_aborted_it() -> None:
    async def body(it: Inside) -> None:
        it.output("a")
        raise asyncio.CancelledError

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details == {"kind": "aborted", "line": None, "logs": "a"}


async def test_masked_errors_hide_what_a_runtime_raises_and_not_what_a_program_did() -> None:
    errors: list[Exception] = [ValueError("secret"), ProgramError("exception", "shown")]

    async def body(it: Inside) -> None:
        raise errors.pop(0)

    async with coded(body, config=Config(mask_errors=True)) as (_, board):
        crashed, ended = await running(board), await running(board)

    assert failed(crashed, Code.CRASHED).message == "the tool failed: ValueError"
    assert failed(ended, Code.CODE_FAILED).message == "shown"


async def test_a_program_that_takes_too_long_is_stopped_with_what_it_printed() -> None:
    async def body(it: Inside) -> None:
        it.output("begun")
        await asyncio.Event().wait()

    async with coded(body, config=limited(wall_time=LATE)) as (host, board):
        failure = failed(await running(board), Code.CODE_FAILED)
        assert host.running == ()

    assert failure.details == {"kind": "timeout", "line": None, "logs": "begun"}
    assert says(failure.message, f"took longer than {LATE:g} s", "waiting")


async def test_waiting_for_calls_is_part_of_the_time_that_a_program_may_take() -> None:
    held, seen = Held(), Seen()

    async def body(it: Inside) -> JSON:
        return await it.make("held")

    async with coded(body, held.tool(), config=limited(wall_time=LATE)) as (host, board):
        seen.on(host)
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details["kind"] == "timeout"
    assert held.left == ["cancelled"]
    assert [kind(outcome) for _, outcome in seen.finished] == ["aborted", "code_failed"]


async def test_a_runtime_that_gives_a_result_after_its_time_is_too_late() -> None:
    async def body(it: Inside) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "late"
        return "never"

    async with coded(body, config=limited(wall_time=LATE)) as (_, board):
        assert failed(await running(board), Code.CODE_FAILED).details["kind"] == "timeout"
