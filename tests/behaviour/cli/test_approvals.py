"""A person at a terminal is asked whether a call may run; without one it is denied."""

import json
from typing import Any

import pytest

CAREFUL = """
from pathlib import Path
from typing import Annotated

from pegboard import Ask, Secret, hookimpl, tool

def note(request, answer):
    with Path("answers").open("a") as file:
        file.write(f"{request.tool} {answer}\\n")

@tool
async def pay(amount: int, to: str, pin: Annotated[str, Secret] = "") -> str:
    with Path("paid").open("a") as file:
        file.write(to)
    return f"paid {amount} to {to}"

@hookimpl
def pegboard_tools():
    return [pay]

@hookimpl
def pegboard_before_call(execution):
    if execution.tool != "both":
        return Ask("money is \\x1b[31mmoney", answered=note)
"""

PAY = ("call", "pay", '{"amount": 3, "to": "Pi", "pin": "1234"}')
PROMPT = "(n)o: "


@pytest.fixture
def shop(bare: Any) -> Any:
    """A desk with a tool that must be approved."""
    bare.install("shop", CAREFUL)
    return bare


def answered(shop: Any) -> str:
    """What the policy was told."""
    file = shop.work / "answers"
    return str(file.read_text()) if file.exists() else ""


def paid(shop: Any) -> bool:
    """Whether the tool has run."""
    return bool((shop.work / "paid").exists())


def test_the_question_says_what_is_asked_and_hides_secrets(shop: Any) -> None:
    ran = shop.talk(*PAY, answers=[(PROMPT, "once\n")])

    assert (
        """\
pay of plugin 'shop' (pegboard-shop 1.0), on board 'default', needs an approval.
Reason: money is \\x1b[31mmoney
Arguments: {
  "amount": 3,
  "to": "Pi",
  "pin": "…"
}
Let it run? (o)nce, always on this (b)oard, (a)lways, (n)o: """
        in ran.err
    )


@pytest.mark.parametrize(
    ("typed", "told"),
    [("o", "once"), ("Once ", "once"), ("b", "board"), ("a", "always"), ("always", "always")],
)
def test_a_call_that_is_approved_runs_and_the_policy_is_told(
    shop: Any, typed: str, told: str
) -> None:
    ran = shop.talk(*PAY, answers=[(PROMPT, f"{typed}\n")])

    assert (ran.status, ran.out) == (0, "paid 3 to Pi\n")
    assert answered(shop) == f"pay {told}\n"


@pytest.mark.parametrize(
    ("typed", "told", "words"),
    [
        ("n\n", "rejected", "the approval was rejected"),
        ("no\n", "rejected", "the approval was rejected"),
        ("\x04", "cancelled", "the question for an approval was cancelled"),
    ],
    ids=["n", "no", "end of input"],
)
def test_a_call_that_isn_t_approved_is_denied_as_any_failed_call(
    shop: Any, typed: str, told: str, words: str
) -> None:
    ran = shop.talk(*PAY, answers=[(PROMPT, typed)])

    assert (ran.status, ran.out) == (1, "")
    assert f"pegboard: denied: {words}" in ran.err
    assert (answered(shop), paid(shop)) == (f"pay {told}\n", False)


def test_an_answer_that_isn_t_understood_is_asked_for_again(shop: Any) -> None:
    ran = shop.talk(*PAY, answers=[(PROMPT, "\n"), (PROMPT, "sure\n"), (PROMPT, "o\n")])

    assert ran.status == 0
    assert ran.err.count("Let it run?") == 3
    assert ran.err.count("Arguments:") == 1


def test_ctrl_c_at_the_question_stops_the_command(shop: Any) -> None:
    ran = shop.talk(*PAY, answers=[(PROMPT, "\x03")])

    assert ran.status == 130
    assert not paid(shop)


def test_what_was_typed_before_the_question_is_no_answer(bare: Any) -> None:
    slow = CAREFUL.replace("def pegboard_before_call", "async def pegboard_before_call")
    slow = slow.replace(
        "    return Ask(", "    print('thinking'); await asyncio.sleep(0.3)\n    return Ask("
    )
    bare.install("shop", f"import asyncio\n{slow}")

    ran = bare.talk(*PAY, answers=[("thinking", "o\n"), (PROMPT, "n\n")])

    assert ran.status == 1
    assert answered(bare) == "pay rejected\n"


def test_the_calls_of_a_message_are_asked_for_one_after_the_other(shop: Any) -> None:
    uses = [
        {"type": "tool_use", "id": f"id-{to}", "name": "pay", "input": {"amount": 1, "to": to}}
        for to in ("Ann", "Bob")
    ]
    shop.write("message.json", json.dumps({"role": "assistant", "content": uses}))

    ran = shop.talk("run", "message.json", answers=[(PROMPT, "n\n"), (PROMPT, "o\n")])

    assert ran.status == 1
    assert [each["is_error"] for each in ran.json[0]["content"]] == [True, False]
    assert ran.err.index('"to": "Ann"') < ran.err.index('"to": "Bob"')


def test_results_as_json_are_asked_for_as_well_and_hold_nothing_of_the_question(shop: Any) -> None:
    ran = shop.talk(*PAY, "--json", answers=[(PROMPT, "o\n")])

    assert ran.json["value"] == "paid 3 to Pi"


def test_without_a_terminal_the_call_is_denied_and_the_message_says_why(shop: Any) -> None:
    ran = shop.run(*PAY, given="o\n")

    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "pegboard: denied: it needs an approval, and there is no approver to ask\n"
    assert not paid(shop)


def test_everything_can_be_approved_once_without_asking(shop: Any) -> None:
    ran = shop.run(*PAY, "--approve", "once")
    asked = shop.talk(*PAY, "--approve", "once")

    assert (ran.status, ran.out, ran.err) == (0, "paid 3 to Pi\n", "")
    assert "Let it run?" not in asked.err
    assert answered(shop) == "pay once\npay once\n"


def test_nothing_is_approved_and_nobody_asked_where_that_is_said(shop: Any) -> None:
    ran = shop.talk(*PAY, "--approve", "never")

    assert ran.status == 1
    assert ran.err.endswith("pegboard: denied: the approval was rejected\n")
    assert "Let it run?" not in ran.err


def test_another_way_to_approve_is_refused_with_those_there_are(shop: Any) -> None:
    ran = shop.run(*PAY, "--approve", "always")

    assert ran.status == 2
    assert "'once', 'never'" in ran.err


def test_a_question_that_was_taken_back_leaves_the_terminal_to_the_next(bare: Any) -> None:
    impatient = CAREFUL.replace("@hookimpl\ndef pegboard_tools", IMPATIENT)
    bare.install("shop", impatient.replace("[pay]", "[pay, both]"))

    ran = bare.talk("call", "both", answers=[(PROMPT, ""), ("taken back", ""), (PROMPT, "o\n")])

    assert (ran.status, ran.out) == (0, "aborted_before_start, then paid 2 to Bob\n")


IMPATIENT = """
import asyncio
from pegboard import RunContext, hookimpl as _

@tool
async def both(context: RunContext) -> str:
    asking = asyncio.ensure_future(context.call("pay", {"amount": 1, "to": "Ann"}))
    done, _ = await asyncio.wait([asking], timeout=0.5)
    asking.cancel()
    await asyncio.wait([asking])
    print("taken back")
    second = await context.call("pay", {"amount": 2, "to": "Bob"})
    return f"aborted_before_start, then {second.unwrap()}"

@hookimpl
def pegboard_tools"""
