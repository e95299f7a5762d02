"""`input()` in the code of llm plugins."""

import io
import sys
from typing import Any

import pytest
from pegboard import Code, Failure, Host

ASKING = '''
import llm
import mine_asks


def run(command: str) -> str:
    """Run it, if somebody agrees."""
    return mine_asks.confirm(f"Run {command}? (y/n): ")


def name() -> str:
    """Ask for a name."""
    return input("Your name: ")


async def soon() -> str:
    """Ask from the loop."""
    return input("Now? [y/N] ")


@llm.hookimpl
def register_tools(register):
    for each in (run, name, soon):
        register(each)
'''
ASKS = """
def confirm(question):
    answer = None
    while answer not in ("y", "n"):
        answer = input(question).strip().lower()
    return "ran" if answer == "y" else "not run"
"""


@pytest.fixture
def asking(plugins: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A plugin that asks, and a terminal at which somebody says yes to everything."""
    plugins.install(ASKING, mine_asks=ASKS)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 20))
    sys.modules.pop("mine_asks", None)
    return plugins


async def ran(host: Host, tool: str = "run", **arguments: Any) -> Any:
    """The outcome of a call."""
    return await (await host.board("a")).call(tool, arguments)


@pytest.mark.parametrize(
    ("answer", "value"),
    [("once", "ran"), ("board", "ran"), ("always", "ran"), ("rejected", "not run")],
)
async def test_a_question_with_yes_or_no_goes_to_the_approvers(
    asking: Any, answer: str, value: str
) -> None:
    asked = []
    async with asking.hosted() as host:
        host.hook(approve=lambda request: asked.append(request) or answer)
        outcome = await ran(host, command="ls")

    assert outcome.unwrap() == value
    assert [(each.tool, each.reason, each.arguments) for each in asked] == [
        ("run", "Run ls? (y/n):", {"command": "ls"})
    ]


async def test_without_an_approver_nothing_is_done(asking: Any) -> None:
    async with asking.hosted() as host:
        outcome = await ran(host, command="ls")

    assert isinstance(outcome, Failure)
    assert "no approver has answered" in outcome.message


async def test_an_approver_that_answers_later_ends_the_call(asking: Any) -> None:
    async with asking.hosted() as host:
        host.hook(approve=lambda request: "later")
        outcome = await ran(host, command="ls")

    assert isinstance(outcome, Failure)
    assert "no approver has answered" in outcome.message


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("name", "name asks 'Your name:', and nobody is there to type"),
        ("soon", "soon is async, and can't wait for an answer"),
    ],
)
async def test_what_nobody_can_answer_is_an_ordinary_failure(
    asking: Any, tool: str, told: str
) -> None:
    async with asking.hosted() as host:
        outcome = await ran(host, tool)

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.CRASHED
    assert told in outcome.message


async def test_outside_of_calls_the_plugin_s_own_input_is_the_usual_one(asking: Any) -> None:
    async with asking.hosted():
        import mine  # type: ignore[import-not-found]

        assert mine.input() == "y"
