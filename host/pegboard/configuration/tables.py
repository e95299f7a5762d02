"""The tables of a configuration file, as classes that a file's values are checked against."""

from typing import Annotated, Literal, TypeAlias

import attrs
from annotated_types import Ge, Gt, Le

from pegboard.annotations import ToolAnnotations

Count: TypeAlias = Annotated[int, Ge(1), Le(2**53)]
Seconds: TypeAlias = Annotated[float, Gt(0), Le(1e9)]


@attrs.frozen
class SelectTable:
    """A selector written as a table."""

    plugin: str | None = None
    distribution: str | None = None
    tags: list[str] = attrs.field(factory=list)
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@attrs.frozen
class TokenTable:
    """Where the text of a token is: exactly one of the two."""

    env: str | None = None
    file: str | None = None


@attrs.frozen
class BoardTable:
    """The table of one board."""

    allow: list[str | SelectTable] | None = None
    deny: list[str | SelectTable] = attrs.field(factory=list)
    parent: str | None = None
    token: TokenTable | None = None
    presentation: Literal["native", "code", "both"] | None = None


@attrs.frozen
class OptionsTable:
    """The host's own options for one plugin."""

    prefix: str = ""
    rename: dict[str, str] = attrs.field(factory=dict)
    eager: bool = False


@attrs.frozen
class ToolTable:
    """The table of the tools that a name or a pattern means."""

    timeout: Seconds | None = None
    concurrency_safe: bool | None = None
    annotations: ToolAnnotations | None = None
    description: str | None = None
    max_running: Count | None = None
    defer_loading: bool | None = None


@attrs.frozen
class CodeTable:
    """The table of what each program of `run_code` may use."""

    interpreter_time: Seconds = 10.0
    wall_time: Seconds = 300.0
    memory: Count = 256 * 2**20
    output: Count = 2**20
    max_parallel: Count = 10


@attrs.frozen
class FileTable:
    """The whole file, without the plugins' tables."""

    block: list[str] = attrs.field(factory=list)
    only: list[str] | None = None
    required: list[str] = attrs.field(factory=list)
    prefer: list[str] = attrs.field(factory=list)
    deny: list[str | SelectTable] = attrs.field(factory=list)
    lock: str | None = None
    reserved: dict[str, str] = attrs.field(factory=dict)
    boards: dict[str, BoardTable] = attrs.field(factory=dict)
    tools: dict[str, ToolTable] = attrs.field(factory=dict)
    default_timeout: Seconds | None = None
    unknown_boards: Literal["create", "refuse"] = "create"
    mask_errors: bool = False
    stop_grace: Annotated[float, Ge(0), Le(1e9)] = 5.0
    hook_timeout: Seconds = 30.0
    load_timeout: Seconds = 30.0
    retry_after: Seconds = 1.0
    retry_at_most: Seconds = 60.0
    max_nesting: Annotated[int, Ge(0), Le(2**53)] = 64
    max_threads: Count = 16
    max_depth: Annotated[int, Ge(1), Le(512)] = 256
    max_nodes: Count = 1_000_000
    max_bytes: Count = 10 * 2**20
    control: str | None = None
    state: str | None = None
    close_grace: Annotated[float, Ge(0), Le(1e9)] = 10.0
    code: CodeTable = attrs.field(factory=CodeTable)
