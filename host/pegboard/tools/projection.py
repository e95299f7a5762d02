"""From what a body gave to the value and the content of an outcome."""

from collections.abc import Callable
from typing import Any

from pegboard.errors import NotJSONError
from pegboard.tools.conversion import Converter
from pegboard.tools.faults import OutputError, join_faults
from pegboard.tools.forms import Form
from pegboard.tools.model import Tool
from pegboard.tools.stages import Projection, ToolResult
from pegboard.tools.unbuilding import MisfitError, Unbuilders, as_json
from pegboard.values import JSON, Content, Limits, Snapshot, Text
from pegboard.values.content import (
    BLOCKS,
    block_as_json,
    check_content,
    check_content_size,
    text_block,
)
from pegboard.values.stack import run_deep

_BLOCKS = frozenset(BLOCKS)
_OWN_CONTENT = frozenset({*BLOCKS, ToolResult})


class Projector:
    """Projects the values of one tool."""

    __slots__ = ("_accepts", "_form", "_is_bare", "_limits", "_tool", "_unbuild", "_validator")

    def __init__(self, tool: Tool, form: Form | None, converter: Converter, limits: Limits) -> None:
        schema = tool.output.schema_snapshot
        self._tool = tool
        self._is_bare = tool.output.render is None and tool.output.meta is None
        self._form = form
        self._limits = limits
        self._unbuild = None if form is None else Unbuilders(converter).of(form)
        is_typed = tool.signature is not None and form is not None
        self._validator = schema and converter.validator(schema, is_typed=is_typed)
        self._accepts = self._validator.accepts if self._validator else None

    def project(self, arguments: Snapshot, value: Any, *, is_direct: bool) -> Projection:
        """The value as JSON, checked and rendered.

        Raises:
            OutputError: it isn't what the tool's output schema says, isn't JSON, or can't be
                rendered.
        """
        kind = type(value)
        if kind in _OWN_CONTENT or ((kind is list or kind is tuple) and _is_content(value)):
            return self._project_content(arguments, value, is_direct=is_direct)
        if self._unbuild is not None:
            value = self._unbuilt(self._unbuild, value)
        return self._checked(arguments, value, is_direct=is_direct)

    def revalidate(self, arguments: Snapshot, value: Snapshot, *, is_direct: bool) -> Projection:
        """The same for a value that is JSON already.

        Raises:
            OutputError: it isn't what the tool's output schema says, or can't be rendered.
        """
        return self._checked(arguments, value.read(), is_direct=is_direct)

    def _checked(self, arguments: Snapshot, value: Any, *, is_direct: bool) -> Projection:
        try:
            taken = Snapshot.of(value, self._limits)
        except NotJSONError as error:
            raise OutputError(f"the output isn't valid: {error}") from error
        if self._accepts is not None and not self._accepts(value):
            raise OutputError(self._refused(value))
        if self._is_bare:
            text = value if type(value) is str else taken.text.decode()
            return Projection(taken, (text_block(text),))
        return Projection(
            taken,
            self._rendered(arguments, taken),
            self._meta(arguments, taken) if is_direct else None,
        )

    def _refused(self, value: JSON) -> str:
        faults = self._validator.faults(value) if self._validator else ()
        return f"the output isn't valid: {join_faults(faults)}"

    def _unbuilt(self, unbuild: Callable[..., Any], value: Any) -> JSON:
        try:
            return run_deep(unbuild, value)
        except BaseException as first:  # noqa: BLE001 - code of a plugin
            return run_deep(self._unbuilt_slowly, value, first)

    def _unbuilt_slowly(self, value: Any, first: BaseException) -> JSON:
        """The same once more, in a way that knows the path."""
        try:
            return None if self._form is None else as_json(self._form, value)
        except MisfitError as error:
            raise OutputError(f"the output isn't valid: {error}") from error
        except BaseException as error:
            message = f"the output can't be turned into JSON ({type(first).__name__})"
            raise OutputError(message, raised=first) from error

    def _project_content(self, arguments: Snapshot, value: Any, *, is_direct: bool) -> Projection:
        if type(value) is ToolResult:
            return self._project_result(arguments, value, is_direct=is_direct)
        blocks = (value,) if type(value) in _BLOCKS else tuple(value)
        shown = [block_as_json(each) for each in blocks]
        json = shown[0] if type(value) in _BLOCKS else shown
        taken = self._checked(arguments, json, is_direct=False).value
        meta = self._meta(arguments, taken) if is_direct else None
        return Projection(taken, blocks, meta)

    def _project_result(
        self, arguments: Snapshot, result: ToolResult, *, is_direct: bool
    ) -> Projection:
        made = self._checked(arguments, result.value, is_direct=is_direct)
        if result.content is not None:
            try:
                made.content = check_content(result.content)
            except TypeError as error:
                raise OutputError(f"the content isn't valid: {error}") from error
            self._check_size(made.content)
        if result.meta is not None and is_direct:
            try:
                made.meta = Snapshot.of(result.meta, self._limits)
            except NotJSONError as error:
                raise OutputError(f"the meta of the output isn't valid: {error}") from error
        return made

    def _rendered(self, arguments: Snapshot, value: Snapshot) -> tuple[Content, ...]:
        render = self._tool.output.render
        if render is None:
            found = value.read()
            return (Text(found if type(found) is str else value.text.decode()),)
        try:
            blocks = check_content(render(arguments.read(), value.read()))
        except BaseException as error:
            raise _failed("the output can't be rendered", error) from error
        self._check_size(blocks)
        return blocks

    def _check_size(self, blocks: tuple[Content, ...]) -> None:
        try:
            check_content_size(blocks, self._limits)
        except NotJSONError as error:
            raise OutputError(f"the rendered content isn't valid: {error}") from error

    def _meta(self, arguments: Snapshot, value: Snapshot) -> Snapshot | None:
        meta = self._tool.output.meta
        if meta is None:
            return None
        try:
            given = meta(arguments.read(), value.read())
            return None if given is None else Snapshot.of(given, self._limits)
        except NotJSONError as error:
            raise OutputError(f"the meta of the output isn't valid: {error}") from error
        except BaseException as error:
            raise _failed("the meta of the output can't be made", error) from error


def _is_content(value: Any) -> bool:
    return (
        bool(value) and type(value[0]) in _BLOCKS and all(type(each) in _BLOCKS for each in value)
    )


def _failed(what: str, error: BaseException) -> OutputError:
    return OutputError(
        f"{what}: {_text(error)}", raised=error, masked=f"{what}: {type(error).__name__}"
    )


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - code of a plugin
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
