"""One MCP server as a loaded plugin has it: its tools, and the calls of them."""

from collections.abc import Mapping
from typing import Any

import attrs
from mcp import InputRequiredRoundsExceededError, MCPError
from pegboard import (
    JSON,
    EachTool,
    PluginContext,
    PluginLoadError,
    RunContext,
    ToolError,
    ToolResult,
    WorkerLostError,
)

from pegboard_mcp.attached.connection import Connection, Link
from pegboard_mcp.attached.definitions import Definition, Listing
from pegboard_mcp.attached.failures import StartError, first_leaf
from pegboard_mcp.attached.kept import KeptList
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.names import Listed, prefix_for
from pegboard_mcp.attached.questions import Questions
from pegboard_mcp.attached.requests import UNREADABLE, is_broken_off
from pegboard_mcp.attached.results import Answers
from pegboard_mcp.attached.sdk_logs import MaskedLogs
from pegboard_mcp.attached.shelf import Shelf
from pegboard_mcp.attached.target import Target, digest_of
from pegboard_mcp.attached.wire import ORIGINAL


@attrs.frozen
class Options:
    """What is said of a server beside its place.

    Attributes:
        tools: names or patterns of the tools to take, as the server calls them; None for all.
        prefix: what stands before the names of the tools; None for the plugin's name and `_`.
        read_timeout: seconds that a call may take, or None.
        start_timeout: seconds that the server may take until it has listed its tools.
    """

    tools: tuple[str, ...] | None = None
    prefix: str | None = None
    read_timeout: float | None = None
    start_timeout: float = 25.0


class Attached:
    """What a loaded plugin of an MCP server has as its resource."""

    def __init__(self, target: Target, plugin: PluginContext, *, options: Options) -> None:
        self._plugin = plugin
        self._prefix = prefix_for(plugin.name) if options.prefix is None else options.prefix
        self._take = options.tools
        self._shelf = Shelf(self._call, timeout=options.read_timeout)
        self._masks = Masks(target.secrets)
        self._answers = Answers(self._masks)
        self._logs = MaskedLogs(self._masks)
        self._kept = KeptList.of(plugin.cache_folder, digest_of(target))
        self._questions = Questions(plugin.log)
        self._listed: Listed | None = None
        self._stands = False
        self._connection = Connection(
            target,
            log=plugin.log,
            masks=self._masks,
            questions=self._questions,
            start_timeout=options.start_timeout,
            take_list=self._take_list,
        )

    @property
    def raw_names(self) -> Mapping[str, str]:
        """The server's own name for each name of ours."""
        return {} if self._listed is None else self._listed.table.theirs

    async def open(self, *, eager: bool) -> None:
        """Have a list: the one that was kept, or the server's own.

        Args:
            eager: whether to start the server in any case.

        Raises:
            StartError: it can't be started or listed.
        """
        self._logs.begin()
        known = None if eager else self._kept.read()
        listed = None if known is None else self._named(known)
        if listed is not None and any(listed.taken(self._take)):
            self._warn(listed)
            self._listed = listed
        else:
            await self._connection.link()
        self._stands = True

    async def close(self) -> None:
        """End the server."""
        self._stands = False
        try:
            await self._connection.close()
        finally:
            self._logs.end()

    def tools(self) -> EachTool:
        """The tools that the server lists, as far as they are taken."""
        if self._listed is None:
            return EachTool([])
        made = self._shelf.tools(self._listed.taken(self._take))
        refused = {**self._listed.unsound(self._take), **made.refused}
        hide = self._masks.hide
        return EachTool(made.tools, {hide(name): hide(why) for name, why in refused.items()})

    def _named(self, listing: Listing) -> Listed:
        return Listed.of(listing, prefix=self._prefix, before=self._listed)

    def _warn(self, listed: Listed) -> None:
        for each in listed.unknown(self._take or ()):
            self._plugin.log.warning("the server has no tool %r that could be taken", each)

    async def _take_list(self, listing: Listing) -> None:
        """Take what the server lists now, and have the boards show it if it is another list."""
        before, listed = self._listed, self._named(listing)
        if before is not None and before.is_like(listed):
            return
        self._warn(listed)
        self._listed = listed
        if self._stands:
            try:
                await self._plugin.refresh()
            except BaseException as error:
                self._listed = before
                if not isinstance(error, PluginLoadError):
                    raise
                told = self._masks.hide(str(error))
                self._plugin.log.warning("the new list of tools isn't shown: %s", told)
                return
        self._kept.write(listing)

    async def _call(
        self, definition: Definition, arguments: JSON, context: RunContext
    ) -> ToolResult:
        """Run a call on the server."""
        try:
            link = await self._connection.link()
        except StartError as error:
            raise WorkerLostError(str(error)) from None
        if self._listed is None or not self._listed.has(definition):
            raise ToolError("the server's tools have changed; look at them again")
        with self._questions.of(context):
            result = await self._asked(link, definition["name"], arguments, context)
        return self._answers.read(result, promises_output="outputSchema" in definition)

    async def _asked(
        self, link: Link, name: str, arguments: JSON, context: RunContext
    ) -> dict[str, Any]:
        async def report(progress: float, total: float | None, message: str | None) -> None:
            context.report(progress, total, message)

        try:
            answer = await link.client.call_tool(name, arguments, progress_callback=report)
        except Exception as error:  # noqa: BLE001 - whatever the SDK makes of the server's answer
            failure = await self._failure(link, first_leaf(error))
        else:
            result: dict[str, Any] | None = (answer.meta or {}).get(ORIGINAL)
            if result is not None:
                return result
            failure = ToolError(UNREADABLE)
        # by itself: what the server said may hold what must not show, and the log has no masks
        raise failure from None

    async def _failure(self, link: Link, error: BaseException) -> Exception:
        """What a call ends with that the server hasn't answered."""
        http = link.way.http
        broke = http is not None and isinstance(error, MCPError) and is_broken_off(error.message)
        if broke or (http is not None and http.requests.is_in_doubt):
            await link.test()
        match error:
            case _ if not link.stands:
                why = error.message if isinstance(error, MCPError) else type(error).__name__
                return WorkerLostError(await self._connection.told_end(link, why))
            case _ if broke:
                return WorkerLostError(self._connection.told_break)
            case MCPError(code=code, message=message):
                text = self._masks.hide(message) or "the server refuses the call"
                return ToolError(text, code=str(code))
            case InputRequiredRoundsExceededError():
                return ToolError("the server asks again and again, and doesn't answer")
            case _:
                kind = type(error).__name__
                return ToolError(f"{UNREADABLE} ({kind})")
