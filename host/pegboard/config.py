"""What an operator decides, as data; `pegboard.configuration` reads it from a file."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

import attrs

from pegboard.annotations import ToolAnnotations
from pegboard.errors import BoardError
from pegboard.fields import (
    a_file,
    as_names,
    as_path,
    at_least_one,
    flag,
    grace,
    maybe_seconds,
    maybe_text,
    of_kind,
    seconds,
    selectors,
    shown_text,
    some_names,
    tables,
    text,
    whole,
)
from pegboard.programs import ProgramLimits
from pegboard.selection import Selector, is_exact
from pegboard.values import Limits

PRESENTATIONS = ("native", "code", "both")
"""How a board shows its tools: each of them, the one that runs programs, or both."""


@attrs.frozen
class BoardConfig:
    """What one board may use.

    Attributes:
        allow: selectors of the inherited tools that it sees; None for all.
        deny: selectors of those that it doesn't; deny wins.
        parent: the name of its parent board.
        presentation: how its tools are shown to models: `native`, `code` or `both`; as its parent
            does it if None.
        token: a `Secret`, or what gives one's text with `reveal()`, that a client must present to
            reach the board over a network; None where it has none.
    """

    allow: tuple[Selector, ...] | None = attrs.field(
        default=None, converter=as_names, validator=selectors
    )
    deny: tuple[Selector, ...] = attrs.field(default=(), converter=as_names, validator=selectors)
    parent: str | None = attrs.field(default=None, validator=maybe_text)
    token: "Revealing | None" = attrs.field(default=None, repr=False)
    presentation: str | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(attrs.validators.in_(PRESENTATIONS)),
    )


class Revealing(Protocol):
    """What knows a text that must not show."""

    def reveal(self) -> str:
        """The text.

        Raises:
            ConfigError: it isn't where it should be.
        """


@attrs.frozen
class PluginConfig:
    """What the operator says of one plugin.

    Attributes:
        settings: the plugin's own table, as plain JSON.
        prefix: put before the name of each of its tools.
        rename: the plugin's names of tools to the operator's.
        eager: whether it is imported on entering, also where the catalogue shows its tools.
    """

    settings: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    prefix: str = attrs.field(default="", validator=text)
    rename: Mapping[str, str] = attrs.field(factory=dict, validator=tables(str, "text"))
    eager: bool = attrs.field(default=False, validator=flag)


@attrs.frozen
class ToolConfig:
    """What the operator says of the tools that a name or a pattern means; None: nothing is said.

    Attributes:
        timeout: seconds that the body may take, for tools that declare no limit themselves.
        concurrency_safe: whether a call may overlap its neighbours in a batch.
        annotations: laid over what the author says of the tool's effects.
        description: what the model reads in the place of the author's.
        max_running: how many of its calls may run at once, on all boards together.
        defer_loading: whether a model may find it later rather than be shown it at once.
    """

    timeout: float | None = attrs.field(default=None, validator=maybe_seconds)
    concurrency_safe: bool | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.instance_of(bool))
    )
    annotations: ToolAnnotations | None = attrs.field(
        default=None, validator=of_kind(ToolAnnotations, type(None), wanted="ToolAnnotations")
    )
    description: str | None = attrs.field(default=None, validator=shown_text)
    max_running: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(at_least_one)
    )
    defer_loading: bool | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.instance_of(bool))
    )

    def over(self, others: "ToolConfig") -> "ToolConfig":
        """The same with what others say wherever nothing is said here."""
        said = {
            key: value
            for key, value in attrs.asdict(self, recurse=False).items()
            if value is not None
        }
        if self.annotations is not None:
            said["annotations"] = self.annotations.over(others.annotations)
        return attrs.evolve(others, **said)


@attrs.frozen
class CodeConfig:
    """What each program of `run_code` may use.

    Attributes:
        interpreter_time: seconds in which its own code runs.
        wall_time: seconds from its beginning to its end; waiting for people doesn't count.
        memory: bytes that its values may take; as much as the arguments of its open calls may.
        output: bytes that it may print.
        max_parallel: how many bodies of its calls may run at once.
    """

    interpreter_time: float = attrs.field(default=10.0, validator=seconds)
    wall_time: float = attrs.field(default=300.0, validator=seconds)
    memory: int = attrs.field(default=256 * 2**20, validator=at_least_one)
    output: int = attrs.field(default=2**20, validator=at_least_one)
    max_parallel: int = attrs.field(default=10, validator=at_least_one)

    @property
    def limits(self) -> ProgramLimits:
        """What of it a runtime is told."""
        return ProgramLimits(self.interpreter_time, self.wall_time, self.memory, self.output)


@attrs.frozen
class Place:
    """Where something stands in a configuration file."""

    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@attrs.frozen
class Config:
    """Everything that an operator decides for one host.

    Attributes:
        block: plugins that are never loaded.
        only: if given, nothing else is loaded.
        required: plugins without which the host doesn't start and no call runs.
        prefer: distributions, first choice first, where two offer a plugin of one name.
        deny: selectors of tools that no board sees, its own included.
        lock: the lock file, if there is one; what differs from it is quarantined.
        accept: whether what differs is taken all the same, for `host.lock()` to write it down.
        reserved: names that no plugin may use, with reasons.
        boards: boards by name; `*` stands for every board without an entry of its own.
        unknown_boards: whether a board that isn't in `boards` may be made: `create` or `refuse`.
        plugins: what the operator says of each plugin, by name.
        mcp: MCP servers that are attached as plugins, by name: the settings of each, and what the
            operator says of it.
        tools: what the operator says of tools, by exact names and patterns of `fnmatch`.
        default_timeout: seconds that a body may take where neither its tool nor `tools` says.
        mask_errors: whether the text of unexpected exceptions is kept from models.
        stop_grace: seconds that a cancelled body has to stop.
        hook_timeout: seconds that one hook may wait.
        load_timeout: seconds that importing and collecting a plugin may take.
        retry_after: seconds until a plugin that wasn't ready is tried again; doubled each time.
        retry_at_most: the longest that these become.
        max_nesting: how deep calls may be made inside calls.
        max_threads: threads of each plugin for its sync tools.
        max_depth: levels of a JSON value.
        max_nodes: parts of a JSON value.
        max_bytes: bytes of a JSON value as text.
        control: the Unix socket at which operators reach the host; none is opened if None.
        state: the file that the host itself writes: plugins that operators have blocked, and tools
            that they have denied for good.
        close_grace: seconds that running calls have when the host is stopped.
        code: what each program of `run_code` may use.
        places: where each part stands in its file, by path of keys.
    """

    block: tuple[str, ...] = attrs.field(default=(), converter=as_names, validator=some_names)
    only: tuple[str, ...] | None = attrs.field(
        default=None, converter=as_names, validator=some_names
    )
    required: tuple[str, ...] = attrs.field(default=(), converter=as_names, validator=some_names)
    prefer: tuple[str, ...] = attrs.field(default=(), converter=as_names, validator=some_names)
    deny: tuple[Selector, ...] = attrs.field(default=(), converter=as_names, validator=selectors)
    lock: Path | None = attrs.field(default=None, converter=as_path, validator=a_file)
    accept: bool = attrs.field(default=False, validator=flag)
    reserved: Mapping[str, str] = attrs.field(factory=dict, validator=tables(str, "text"))
    boards: Mapping[str, BoardConfig] = attrs.field(
        factory=dict, validator=tables(BoardConfig, "a BoardConfig")
    )
    unknown_boards: str = attrs.field(
        default="create", validator=attrs.validators.in_(["create", "refuse"])
    )
    plugins: Mapping[str, PluginConfig] = attrs.field(
        factory=dict, validator=tables(PluginConfig, "a PluginConfig")
    )
    mcp: Mapping[str, PluginConfig] = attrs.field(
        factory=dict, validator=tables(PluginConfig, "a PluginConfig")
    )
    tools: Mapping[str, ToolConfig] = attrs.field(
        factory=dict, validator=tables(ToolConfig, "a ToolConfig")
    )
    default_timeout: float | None = attrs.field(default=None, validator=maybe_seconds)
    mask_errors: bool = attrs.field(default=False, validator=flag)
    stop_grace: float = attrs.field(default=5.0, validator=grace)
    hook_timeout: float = attrs.field(default=30.0, validator=seconds)
    load_timeout: float = attrs.field(default=30.0, validator=seconds)
    retry_after: float = attrs.field(default=1.0, validator=seconds)
    retry_at_most: float = attrs.field(default=60.0, validator=seconds)
    max_nesting: int = attrs.field(default=64, validator=whole(0))
    max_threads: int = attrs.field(default=16, validator=at_least_one)
    max_depth: int = attrs.field(default=256, validator=whole(1, 512))
    max_nodes: int = attrs.field(default=1_000_000, validator=at_least_one)
    max_bytes: int = attrs.field(default=10 * 2**20, validator=at_least_one)
    control: Path | None = attrs.field(default=None, converter=as_path, validator=a_file)
    state: Path | None = attrs.field(default=None, converter=as_path, validator=a_file)
    close_grace: float = attrs.field(default=10.0, validator=grace)
    code: CodeConfig = attrs.field(
        factory=CodeConfig, validator=of_kind(CodeConfig, wanted="a CodeConfig")
    )
    places: Mapping[tuple[str, ...], Place] = attrs.field(factory=dict, repr=False, eq=False)

    @property
    def limits(self) -> Limits:
        """The limits of one JSON value."""
        return Limits(max_depth=self.max_depth, max_nodes=self.max_nodes, max_bytes=self.max_bytes)

    def board(self, name: str) -> BoardConfig | None:
        """What is said of a board, by its own entry or by `*`."""
        return self.boards.get(name) or self.boards.get("*")

    def ancestors(self, name: str) -> tuple[str, ...]:
        """The names of the boards above one, as far as they are configured, nearest first.

        Raises:
            BoardError: they go round in a circle.
        """
        chain = {name: None}
        above = self._parent(name)
        while above is not None:
            if above in chain:
                shown = " -> ".join(map(repr, (*chain, above)))
                raise BoardError(f"board {above!r} can't be its own parent: {shown}")
            chain[above] = None
            above = self._parent(above)
        return tuple(chain)[1:]

    def _parent(self, name: str) -> str | None:
        """The parent by its own entry, or by `*` unless it is that parent or above it."""
        own, others = self.boards.get(name), self.boards.get("*")
        if own is not None or others is None:
            return own.parent if own is not None else None
        return None if name in self._above_others else others.parent

    @property
    def _above_others(self) -> frozenset[str]:
        found: set[str] = set()
        board = self.boards.get("*")
        while board is not None and board.parent is not None and board.parent not in found:
            found.add(board.parent)
            board = self.boards.get(board.parent)
        return frozenset(found)

    def keeps_out(self, name: str) -> bool:
        """Whether a plugin is never loaded because it is installed."""
        return name in self.block or (self.only is not None and name not in self.only)

    def plugin(self, name: str) -> PluginConfig:
        """What is said of a plugin, or of an MCP server."""
        return self.plugins.get(name) or self.mcp.get(name) or PluginConfig()

    def path_of(self, name: str, *keys: str) -> tuple[str, ...]:
        """The path of keys to the table of a plugin or of an MCP server, or into it."""
        return ("mcp" if name in self.mcp else "plugins", name, *keys)

    def token(self, board: str) -> str | None:
        """What a client must present to reach a board over a network; None where nothing is said.

        Raises:
            ConfigError: it isn't where the configuration says.
        """
        said = self.board(board)
        return None if said is None or said.token is None else said.token.reveal()

    def tool(self, name: str) -> ToolConfig:
        """What is said of a tool: an exact name beats patterns, a later pattern an earlier one.

        Args:
            name: the name that models see.
        """
        said = ToolConfig(timeout=self.default_timeout)
        for each in self._of_tool(name):
            said = each.over(said)
        return said

    def _of_tool(self, name: str) -> Iterator[ToolConfig]:
        """The tables that mean a tool, the one that beats all others last."""
        for pattern, said in self.tools.items():
            if not is_exact(pattern) and fnmatchcase(name, pattern):
                yield said
        if is_exact(name) and name in self.tools:
            yield self.tools[name]

    def place(self, *path: str) -> Place | None:
        """Where a part stands, or the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.places:
                return self.places[path[:end]]
        return None
