"""What is still alive of an unloaded plugin is named; what only the interpreter kept is dropped."""

import asyncio
import linecache
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pegboard import Host, RunContext, tool
from pegboard.testing import Site, site_at
from pegboard_gates import Gate, gate
from pegboard_lives import plugin

TOOL = '''
from pegboard import tool

@tool
def greet() -> str:
    """Greet."""
    return "hej"
'''


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


@pytest.fixture
def a_gate() -> Iterator[Gate]:
    """A gate at which threads of the plugin wait, until the test is over and they have ended."""
    before = set(threading.enumerate())
    with gate("a_gate") as made:
        yield made
    for each in set(threading.enumerate()) - before:
        each.join(5)


def install(site: Site, code: str) -> None:
    """Install the plugin `w` with one tool and this code."""
    site.install("w-dist", entry_points={"w": "w_mod"}, files={"w_mod.py": TOOL + code})


async def leaked_by(site: Site, code: str, *, times: int = 1) -> list[tuple[str, ...]]:
    """What the reports of so many loads and unloads list."""
    install(site, code)
    async with Host(discover=False) as host:
        found = []
        for _ in range(times):
            await host.load("w")
            found.append((await host.unload("w")).leaked)
        return found


STARTED = {
    "a target": "threading.Thread(target=wait, name='mine', daemon=True).start()",
    "a class": "Own(name='mine', daemon=True).start()",
    "a timer": "t = threading.Timer(9, wait); t.name = 'mine'; t.daemon = True; t.start()",
    "a partial": "threading.Thread(target=partial(wait), name='mine', daemon=True).start()",
}
THREADS = """
import threading
from functools import partial
import a_gate

def wait():
    a_gate.pass_through()

class Own(threading.Thread):
    def run(self):
        a_gate.pass_through()

"""


@pytest.mark.parametrize("start", STARTED.values(), ids=STARTED.keys())
@pytest.mark.usefixtures("a_gate")
async def test_a_thread_that_the_plugin_started_is_named(site: Site, start: str) -> None:
    (leaked,) = await leaked_by(site, THREADS + start)
    for each in threading.enumerate():
        if isinstance(each, threading.Timer):
            each.cancel()

    assert "thread mine" in leaked


@pytest.mark.usefixtures("a_gate")
async def test_a_second_load_does_not_hide_the_thread_of_the_first(site: Site) -> None:
    first, second = await leaked_by(site, THREADS + STARTED["a target"], times=2)

    assert (first.count("thread mine"), second.count("thread mine")) == (1, 2)


async def test_a_thread_of_a_plugin_object_is_named_until_it_ends(a_gate: Gate) -> None:
    threads: list[threading.Thread] = []

    def tools(self: object) -> list[object]:
        if not threads:
            threads.append(threading.Thread(target=a_gate.pass_through, name="mine", daemon=True))
            threads[0].start()
        return []

    def wait() -> None:
        a_gate.pass_through()

    def offered(self: object) -> list[object]:
        threading.Thread(target=wait, name="mine", daemon=True).start()
        return []

    async with Host(discover=False) as host:
        await host.load(plugin(pegboard_tools=offered), name="p")
        first = (await host.unload("p")).leaked
        await host.load(plugin(pegboard_tools=lambda self: []), name="p")
        second = (await host.unload("p")).leaked
        a_gate.opened.set()
        for each in threading.enumerate():
            if each.name == "mine":
                each.join(5)
        await host.load(plugin(pegboard_tools=lambda self: []), name="p")

        assert (first, second) == (("thread mine",), ("thread mine",))
        assert (await host.unload("p")).leaked == ()


async def test_a_thread_of_the_program_is_not_the_plugins(site: Site, a_gate: Gate) -> None:
    thread = threading.Thread(target=a_gate.pass_through, daemon=True)
    thread.start()

    assert await leaked_by(site, "") == [()]


async def test_a_task_that_the_plugin_started_by_itself_is_named(site: Site) -> None:
    code = """
import asyncio, contextlib
from pegboard import hookimpl

async def forever():
    await asyncio.sleep(3600)

@hookimpl
@contextlib.asynccontextmanager
async def pegboard_lifespan():
    task = asyncio.create_task(forever())
    yield
"""
    before = asyncio.all_tasks()
    (leaked,) = await leaked_by(site, code)
    for each in asyncio.all_tasks() - before:
        each.cancel()

    assert any("forever" in each for each in leaked)


async def test_objects_that_somebody_holds_are_counted_and_named(site: Site) -> None:
    holder = ModuleType("a_holder")
    sys.modules["a_holder"] = holder
    try:
        (leaked,) = await leaked_by(
            site, "\nclass Kept: ...\nimport a_holder\na_holder.kept = Kept()\n"
        )
    finally:
        del sys.modules["a_holder"]

    (text,) = leaked
    assert "objects still held: " in text
    assert "w_mod.Kept" in text


