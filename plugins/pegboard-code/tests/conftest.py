"""A runtime with a few tools written by hand, and what programs do to it."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Dispatch,
    ProgramError,
    ProgramLimits,
    ProgramResult,
    Sdk,
    ToolCallError,
)
from pegboard_code import Door, Settings

DECLARATIONS = {
    "a-b": """\
ABArguments = TypedDict("ABArguments", {"a-b": int}, closed=True)
class ABCall(Protocol):
    async def __call__(self, arguments: ABArguments, /) -> Any:
        \"\"\"Take what is no name.\"\"\"
""",
    "any": """\
async def any(**arguments: Any) -> Any:
    \"\"\"Give the arguments back, or what 'give' says; wait, or fail.\"\"\"
""",
    "echo": """\
class EchoArguments(TypedDict, closed=True):
    value: str
async def echo(**arguments: Unpack[EchoArguments]) -> str:
    \"\"\"Echo one value.\"\"\"
""",
    "match": """\
async def match(**arguments: Any) -> Any:
    \"\"\"Give the arguments back.\"\"\"
""",
}
HEAD = """\
# ty: ignore[empty-body, unknown-argument]
from typing import Any, NotRequired, Protocol, TypedDict, Unpack
class ToolCallError(Exception):
    \"\"\"A call failed.\"\"\"
"""
TOOLS = """\
Tools = TypedDict("Tools", {"a-b": ABCall, "any": Any, "echo": Any, "match": Any})
tools: Tools
"""
SDK = Sdk(
    text="\n".join([HEAD, *DECLARATIONS.values(), TOOLS]),
    functions=("any", "echo", "match"),
    names=("a-b", "any", "echo", "match"),
    declarations=DECLARATIONS,
)


@attrs.define(eq=False)
class Lab:
    """One runtime.

    Attributes:
        door: the runtime.
        sdk: what programs may call.
        calls: the name and the arguments of every call, in order.
        printed: what was printed, as it came.
    """

    door: Door
    sdk: Sdk = SDK
    calls: list[tuple[str, dict[str, Any]]] = attrs.field(factory=list)
    printed: list[str] = attrs.field(factory=list)

    async def run(
        self,
        program: str,
        *,
        dispatch: Dispatch | None = None,
        output: Callable[[str], None] | None = None,
        **limits: Any,
    ) -> ProgramResult:
        """What a program gives; a few seconds and 128 MiB unless the limits say otherwise."""
        allowed = ProgramLimits(**{"interpreter_time": 20.0, "memory": 128 * 2**20, **limits})
        printing = self.printed.append if output is None else output
        calling = self.dispatch if dispatch is None else dispatch
        return await self.door.run(program, self.sdk, calling, allowed, printing)

    async def value(self, program: str, **how: Any) -> JSON:
        """The value of the last expression of a program."""
        return (await self.run(program, **how)).value

    async def fault(self, program: str, **how: Any) -> ProgramError:
        """Why a program gives nothing."""
        with pytest.raises(ProgramError) as caught:
            await self.run(program, **how)
        return caught.value

    def start(self, program: str, **how: Any) -> "asyncio.Task[ProgramResult]":
        """A program that runs beside the test."""
        return asyncio.create_task(self.run(program, **how))

    def dispatch(self, name: str, arguments: Mapping[str, Any]) -> Awaitable[JSON]:
        """Make a call of a tool."""
        self.calls.append((name, dict(arguments)))
        return self._call(dict(arguments))

    async def _call(self, arguments: dict[str, Any]) -> JSON:
        await asyncio.sleep(arguments.pop("wait", 0))
        if "fail" in arguments:
            raise ToolCallError(arguments["fail"])
        if "value" in arguments:
            return str(arguments["value"])
        return arguments.get("give", arguments)

    @property
    def text(self) -> str:
        """All that was printed."""
        return "".join(self.printed)


@pytest.fixture(scope="session", autouse=True)
def started() -> None:
    """The sandbox's client keeps a few open files from its first use on."""
    from pegboard_code.worker import Worker

    worker = Worker(SDK, ProgramLimits())
    worker.open()
    worker.close()


MakeLab = Callable[..., AbstractAsyncContextManager[Lab]]


@asynccontextmanager
async def opened(**settings: Any) -> AsyncIterator[Lab]:
    """A runtime that ends with the block."""
    lab = Lab(Door(Settings(**settings), logging.getLogger("tests.code")))
    try:
        yield lab
    finally:
        await lab.door.close()


@pytest.fixture
def lab() -> MakeLab:
    """Makes a runtime, for an `async with`, with the settings that it is given."""
    return opened


def children() -> list[int]:
    """The processes that this one has started and that still run."""
    return [pid for pid in _processes() if _parent(pid) == os.getpid()]


def _processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _parent(pid: int) -> int | None:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


@pytest.fixture
def workers() -> Callable[[], list[int]]:
    """Lists the processes that a test's programs run in, or that stand ready for them."""
    older = set(children())
    return lambda: [pid for pid in children() if pid not in older]


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that will be true."""
    while not true():
        await asyncio.sleep(0.005)


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Waits until what it is given says that it is true."""
    return until
