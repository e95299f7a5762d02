"""What of the host a program can reach: nothing."""

from pathlib import Path
from typing import Any

import pytest

IGNORED = "  # type: ignore"


@pytest.mark.parametrize(
    "program",
    [
        "import os\nos.environ['PATH']",
        "import os\nos.getenv('PATH')",
        "import os\nos.listdir('/')",
        "import os\nos.system('true')",
        "import os\nos.urandom(8)",
        "open('/etc/passwd').read()",
        "open('x', 'w')",
        "import pathlib\npathlib.Path('/etc/passwd').read_text()",
        "import pathlib\npathlib.Path('x').write_text('x')",
        "import pathlib\nlist(pathlib.Path('/').iterdir())",
        "import socket",
        "import subprocess",
        "import ctypes",
        "import sys\nsys.modules",
        "import sys\nsys.exit(1)",
        "import pegboard",
        "__import__('os')",
        "eval('__import__(\"os\")')",
        "exec('import socket')",
        "globals()",
        "__builtins__",
        "().__class__.__mro__",
        "''.__class__.__base__.__subclasses__()",
        "any.__globals__",
        "any.__code__",
        "any.__self__",
        "tools['a-b'].__self__",
        "any.__call__",
        "any.__init__.__globals__",
        "(lambda: 1).__globals__",
        "any(x=1).cr_frame",
        "compile('1', '', 'eval')",
        "input()",
        "breakpoint()",
        "tools['hidden'](x=1)",
        "hidden(x=1)",
    ],
)
async def test_what_leads_out_of_the_sandbox_is_not_there(lab: Any, program: str) -> None:
    ignored = "\n".join(line + IGNORED for line in program.splitlines())

    async with lab() as it:
        error = await it.fault(ignored)

    assert error.kind == "exception"


@pytest.mark.parametrize("attribute", ["__traceback__", "__context__", "__cause__", "args"])
async def test_a_failure_shows_no_more_than_its_text(lab: Any, attribute: str) -> None:
    program = f"""
try:
    await any(fail="no")
except ToolCallError as error:
    try:
        print(repr(error.{attribute}))  # type: ignore
    except AttributeError:
        print("None")
"""
    async with lab() as it:
        await it.run(program)

    assert it.text in {"None\n", "('no',)\n"}


async def test_a_worker_gets_no_environment(
    lab: Any, workers: Any, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "x")

    async with lab(keep_warm=False) as it:
        task = it.start("await any(wait=0.3)")
        await wait_until(lambda: it.calls)
        environment = Path(f"/proc/{workers()[0]}/environ").read_bytes()
        await task

    assert environment == b""
