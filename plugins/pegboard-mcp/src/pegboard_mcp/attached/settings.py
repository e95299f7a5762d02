"""What an operator may set of an MCP server."""

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import attrs
from annotated_types import Gt, MinLen
from pegboard import Secret

from pegboard_mcp.attached.target import header_mistakes, is_address

Filled: TypeAlias = Annotated[str, MinLen(1)]


def _filled(_owner: object, field: "attrs.Attribute[Any]", texts: Iterable[str]) -> None:
    if "" in texts:
        raise ValueError(f"{field.name} holds an empty text")


@attrs.frozen
class McpSettings:
    """The settings of an MCP server.

    Attributes:
        command: what starts it, as text or as words.
        url: where it answers, instead of a command.
        env: variables for the command; it sees no others of this process but harmless ones.
        headers: what every request to the URL carries.
        cwd: the folder to run the command in.
        tools: names or patterns of the tools to take, as the server calls them; all, if none
            are given.
        prefix: what stands before the names; by default the plugin's name and `_`.
        read_timeout: seconds that a call may take.
        start_timeout: seconds that the server may take until it has listed its tools.
    """

    command: Filled | Annotated[tuple[str, ...], MinLen(1)] | None = None
    url: Filled | None = attrs.field(default=None, repr=False)
    env: dict[str, str | Secret] = attrs.field(factory=dict)
    headers: dict[str, str | Secret] = attrs.field(factory=dict)
    cwd: Filled | None = None
    tools: tuple[str, ...] | None = attrs.field(
        default=None, validator=attrs.validators.optional(_filled)
    )
    prefix: str | None = None
    read_timeout: Annotated[float, Gt(0)] | None = None
    start_timeout: Annotated[float, Gt(0)] = 25.0

    def __attrs_post_init__(self) -> None:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either a command or a url")
        if self.url is not None and not is_address(self.url):
            raise ValueError("a url begins with http:// or https://")
        if is_address(self.command):
            raise ValueError("the command is a URL; give it as url")
        if self.url is not None and (self.env or self.cwd):
            raise ValueError("env and cwd are for a command; a url has headers")
        if self.command is not None and self.headers:
            raise ValueError("headers are for a url; a command has env")
        if mistakes := [*header_mistakes(self.headers)]:
            raise ValueError("; ".join(mistakes))
