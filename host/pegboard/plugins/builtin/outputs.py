"""The built-in plugin that bounds what a model reads of a result, and keeps the whole in a file."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import attrs
from annotated_types import Ge, MinLen

from pegboard.calls import Execution, Threads
from pegboard.calls.threads import Returned
from pegboard.decisions import Accept
from pegboard.hooks import hookimpl, outermost
from pegboard.outcomes import Outcome
from pegboard.plugins.builtin.folder import Folder
from pegboard.plugins.builtin.shortening import length_of, shortened, text_of
from pegboard.plugins.plugin import PluginContext

_PATIENCE = 10.0
"""Seconds that writing a file may take."""


@attrs.frozen
class OutputsSettings:
    """The settings of the plugin.

    Attributes:
        most: how many characters of text a model may read of one result.
        folder: where the whole of a longer one is kept, relative to the folder of the
            configuration, or to the working folder at loading where the program sets it; nowhere
            if None.
        folder_bytes: how many bytes all files there may have together.
    """

    most: Annotated[int, Ge(1000)] = 30_000
    folder: Annotated[str, MinLen(1)] | None = None
    folder_bytes: Annotated[int, Ge(0)] = 256 * 2**20


@attrs.frozen(eq=False)
class _Keeping:
    folder: Folder
    threads: Threads


class Outputs:
    """Shortens the text that a model would read, after every other hook has had its say.

    Values stay whole, and so do calls inside calls: no model reads their content.
    """

    @hookimpl
    def pegboard_settings(self) -> type:
        """The class of its settings."""
        return OutputsSettings

    @hookimpl
    @contextmanager
    def pegboard_lifespan(self, plugin: PluginContext) -> Iterator[_Keeping | None]:
        """Have the folder ready."""
        settings: OutputsSettings = plugin.settings
        if settings.folder is None:
            yield None
            return
        path = Path(plugin.folder, Path(settings.folder).expanduser())
        keeping = _Keeping(Folder(path, most=settings.folder_bytes), Threads("outputs", most=2))
        yield keeping
        keeping.threads.close()

    @hookimpl
    @outermost
    def pegboard_after_call(
        self, execution: Execution, outcome: Outcome, plugin: PluginContext
    ) -> Coroutine[Any, Any, Accept] | None:
        """Shorten what is too long; what isn't costs no scheduling."""
        if execution.parent is not None or length_of(outcome.content) <= plugin.settings.most:
            return None
        return _bounded(execution, outcome, plugin)


async def _bounded(execution: Execution, outcome: Outcome, plugin: PluginContext) -> Accept:
    total = length_of(outcome.content)
    where = await _kept(execution, text_of(outcome.content), plugin)

    def notice(missing: int) -> str:
        return f"\n[… {missing} of {total} characters left out{where} …]\n"

    short = shortened(outcome.content, plugin.settings.most, notice)
    return Accept(content=short, keeps_value=True)


async def _kept(execution: Execution, text: str, plugin: PluginContext) -> str:
    """Keep the whole; where it is, as the end of a sentence."""
    keeping: _Keeping | None = plugin.resource
    if keeping is None:
        return ""
    call_id = execution.call_id
    keep = partial(keeping.folder.keep, text, call_id=call_id, board=execution.board)
    writing = keeping.threads.submit(keep).future
    await asyncio.wait([writing], timeout=_PATIENCE)
    ended = writing.result() if writing.done() else None
    if isinstance(ended, Returned):
        return f"; the whole is in {Path(plugin.settings.folder) / ended.value}"
    error = TimeoutError(f"it took longer than {_PATIENCE:g} s") if ended is None else ended.error
    plugin.log.error("the output of call %r could not be kept: %s", call_id, error)
    return "; the whole could not be kept"
