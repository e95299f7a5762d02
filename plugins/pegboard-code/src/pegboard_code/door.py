"""What the host is given: nothing is imported or started before there is a program."""

import logging
from typing import Any, Protocol

from pegboard import Dispatch, ProgramError, ProgramLimits, ProgramOutput, ProgramResult, Sdk

from pegboard_code.settings import Settings


class _Runtime(Protocol):
    async def run(self, request: Any) -> ProgramResult:
        """What a program gives."""

    async def close(self) -> None:
        """End all of it."""


class Door:
    """Runs programs; see `pegboard.CodeRuntime`."""

    def __init__(self, settings: Settings, log: logging.Logger) -> None:
        self._settings = settings
        self._log = log
        self._runtime: _Runtime | None = None
        self._is_closed = False

    async def run(
        self,
        program: str,
        sdk: Sdk,
        dispatch: Dispatch,
        limits: ProgramLimits,
        output: ProgramOutput,
    ) -> ProgramResult:
        """Check a program against the SDK, and run it; see `pegboard.CodeRuntime.run`."""
        if self._is_closed:
            raise ProgramError("aborted", "what runs programs has been unloaded")
        from pegboard_code.running import Request
        from pegboard_code.runtime import Runtime

        if self._runtime is None:
            self._runtime = Runtime(self._settings, self._log)
        return await self._runtime.run(Request(program, sdk, dispatch, limits, output))

    async def close(self) -> None:
        """Stop every program and end every process."""
        self._is_closed = True
        if self._runtime is not None:
            await self._runtime.close()