async def test_a_plugin_that_was_called_in_every_way_leaves_no_object(site: Site) -> None:
    install(
        site,
        """
import asyncio, contextlib, attrs, logging
from typing import Annotated, Optional, TypedDict
from annotated_types import MinLen
from pegboard import Doc, PluginContext, hookimpl, tool

@attrs.frozen
class Item:
    x: int
    rest: Optional["Item"] = None

class Row(TypedDict):
    item: Annotated[Item, Doc("One.")]

@attrs.frozen
class Settings:
    items: Annotated[list[Item], MinLen(0)] = attrs.Factory(list)

@tool
async def fetch(item: Annotated[list[Item], MinLen(1)], row: Row) -> list[Item]:
    return item

@tool
def threaded(item: Item) -> Row:
    raise ValueError(item)

@hookimpl
def pegboard_settings():
    return Settings

@hookimpl
def pegboard_tools():
    return [fetch, threaded]

@hookimpl
@contextlib.contextmanager
def pegboard_board(plugin, board):
    yield Item(1)

@hookimpl
def pegboard_around_call(execution, call_next):
    return call_next()
""",
    )
    logging.disable(logging.CRITICAL)
    try:
        async with Host(discover=False) as host:
            await host.load("w", settings={"items": [{"x": 1}]})
            board = await host.board("a")
            item = {"x": 1, "rest": {"x": 2}}
            await board.call("fetch", {"item": [item], "row": {"item": item}})
            await board.call("threaded", {"item": item})
            await board.call("threaded", {"item": 3})
            board.definitions()

            assert (await host.unload("w")).leaked == ()
    finally:
        logging.disable(logging.NOTSET)


async def test_generated_sources_go_with_the_classes(site: Site) -> None:
    before = set(linecache.cache)
    await leaked_by(site, "\nimport attrs\n@attrs.frozen\nclass Item:\n    x: int\n")

    assert set(linecache.cache) - before == set()


async def test_loggers_go_unless_somebody_set_them_up(site: Site) -> None:
    known = logging.Logger.manager.loggerDict
    install(
        site,
        """
import logging
logging.getLogger(__name__).debug("x")
logging.getLogger(__name__ + ".part").debug("x")
logging.getLogger(__name__ + ".other").debug("x")
""",
    )
    logging.getLogger("w_mod.other").setLevel(logging.ERROR)
    try:
        async with Host(discover=False) as host:
            await host.load("w")
            inside = {"w_mod", "w_mod.part", "w_mod.other"} & known.keys()
            await host.unload("w")

        assert inside == {"w_mod", "w_mod.part", "w_mod.other"}
        assert {"w_mod.part", "w_mod.other"} & known.keys() == {"w_mod.other"}
    finally:
        known.pop("w_mod.other", None)
        known.pop("w_mod", None)


async def test_the_logger_that_a_plugin_is_given_goes_with_it() -> None:
    @tool
    def logging_tool(context: RunContext) -> str:
        """Log."""
        context.plugin.log.debug("x")
        return context.plugin.log.name

    async with Host(discover=False) as host:
        await host.load(plugin(pegboard_tools=lambda self: [logging_tool]), name="mine")
        board = await host.board("a")
        name = (await board.call("logging_tool")).unwrap()
        inside = name in logging.Logger.manager.loggerDict
        await host.unload("mine")

    assert (name, inside) == ("pegboard.plugins.mine", True)
    assert name not in logging.Logger.manager.loggerDict


TIMED = '''
import asyncio

@tool
async def late() -> str:
    """Have a time limit that is taken back."""
    async with asyncio.timeout(3600):
        await asyncio.sleep(0)
    return "in time"

@tool
async def timer() -> str:
    """Have a timer that is taken back."""
    asyncio.get_running_loop().call_later(3600, greet).cancel()
    return "in time"
'''


@pytest.mark.parametrize("name", ["late", "timer"])
@pytest.mark.parametrize("called", ["by itself", "inside of another"])
async def test_a_timer_that_was_taken_back_holds_nothing_of_the_plugin(
    site: Site, name: str, called: str
) -> None:
    async def outer(context: RunContext) -> str:
        """Make the call inside of one."""
        return str((await context.call(name)).unwrap())

    install(site, TIMED)
    earlier = asyncio.get_running_loop().call_later(1800, print)
    async with Host(discover=False) as host:
        await host.load("w")
        host.register(tool(outer))
        board = await host.board("b")
        outcome = await board.call(name if called == "by itself" else "outer")
        report = await host.unload("w")
    earlier.cancel()

    assert outcome.unwrap() == "in time"
    assert report.leaked == ()
