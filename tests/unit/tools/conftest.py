"""Tools made ready and called, without a host and without a loop."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard.tools import CompiledTool, Converter, Faults, Prepared, Tool, tool
from pegboard.tools.validation import compile_schema
from pegboard.values import DEFAULT_LIMITS, Limits, Snapshot

compile_schema({})  # what jsonschema-rs imports late isn't left behind by the test that comes first

Compile = Callable[..., CompiledTool]
Send = Callable[..., Any]


def as_tool(given: Any, options: dict[str, Any]) -> Tool:
    """The tool itself, or one made of a function."""
    return given if isinstance(given, Tool) else tool(given, **options)


@pytest.fixture
def compiled() -> Compile:
    """A function that makes a tool, or a function, ready to be called."""

    def make(given: Any, *, limits: Limits = DEFAULT_LIMITS, **options: Any) -> CompiledTool:
        return CompiledTool(as_tool(given, options), converter=Converter(), limits=limits)

    return make


@pytest.fixture
def prepare(compiled: Compile) -> Callable[..., Prepared | Faults]:
    """A function that prepares arguments for a tool."""

    def run(given: Any, arguments: Any, **options: Any) -> Prepared | Faults:
        return compiled(given, **options).prepare(Snapshot.of(arguments))

    return run


@pytest.fixture
def refused(prepare: Callable[..., Prepared | Faults]) -> Callable[..., str]:
    """A function that gives the message with which arguments are refused."""

    def run(given: Any, arguments: Any, **options: Any) -> str:
        found = prepare(given, arguments, **options)
        assert isinstance(found, Faults), f"not refused: {found}"
        return found.message("it")

    return run


@pytest.fixture
def send(compiled: Compile) -> Send:
    """A function that prepares, binds and runs a sync tool, and gives what its body gave."""

    def run(given: Any, arguments: Any, *, context: Any = None, **options: Any) -> Any:
        ready = compiled(given, **options)
        prepared = ready.prepare(Snapshot.of(arguments))
        assert isinstance(prepared, Prepared), prepared.message("it")
        return ready.bind(prepared.arguments, context)()

    return run


@pytest.fixture
def answer(compiled: Compile) -> Send:
    """The same with stage 9: the value as JSON."""

    def run(given: Any, arguments: Any = None, *, context: Any = None, **options: Any) -> Any:
        ready = compiled(given, **options)
        prepared = ready.prepare(Snapshot.of(arguments or {}))
        assert isinstance(prepared, Prepared), prepared.message("it")
        value = ready.bind(prepared.arguments, context)()
        return ready.project(prepared.arguments, value, is_direct=True).value.read()

    return run
