"""An MCP server as a plugin."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from pegboard import EachTool, NotReady, PluginContext, PluginLoadError, Secret, hookimpl

from pegboard_mcp.attached.attached import Attached, Options
from pegboard_mcp.attached.failures import StartError
from pegboard_mcp.attached.settings import McpSettings
from pegboard_mcp.attached.target import Target, target_of


class McpServer:
    """A plugin whose tools are those of an MCP server.

    Where the list of a server's tools was kept, it is started by the first call.

    Args:
        target: a command line as text or as words, a URL, or a server of the SDK in this process.
        env: variables for the command; it sees no others of this process but harmless ones.
        tools: names or patterns of the tools to take, as the server calls them; None for all.
        headers: what every request to a URL carries.
        cwd: the folder to run a command in.
        prefix: what stands before the names of the tools; None for the plugin's name and `_`.
        read_timeout: seconds that a call may take, or None.
        start_timeout: seconds that the server may take until it has listed its tools.
        eager: whether to start the server with the plugin in any case.

    Raises:
        ConfigError: the target is none of these, or something is given that it has no use for.
    """

    def __init__(
        self,
        target: object,
        *,
        env: Mapping[str, str | Secret] | None = None,
        tools: Iterable[str] | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        cwd: str | None = None,
        prefix: str | None = None,
        read_timeout: float | None = None,
        start_timeout: float = 25.0,
        eager: bool = False,
    ) -> None:
        self._target: Target | None = target_of(target, env=env, headers=headers, cwd=cwd)
        one = (tools,) if isinstance(tools, str) else tools
        take = None if one is None else tuple(one)
        self._options = Options(take, prefix, read_timeout, start_timeout)
        self._eager = eager

    @staticmethod
    def configured(*, eager: bool = False) -> "ConfiguredServer":
        """A server whose target and options come from its settings, `McpSettings`.

        Args:
            eager: whether to start the server with the plugin in any case.
        """
        return ConfiguredServer(eager=eager)

    def __repr__(self) -> str:
        return f"McpServer({self._target.shown if self._target else 'as configured'})"

    @hookimpl
    def pegboard_lifespan(self, plugin: PluginContext) -> AbstractAsyncContextManager[Attached]:
        """Keep the server as long as the plugin is loaded."""
        if self._target is None:
            raise PluginLoadError("an MCP server needs a command or a url")
        return _kept(Attached(self._target, plugin, options=self._options), eager=self._eager)

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> EachTool:
        """Give the server's tools."""
        attached: Attached = plugin.resource
        return attached.tools()


class ConfiguredServer(McpServer):
    """The same with a target and options from its settings."""

    def __init__(self, *, eager: bool) -> None:
        self._target = None
        self._options = Options()
        self._eager = eager

    @hookimpl
    def pegboard_settings(self) -> type:
        """Give the class of the settings."""
        return McpSettings

    @hookimpl
    def pegboard_lifespan(self, plugin: PluginContext) -> AbstractAsyncContextManager[Attached]:
        """Keep the server as long as the plugin is loaded."""
        said: McpSettings = plugin.settings
        place = said.url or said.command
        target = target_of(place, env=said.env, headers=said.headers, cwd=said.cwd)
        options = Options(said.tools, said.prefix, said.read_timeout, said.start_timeout)
        return _kept(Attached(target, plugin, options=options), eager=self._eager)


@asynccontextmanager
async def _kept(attached: Attached, *, eager: bool) -> AsyncIterator[Attached]:
    try:
        await attached.open(eager=eager)
        yield attached
    except StartError as error:
        raise (NotReady if error.may_pass else PluginLoadError)(str(error)) from error
    finally:
        await attached.close()
