"""`input()` in the code of llm plugins."""

import builtins
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


def late() -> str:
    """Ask in a module that only this imports."""
    import mine_asks_late
    return mine_asks_late.confirm("Late? (y/n): ")


def beside(module: str) -> str:
    """Ask in threads that this starts."""
    import importlib
    return importlib.import_module(module).beside()


async def aside() -> str:
    """Ask in a thread that has this context."""
    import asyncio
    return await asyncio.to_thread(input, "Aside? [y/N] ")


class Box(llm.Toolbox):
    async def ask(self) -> str:
        return input("Boxed? [y/N] ")


@llm.hookimpl
def register_tools(register):
    for each in (run, name, soon, late, beside, aside, Box):
        register(each)
'''
ASKS = """
def confirm(question):
    answer = None
    while answer not in ("y", "n"):
        answer = input(question).strip().lower()
    return "ran" if answer == "y" else "not run"


def beside():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        return pool.submit(lambda: input("Beside? (y/n): ")).result()
"""
TYPED = "y\n" * 20


@pytest.fixture
def asking(plugins: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A plugin that asks, and a terminal at which somebody says yes to everything."""
    plugins.install(ASKING, mine_asks=ASKS, mine_asks_late=ASKS)
    monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED))
    for name in ("mine_asks", "mine_asks_late"):
        sys.modules.pop(name, None)
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


@pytest.mark.parametrize(
    ("tool", "asked"),
    [("late", "Late? (y/n):"), ("aside", "Aside? [y/N]"), ("Box_ask", "Boxed? [y/N]")],
)
async def test_wherever_a_call_asks_the_approvers_are_asked(
    asking: Any, capsys: pytest.CaptureFixture[str], tool: str, asked: str
) -> None:
    reasons = []
    async with asking.hosted() as host:
        host.hook(approve=lambda request: reasons.append(request.reason) or "once")
        outcome = await ran(host, tool)

    assert (outcome.unwrap() in ("y", "ran"), reasons) == (True, [asked])
    assert (sys.stdin.read(), capsys.readouterr().out) == (TYPED, "")


@pytest.mark.parametrize("module", ["mine_asks", "mine_asks_late"])
async def test_a_thread_of_the_tool_s_own_meets_the_end_of_the_input(
    asking: Any, capsys: pytest.CaptureFixture[str], module: str
) -> None:
    async with asking.hosted() as host:
        outcome = await ran(host, "beside", module=module)

    assert "an llm plugin asks 'Beside? (y/n):' in a thread of its own" in outcome.message
    assert (sys.stdin.read(), capsys.readouterr().out) == (TYPED, "")


async def test_an_approver_of_the_program_can_type_its_answer(asking: Any) -> None:
    async with asking.hosted() as host:
        host.hook(approve=lambda request: "once" if input() == "y" else "rejected")
        outcome = await ran(host, command="ls")

    assert outcome.unwrap() == "ran"


async def test_outside_of_calls_nobody_is_asked(asking: Any) -> None:
    async with asking.hosted():
        import mine  # type: ignore[import-not-found]

        with pytest.raises(EOFError, match="asks 'for input' in a thread of its own, or in no"):
            mine.input()
        assert sys.stdin.read() == TYPED


async def test_one_that_asks_while_it_is_imported_fails_with_its_question(plugins: Any) -> None:
    plugins.install("name = input('Name? ')  # register_tools")
    async with plugins.hosted() as host:
        assert "an llm plugin asks 'Name?'" in (host.plugins["mine"].error or "")


async def test_the_program_s_own_input_is_the_usual_one_and_the_same_again_afterwards(
    asking: Any,
) -> None:
    usual = builtins.input
    async with asking.hosted() as one, asking.hosted() as two:
        await one.unload("mine")
        between = input()
        outcome = await ran(two, "late")

    assert (between, builtins.input) == ("y", usual)
    assert "no approver has answered" in outcome.message


async def test_who_keeps_the_input_of_that_time_for_good_keeps_nothing_of_the_plugin(
    asking: Any,
) -> None:
    async with asking.hosted() as host:
        kept = builtins.input
        host.hook(approve=lambda request: "once")
        await ran(host, "late")
        report = await host.unload("mine")

    assert (report.errors, report.leaked, kept()) == ((), (), "y")
