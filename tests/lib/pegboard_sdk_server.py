"""An MCP server made with the SDK's low-level server, for both eras of the protocol.

Run with `stdio`, or with a port for streamable HTTP on the loopback; `old` keeps to the old era.
"""

import sys
from typing import Any

import anyio
import mcp_types as t
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

OBJECT: dict[str, Any] = {"type": "object"}
OUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
MODERN = "2026"


class SdkServer(Server[dict[str, Any]]):
    """Tools for every kind of answer.

    Args:
        is_old: whether it knows nothing of the new era.
    """

    def __init__(self, *, is_old: bool = False) -> None:
        self.bus = InMemorySubscriptionBus()
        self.added: list[str] = []
        self.cancelled = anyio.Event()
        self.lists_fetched = 0
        super().__init__(
            "sdk",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self.bus),
        )
        if is_old:
            self.middleware.append(_refuse_discovery)

    def create_initialization_options(self, *args: Any, **kwargs: Any) -> Any:
        """Say to old clients too that the list may change."""
        return super().create_initialization_options(NotificationOptions(tools_changed=True))

    async def _list(
        self, context: ServerRequestContext[Any, Any], _params: Any
    ) -> t.ListToolsResult:
        self.lists_fetched += 1
        names = ("echo", "kinds", "report", "wait", "ask", "sample", "change", "headers", "version")
        tools = [t.Tool(name=each, input_schema=OBJECT) for each in (*names, *self.added)]
        tools.append(t.Tool(name="large", input_schema=OBJECT))
        if _is_modern(context):
            tools += [_mirroring("mirrored", "Region"), _mirroring("misdirected", "no token")]
        hints = t.ToolAnnotations(read_only_hint=True)
        tools.append(t.Tool(name="nap", input_schema=OBJECT, annotations=hints))
        structured = t.Tool(name="structured", input_schema=OBJECT, output_schema=OUT)
        return t.ListToolsResult(tools=[*tools, structured])

    async def _call(
        self, context: ServerRequestContext[Any, Any], params: t.CallToolRequestParams
    ) -> t.CallToolResult | t.InputRequiredResult:
        act = getattr(self, f"_{params.name}", None)
        if act is None:
            return _text(f"{params.name} {params.arguments}")
        given: t.CallToolResult | t.InputRequiredResult = await act(context, params)
        return given

    async def _kinds(self, _context: Any, _params: Any) -> t.CallToolResult:
        return t.CallToolResult(content=_kinds())

    async def _report(self, context: ServerRequestContext[Any, Any], _params: Any) -> Any:
        for step in range(3):
            await context.session.report_progress(step, 3, f"step {step}")
        return _text("reported")

    async def _wait(self, _context: Any, _params: Any) -> Any:
        try:
            await anyio.sleep(30)
        except anyio.get_cancelled_exc_class():
            self.cancelled.set()
            raise

    async def _nap(self, _context: Any, _params: Any) -> t.CallToolResult:
        await anyio.sleep(1)
        return _text("napped")

    async def _version(self, context: ServerRequestContext[Any, Any], _params: Any) -> Any:
        return _text(context.protocol_version)

    async def _large(self, _context: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        return _text("x" * (params.arguments or {})["size"])

    async def _mirrored(self, context: ServerRequestContext[Any, Any], _params: Any) -> Any:
        request: Any = context.request
        return _text(request.headers["mcp-param-region"])

    async def _headers(self, context: ServerRequestContext[Any, Any], _params: Any) -> Any:
        request: Any = context.request
        return _text(request.headers["x-token"])

    async def _structured(self, _context: Any, params: t.CallToolRequestParams) -> Any:
        block = t.TextContent(type="text", text="see n")
        return t.CallToolResult(content=[block], structured_content=params.arguments)

    async def _change(
        self, context: ServerRequestContext[Any, Any], params: t.CallToolRequestParams
    ) -> Any:
        self.added = (params.arguments or {})["added"]
        for _ in range(20):
            await self.bus.publish(ToolsListChanged())
            await context.session.send_tool_list_changed()
        return _text("changed")

    async def _ask(
        self, context: ServerRequestContext[Any, Any], params: t.CallToolRequestParams
    ) -> t.CallToolResult | t.InputRequiredResult:
        schema = (params.arguments or {}).get("schema") or {**OBJECT, "properties": {}}
        if not _is_modern(context):
            given = await context.session.elicit_form(
                "Really?", schema, related_request_id=context.request_id
            )
            return _text(f"{given.action} {given.content}")
        if params.input_responses:
            answer = params.input_responses["really"]
            return _text(f"{getattr(answer, 'action', '')} {getattr(answer, 'content', '')}")
        asked = t.ElicitRequestFormParams(message="Really?", requested_schema=schema)
        return t.InputRequiredResult(input_requests={"really": t.ElicitRequest(params=asked)})

    async def _sample(self, context: ServerRequestContext[Any, Any], _params: Any) -> Any:
        said = t.SamplingMessage(role="user", content=t.TextContent(type="text", text="hi"))
        asked = t.CreateMessageRequestParams(messages=[said], max_tokens=5)
        if _is_modern(context):
            request = t.CreateMessageRequest(params=asked)
            return t.InputRequiredResult(input_requests={"sample": request})
        await context.session.create_message(messages=[said], max_tokens=5)
        return _text("sampled")


async def _refuse_discovery(ctx: ServerRequestContext[Any, Any], call_next: Any) -> Any:
    if ctx.method == "server/discover":
        raise MCPError(t.METHOD_NOT_FOUND, "Method not found")
    return await call_next(ctx)


def _is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    return context.protocol_version.startswith(MODERN)


def _mirroring(name: str, header: str) -> t.Tool:
    """A tool whose argument is mirrored in a header."""
    region = {"type": "string", "x-mcp-header": header}
    return t.Tool(name=name, input_schema={**OBJECT, "properties": {"region": region}})


def _text(words: str) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(type="text", text=words)])


def _kinds() -> list[t.ContentBlock]:
    inside = t.TextResourceContents(uri="file:///a", mime_type="text/plain", text="a")
    outside = t.BlobResourceContents(uri="file:///b", mime_type="x/y", blob="AAAA")
    return [
        t.TextContent(type="text", text="t"),
        t.ImageContent(type="image", data="AAAA", mime_type="image/png"),
        t.AudioContent(type="audio", data="AAAA", mime_type="audio/wav"),
        t.EmbeddedResource(type="resource", resource=inside),
        t.EmbeddedResource(type="resource", resource=outside),
        t.ResourceLink(type="resource_link", name="c", uri="file:///c", mime_type="text/css"),
    ]


async def serve() -> None:
    """Serve over standard streams."""
    server = SdkServer()
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def main() -> None:
    """Serve as the command line says."""
    if sys.argv[1] == "stdio":
        anyio.run(serve)
        return
    server = SdkServer(is_old="old" in sys.argv)
    app = server.streamable_http_app(streamable_http_path="/mcp")
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
