"""What a tool is: a name, two schemas and a body, as data that nobody can change."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import attrs

from pegboard.annotations import ToolAnnotations
from pegboard.errors import InvalidToolError, NotJSONError
from pegboard.tools.signature import Signature
from pegboard.values import JSON, Content, Snapshot

Extra: TypeAlias = Literal["drop", "forbid", "keep"]
ConcurrencySafe: TypeAlias = bool | Callable[[JSON], bool | str] | None


def _as_schema(value: Any) -> Snapshot | None:
    return None if value is None else _taken(value, "an output schema")


def _as_parameters(value: Any, tool: attrs.AttrsInstance) -> Snapshot:
    return _taken(value, f"the parameter schema of tool {getattr(tool, 'name', '')!r}")


def _as_passthrough(value: Any) -> Snapshot:
    return _NOTHING if value is None else _taken(value, "what a tool passes through")


def _as_snapshot(value: Any) -> Snapshot:
    return Snapshot.of(value)


def _as_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


def _taken(value: Any, what: str) -> Snapshot:
    try:
        return value if isinstance(value, Snapshot) else Snapshot.of(value).kept()
    except NotJSONError as error:
        raise InvalidToolError(f"{what} isn't JSON: {error}") from error


class Written(Snapshot):
    """A schema that was made from types: it can be enforced, as long as its patterns can."""

    __slots__ = ()


@attrs.frozen
class Output:
    """What a tool gives back.

    Attributes:
        render: `render(arguments, value) -> list[content]`, pure; by default a string is a text
            block and anything else its JSON text.
        meta: `meta(arguments, value) -> JSON` for the card of a direct call.
    """

    _schema: Snapshot | None = attrs.field(default=None, converter=_as_schema)
    render: Callable[[JSON, JSON], Iterable[Content]] | None = None
    meta: Callable[[JSON, JSON], JSON] | None = None

    @property
    def schema(self) -> JSON:
        """The JSON Schema of the value, or None where any JSON value is right."""
        return None if self._schema is None else self._schema.read()

    @property
    def schema_snapshot(self) -> Snapshot | None:
        """The same, as the one object that is shown and validated."""
        return self._schema


_NOTHING = Snapshot.of({})
_NO_OUTPUT = Output()


def _as_output(output: Any) -> Output:
    return _NO_OUTPUT if output is None else output


@attrs.frozen
class ToolDefinition:
    """What a model is told of a tool, in no provider's shape."""

    name: str
    description: str
    _parameters: Snapshot = attrs.field(converter=_as_snapshot)
    defer_loading: bool = False

    @property
    def parameters(self) -> dict[str, JSON]:
        """The JSON Schema of the arguments, a copy of the reader's own."""
        return self._parameters.read()  # type: ignore[no-any-return]

    @property
    def parameters_text(self) -> bytes:
        """The same as JSON text, UTF-8."""
        return self._parameters.text


@attrs.frozen(eq=False, kw_only=True, repr=False)
class Tool:
    """A named function that a model may call.

    Made by `@tool` from a typed function, or by hand: then `run(arguments, context)` gets the
    arguments as they were sent and gives lossless JSON.

    Attributes:
        name: what the model calls; `[A-Za-z_][A-Za-z0-9_-]{0,63}`.
        description: what the model reads.
        run: the body of a tool made by hand; sync or async.
        output: its output schema, renderer and meta.
        title: a name for people.
        timeout: seconds that the body may take, or None.
        concurrency_safe: whether a call may overlap its neighbours in a batch: True, False, or a
            pure function of the arguments that gives True, False or a key. None: not said.
        annotations: what the author says of its effects, or None.
        tags: words to select it by.
        defer_loading: whether a model may find it later rather than be shown it at once.
        extra: what happens to undeclared arguments.
        coerce: whether text that spells a value is taken for it.
        project: `project(arguments, outcome)` gives content or None, before the after hooks.
        finalize: the same, as the very last.
        present_call: `present_call(arguments)` gives a card.
        present_result: `present_result(arguments, outcome)` gives a card.
        signature: how a typed function is called; None for a tool made by hand.
        secret_parameters: the names of the arguments that must not show.
        passthrough: further fields of the tool's own protocol, shown again in the `mcp` shape.
    """

    name: str
    description: str = ""
    _parameters: Snapshot = attrs.field(
        converter=attrs.Converter(_as_parameters, takes_self=True)  # type: ignore[misc]  # mypy lags
    )
    run: Callable[..., Any] | None = None
    output: Output = attrs.field(default=None, converter=_as_output)
    title: str | None = None
    timeout: float | None = None
    concurrency_safe: ConcurrencySafe = None
    annotations: ToolAnnotations | None = None
    tags: frozenset[str] = attrs.field(default=frozenset(), converter=_as_names)
    defer_loading: bool = False
    extra: Extra = "drop"
    coerce: bool = False
    project: Callable[..., Any] | None = None
    finalize: Callable[..., Any] | None = None
    present_call: Callable[..., Any] | None = None
    present_result: Callable[..., Any] | None = None
    signature: Signature | None = None
    secret_parameters: frozenset[str] = attrs.field(default=frozenset(), converter=_as_names)
    _passthrough: Snapshot = attrs.field(default=None, converter=_as_passthrough)

    @property
    def parameters(self) -> dict[str, JSON]:
        """The JSON Schema of the arguments, a copy of the reader's own."""
        return self._parameters.read()  # type: ignore[no-any-return]

    @property
    def parameters_snapshot(self) -> Snapshot:
        """The same, as the one object that is shown and validated."""
        return self._parameters

    @property
    def passthrough(self) -> dict[str, JSON]:
        """Further fields of the tool's own protocol."""
        return self._passthrough.read()  # type: ignore[no-any-return]

    @property
    def function(self) -> Callable[..., Any] | None:
        """What runs when the tool is called: the author's function, or `run`."""
        return self.run if self.signature is None else self.signature.function

    @property
    def __wrapped__(self) -> Callable[..., Any] | None:
        return self.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, as if it had never become a tool."""
        if self.function is None:
            raise InvalidToolError(f"tool {self.name!r} has no body")
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"
