"""Tools and programs for the tests of hosts that are used without async."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
from pegboard import RunContext, tool


@tool
async def echo(value: str) -> str:
    """Echo one value."""
    return value


@tool
def shout(value: str) -> str:
    """Echo one value in capitals, in a thread."""
    return value.upper()


@tool(concurrency_safe=True)
async def wait(context: RunContext) -> str:
    """Wait until it is stopped."""
    context.deps.begun.set()
    try:
        return await context.signal.wait()
    finally:
        context.deps.stopped.set()


@tool(concurrency_safe=True)
async def steps(count: int, context: RunContext) -> int:
    """Report so many steps."""
    for number in range(count):
        context.report(number, count)
    return count


@attrs.frozen
class Gate:
    """What a test waits for.

    Attributes:
        begun: set once the body has begun.
        stopped: set once it has ended.
        go: what the body waits for.
    """

    begun: threading.Event = attrs.field(factory=threading.Event)
    stopped: threading.Event = attrs.field(factory=threading.Event)
    go: threading.Event = attrs.field(factory=threading.Event)


@contextmanager
def pressed_ctrl_c(once: threading.Event) -> Iterator[None]:
    """Have the main thread interrupted in the block, soon after something has happened."""
    main, entered, left = threading.main_thread().ident, threading.Event(), threading.Event()
    assert main is not None

    def press() -> None:
        if entered.wait(20) and once.wait(20) and not left.wait(0.05):
            signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        entered.set()
        yield
    finally:
        left.set()
        once.set()
        thread.join()


@attrs.frozen
class Program:
    """How a program has ended.

    Attributes:
        code: its exit code.
        printed: what it printed, both ways.
    """

    code: int
    printed: str


def run_program(text: str, folder: Path, *, interrupted_at: str | None = None) -> Program:
    """Run a program to its end.

    Args:
        text: the program.
        folder: where it runs.
        interrupted_at: the line after which Ctrl-C is pressed.
    """
    (folder / "program.py").write_text(text)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "program.py"],
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        late = threading.Timer(30, process.kill)
        late.start()
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if line.strip() == interrupted_at:
                process.send_signal(signal.SIGINT)
        late.cancel()
    return Program(process.returncode, printed)
