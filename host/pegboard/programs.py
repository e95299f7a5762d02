"""What `run_code` gives a runtime, and what it gets back: the program itself runs elsewhere."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, get_args

import attrs

from pegboard.errors import PegboardError
from pegboard.values import JSON

ProgramFault: TypeAlias = Literal[
    "syntax", "types", "exception", "timeout", "memory", "output", "worker lost", "aborted"
]
"""Why a program gave no result."""

PROGRAM_FAULTS: tuple[str, ...] = get_args(ProgramFault)

RUNTIME_WANTED = "install what runs them: pip install pegboard-code"
"""What to do where no plugin gives a runtime."""

Dispatch: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[JSON]]
"""Makes a call for a program: the name of a tool, and its arguments.

The call is made at once, in the order in which this is called; what it gives is awaited for the
tool's value. Raises `ToolCallError` where the call fails.
"""

ProgramOutput: TypeAlias = Callable[[str], None]
"""Takes what a program prints, as it comes, on the host's loop.

Raises `ProgramError` once it is more than the program may print; the program must stop then.
"""


class ToolCallError(PegboardError):
    """A call that a program made has failed; its text is what the model reads of the failure."""


class ProgramError(PegboardError):
    """A program gave no result; `run_code` ends as `code_failed`, with this message.

    Args:
        kind: why.
        message: what the model reads.
        line: the line of the program where that shows, from 1 on, or None.
    """

    def __init__(self, kind: ProgramFault, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


@attrs.frozen
class ProgramLimits:
    """What one program may use.

    Attributes:
        interpreter_time: seconds in which its own code runs, without its waiting for calls.
        wall_time: seconds from its beginning to its end, waiting included.
        memory: bytes that its values may take.
        output: bytes that it may print, as UTF-8.
    """

    interpreter_time: float = 10.0
    wall_time: float = 300.0
    memory: int = 256 * 2**20
    output: int = 2**20


@attrs.frozen(eq=False)
class Sdk:
    """The tools of one board, as a program sees them.

    Attributes:
        text: declarations in Python, to be read by models and type checkers; the same for the same
            tools.
        functions: the names of the tools that are functions of the same name.
        names: the names of all tools; when a program runs, `tools["…"]` reaches each.
        declarations: by the name of a tool, its part of the text.
    """

    text: str
    functions: tuple[str, ...]
    names: tuple[str, ...]
    declarations: Mapping[str, str] = attrs.field(repr=False)


@attrs.frozen
class ProgramResult:
    """What a program gave.

    Attributes:
        value: the value of its last expression, lossless JSON; None where it has none.
        is_given: whether its last statement is an expression.
    """

    value: JSON = None
    is_given: bool = False


RunProgram: TypeAlias = Callable[
    [str, Sdk, Dispatch, ProgramLimits, ProgramOutput], Awaitable[ProgramResult]
]
"""Checks a program against the SDK, and runs it; see `CodeRuntime.run`."""


class CodeRuntime(Protocol):
    """What runs programs; a plugin gives one through `pegboard_code_runtime`."""

    async def run(
        self,
        program: str,
        sdk: Sdk,
        dispatch: Dispatch,
        limits: ProgramLimits,
        output: ProgramOutput,
    ) -> ProgramResult:
        """Check a program against the SDK, and run it.

        Where this is cancelled, nothing of the program goes on. The wall time and the size of the
        output are the host's to watch; interpreter time and memory are the runtime's.

        Args:
            program: what the model wrote.
            sdk: what it may call.
            dispatch: makes its calls.
            limits: what it may use.
            output: takes what it prints.

        Raises:
            ProgramError: it gave no result; says why.
        """
