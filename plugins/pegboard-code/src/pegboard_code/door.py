"""What the host is given: nothing is imported or started before there is a program."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
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
        self._importing: asyncio.Future[None] | None = None

    async def run(
        self,
        program: str,
        sdk: Sdk,
        dispatch: Dispatch,
        limits: ProgramLimits,
        output: ProgramOutput,
    ) -> ProgramResult:
        """Check a program against the SDK, and run it; see `pegboard.CodeRuntime.run`."""
        self._refuse_if_closed()
        if self._runtime is None:
            await self._imported()
        from pegboard_code.running import Request
        from pegboard_code.runtime import Runtime

        if self._runtime is None:
            self._runtime = Runtime(self._settings, self._log)
        return await self._runtime.run(Request(program, sdk, dispatch, limits, output))

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise ProgramError("aborted", "what runs programs has been unloaded")

    async def _imported(self) -> None:
        """Import what runs programs beside the loop, which takes it a while."""
        if self._importing is None:
            threads = ThreadPoolExecutor(1, thread_name_prefix="pegboard-code")
            loop = asyncio.get_running_loop()
            self._importing = loop.run_in_executor(threads, _import)
            threads.shutdown(wait=False)
        await asyncio.shield(self._importing)
        self._refuse_if_closed()

    async def close(self) -> None:
        """Stop every program and end every process."""
        self._is_closed = True
        if self._importing is not None:
            await asyncio.wait([self._importing])
        if self._runtime is not None:
            await self._runtime.close()


def _import() -> None:
    import sysconfig

    import pegboard_code.runtime  # noqa: F401 - it is only loaded

    # Filled once by whoever asks first, and half full for any other thread meanwhile; the search
    # for the worker's program asks on the thread of each program.
    sysconfig.get_config_vars()
