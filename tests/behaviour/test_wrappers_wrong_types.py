"""Arguments of another kind than a method takes: named, and refused before anything is held."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pegboard import (
    Accept,
    Ask,
    Block,
    Board,
    Cancel,
    Code,
    Config,
    ConfigError,
    Deny,
    Execution,
    Host,
    PegboardError,
    Text,
    ToolCall,
    WrongArgumentError,
)
from pegboard_policies import PATIENCE, Work, failed, plugin_with, shown, standing, succeeded
from pegboard_wrappers import Next

WRONG: dict[str, list[Any]] = {
    "signal": ["stop", 1, asyncio.Event, object(), []],
    "on_progress": ["print", 5, [print]],
    "labels": [[1], "team", 5, [("team", "a")]],
    "approvals": [["digest"], "digest", 5, {"digest"}],
}
CALLS = [ToolCall("1", "work")]


async def by_call(board: Board, **given: Any) -> Any:
    """Make a call."""
    return await board.call("work", **given)


async def by_run(board: Board, **given: Any) -> Any:
    """Make a batch."""
    return await board.run(CALLS, **given)


async def by_stream(board: Board, **given: Any) -> Any:
    """Make a batch, and read its outcomes."""
    return [each async for each in board.stream(CALLS, **given)]


async def by_events(board: Board, **given: Any) -> Any:
    """Make a batch, and read what happens."""
    return [each async for each in board.events(CALLS, **given)]


DOORS: dict[str, Callable[..., Awaitable[Any]]]
DOORS = {"call": by_call, "run": by_run, "stream": by_stream, "events": by_events}
CASES = [
    pytest.param(door, name, wrong, id=f"{door}-{name}-{shown(wrong)}")
    for door in DOORS
    for name, values in WRONG.items()
    for wrong in values
]


@pytest.mark.parametrize(("door", "name", "wrong"), CASES)
async def test_an_argument_of_another_kind_is_named_and_holds_nothing(
    door: str, name: str, wrong: Any
) -> None:
    work = Work()
    hooked = plugin_with(work.tool(), before_call=lambda: None, call_finished=lambda: None)
    async with standing() as (host, board):
        await host.load(hooked, name="held")

        with pytest.raises(WrongArgumentError, match=name):
            await DOORS[door](board, **{name: wrong})

        assert (host.running, work.ran) == ((), [])
        report = await asyncio.wait_for(host.unload("held", grace=60), PATIENCE)
    assert (report.drained, report.cancelled, report.still_running) == (0, 0, ())


@pytest.mark.parametrize("wrong", [5, 1.5, True, b"id", ["id"], 0, False, b"", []], ids=shown)
async def test_an_id_that_is_no_text_is_named(wrong: Any) -> None:
    async with standing(Work().tool()) as (host, board):
        with pytest.raises(WrongArgumentError, match="id"):
            await board.call("work", id=wrong)
        with pytest.raises(WrongArgumentError, match="id"):
            ToolCall(wrong, "work")

        assert host.running == ()


@pytest.mark.parametrize("labels", [{1: "a"}, {"team": object()}, {"team": {1}}], ids=shown)
async def test_labels_that_are_no_json_are_refused_before_anything_is_held(labels: Any) -> None:
    work = Work()
    async with standing() as (host, board):
        await host.load(plugin_with(work.tool()), name="held")
        for door in DOORS.values():
            with pytest.raises(PegboardError):
                await door(board, labels=labels)

        report = await asyncio.wait_for(host.unload("held", grace=60), PATIENCE)
    assert (report.cancelled, report.still_running, work.ran) == (0, (), [])


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "contexts of text": (lambda: Accept(contexts="abc"), "contexts"),
    "no contexts": (lambda: Accept(contexts=None), "contexts"),  # type: ignore[arg-type]
    "one context": (lambda: Accept(contexts={"a": 1}), "contexts"),
    "blocked, with contexts of text": (lambda: Block(contexts="abc"), "contexts"),
    "blocked, without contexts": (
        lambda: Block(contexts=None),  # type: ignore[arg-type]
        "contexts",
    ),
    "a number denies": (lambda: Deny(5), "reason"),  # type: ignore[arg-type]
    "a number calls off": (lambda: Cancel(5), "reason"),  # type: ignore[arg-type]
    "a number asks": (lambda: Ask(5), "reason"),  # type: ignore[arg-type]
    "bytes deny": (lambda: Deny(b"no"), "reason"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_a_policy_says_is_checked_where_it_is_written(mistake: str) -> None:
    make, named = MISTAKES[mistake]

    with pytest.raises(PegboardError, match=named):
        make()


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_policy_that_says_it_wrong_fails_closed(mistake: str) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=MISTAKES[mistake][0])

        outcome = await board.call("work")

    assert MISTAKES[mistake][1] in failed(outcome, Code.POLICY_FAILED).message
    assert work.ran == []


HOOKS: dict[str, Callable[[Host], Any]] = {
    "no hook": lambda host: host.hook(),
    "no such hook": lambda host: host.hook(before=lambda: None),
    "a hook that can't be called": lambda host: host.hook(before_call=5),  # type: ignore[arg-type]
    "an argument that no hook gets": lambda host: host.hook(before_call=lambda foo: None),
    "a guard that takes nothing": lambda host: host.guard(lambda: "x"),
    "a guard that takes too much": lambda host: host.guard(lambda one, two: "x"),
    "a guard that can't be called": lambda host: host.guard(5),  # type: ignore[arg-type]
    "no guard": lambda host: host.guard(None),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("mistake", HOOKS)
async def test_a_hook_that_cannot_be_asked_is_refused_where_it_is_registered(mistake: str) -> None:
    async with standing(Work().tool()) as (host, board):
        with pytest.raises(PegboardError):
            HOOKS[mistake](host)

        succeeded(await board.call("work"))


def before_by_keyword(execution: Execution, *, call_next: Next) -> Any:
    """Pass on."""
    return call_next()


async def around_by_keyword(execution: Execution, *, call_next: Next) -> Any:
    """Pass on."""
    return await call_next()


def after_by_keyword(*, execution: Execution, outcome: Any, call_next: Next) -> Any:
    """Pass on."""
    return call_next()


@pytest.mark.parametrize("hook", [before_by_keyword, around_by_keyword, after_by_keyword])
async def test_a_wrapper_may_take_its_arguments_by_keyword_only(hook: Callable[..., Any]) -> None:
    chain = hook.__name__.partition("_")[0]
    refusals: dict[str, dict[str, Callable[..., Any]]] = {
        "before": {"before_call": lambda: Deny("inside")},
        "after": {"after_call": lambda: Block([Text("no")])},
    }
    async with standing(Work().tool()) as (host, board):
        host.hook(**{f"{chain}_call": hook})
        succeeded(await board.call("work"))

        if chain in refusals:
            board.hook(**refusals[chain])
            assert (await board.call("work")).is_error


SECONDS: list[Any] = ["3", None, True, float("inf"), float("nan"), 1e300, -1, [1]]
COUNTS: list[Any] = ["3", None, True, 1.5, 1e300, float("inf"), float("nan"), -1]
FIELDS: dict[str, list[Any]] = {
    "stop_grace": SECONDS,
    "hook_timeout": [*SECONDS, 0],
    "load_timeout": [*SECONDS, 0],
    "retry_after": [*SECONDS, 0],
    "retry_at_most": [*SECONDS, 0],
    "default_timeout": [each for each in [*SECONDS, 0] if each is not None],
    "max_nesting": COUNTS,
    "max_threads": [*COUNTS, 0],
    "max_depth": [*COUNTS, 0, 513],
    "max_nodes": [*COUNTS, 0],
    "max_bytes": [*COUNTS, 0],
}


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        pytest.param(field, wrong, id=f"{field}-{wrong!r}")
        for field, values in FIELDS.items()
        for wrong in values
    ],
)
def test_a_limit_that_is_none_is_a_mistake_that_names_its_field(field: str, wrong: Any) -> None:
    with pytest.raises(ConfigError, match=field):
        Config(**{field: wrong})


def test_every_limit_may_be_the_least_and_a_whole_number_of_seconds() -> None:
    config = Config(stop_grace=0, hook_timeout=1, max_nesting=0, max_threads=1, max_depth=1)

    assert (config.stop_grace, config.hook_timeout, config.max_nesting) == (0, 1, 0)
