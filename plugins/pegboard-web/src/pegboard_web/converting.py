"""Pages as Markdown, made in a process that can be ended at any moment."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import attrs
from pegboard import PegboardError, ToolError

MOST_AT_ONCE = 4

_PROGRAM = Path(__file__).with_name("convert_page.py")
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


@attrs.frozen
class Converted:
    """A page as Markdown.

    Attributes:
        title: what the page calls itself.
        text: the Markdown.
        is_whole: whether nothing of the page was left out for its depth or length.
        leads_to: where the page sends on who reads it.
        needs_scripts: whether it says next to nothing and has scripts, which don't run.
    """

    title: str | None
    text: str
    is_whole: bool
    leads_to: str | None
    needs_scripts: bool


@attrs.frozen
class Converter:
    """Turns pages into Markdown, so many at once.

    Attributes:
        library: the folder from which the program imports what converts.
    """

    library: str
    _free: asyncio.Semaphore = attrs.field(
        factory=lambda: asyncio.Semaphore(MOST_AT_ONCE), init=False
    )

    async def convert(self, page: str, *, url: str) -> Converted:
        """The Markdown of a page; the process ends with the call, however that ends.

        Raises:
            ToolError: it can't be converted.
        """
        said = json.dumps({"url": url}).encode()
        async with self._free:
            answer = await self._ask(said + b"\n" + page.encode("utf-8", "replace"))
        try:
            found = json.loads(answer)
        except ValueError as error:
            raise ToolError(
                "the page is built so that it can't be turned into Markdown; call again with "
                "raw=true for its HTML",
                code="not_convertible",
            ) from error
        return Converted(**found)

    async def _ask(self, given: bytes) -> bytes:
        process = await self._started()
        try:
            answer, _ = await process.communicate(given)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.communicate()
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *("-I", "-S", str(_PROGRAM), self.library),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
            )
        except OSError as error:
            raise ToolError(
                "no process can be started here that turns the page into Markdown; call again "
                "later, or with raw=true for its HTML",
                code="busy",
            ) from error


def notes_of(page: Converted) -> Iterator[str]:
    """What a model should know of a page besides its text."""
    if page.leads_to:
        yield f"the page sends its readers on to {page.leads_to}"
    if page.needs_scripts:
        yield "the page may show more once its scripts run, which they don't here; look elsewhere"


def converter() -> Converter:
    """What turns pages into Markdown here.

    Raises:
        PegboardError: this interpreter can't start another, or the library isn't installed.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        raise PegboardError(
            "pegboard-web turns pages into Markdown in a process of its own, and this program "
            "isn't run by a Python that it could start; block the plugin 'web' here"
        )
    found = find_spec("html_to_markdown")
    if found is None or found.origin is None:
        raise PegboardError("html-to-markdown isn't installed; run 'pip install html-to-markdown'")
    return Converter(str(Path(found.origin).parents[1]))
