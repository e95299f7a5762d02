"""Every check of a tool fails for a plugin that was made to fail it, and says whose it is."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Annotated, Any

import pytest
from pegboard import Doc, Output, Tool, ToolAnnotations, hookimpl, tool
from pegboard.testing import PluginWarning
from pegboard.testing.checks import PluginChecks


class Bad:
    """A plugin with one tool."""

    def __init__(self, made: Tool) -> None:
        self.made = made

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        return [self.made]


def raw(**options: Any) -> Tool:
    """A tool made by hand, right but for the options."""
    text = {"type": "string", "description": "What."}
    whole = {"type": "object", "properties": {"value": text}}
    right = {"name": "bad", "description": "Do it.", "parameters": whole, "run": lambda a, c: None}
    return Tool(**right | options)


def with_value(**part: Any) -> Tool:
    """The same with another schema for its argument."""
    value = {"type": "string", "description": "What."} | part
    return raw(parameters={"type": "object", "properties": {"value": value}})


class Unspeakable(Tool):
    """A tool of the plugin's own class."""

    @property
    def passthrough(self) -> dict[str, Any]:
        return {"further": object()}


def unspeakable() -> Tool:
    """One that can't be written as JSON."""
    return Unspeakable(name="bad", description="Do it.", parameters={"type": "object"}, run=print)


@tool
def undescribed_parameter(value: Annotated[str, Doc("What.")], other: int = 1) -> str:
    """Do it."""
    return value


def raising(*_: Any) -> Any:
    raise LookupError("no luck")


def changing() -> Any:
    """A function that gives another key each time."""
    numbers = count()
    return lambda _: str(next(numbers))


LISTS = Output(schema={"type": "array", "items": {"type": "string"}})
UNKNOWABLE = {"type": "string", "description": "What.", "pattern": "^q{7}-[wz]{3}$"}

BAD: dict[str, list[tuple[str, Tool, list[str]]]] = {
    "every_tool_is_described": [
        ("none", raw(description=""), ["'bad'", "Bad", "docstring"]),
        ("blank", raw(description=" \n"), ["no description"]),
    ],
    "every_parameter_is_described": [
        ("of a function", undescribed_parameter, ["'other'", "'undescribed_parameter'", "Doc"]),
        ("by hand", with_value(description=""), ["'value'"]),
    ],
    "every_name_fits_every_provider": [
        (
            "no letters of English",
            raw(parameters={"type": "object", "properties": {"gr\xf6\xdfe": {}}}),
            ["gr\\xf6\\xdfe", "'bad'", "letters"],
        ),
        (
            "inside",
            with_value(type="object", properties={"a b": {}}),
            ["'a b'"],
        ),
    ],
    "every_schema_agrees_with_itself": [
        ("default", with_value(default=1), ["$.value", "'default'", "'bad'"]),
        ("examples", with_value(examples=["a", 1]), ["'examples'"]),
        ("output", raw(output=Output(schema={"type": "string", "default": 1})), ["output"]),
        (
            "required",
            raw(parameters={"type": "object", "required": ["a"], "additionalProperties": False}),
            ["'a'", "doesn't allow"],
        ),
    ],
    "no_tool_that_only_reads_is_destructive": [
        (
            "both",
            raw(annotations=ToolAnnotations(read_only=True, destructive=True)),
            ["read_only=True", "'bad'"],
        ),
    ],
    "every_provider_can_be_told_of_every_tool": [
        ("no JSON", unspeakable(), ["'bad'", "mcp", "TypeError"]),
    ],
    "every_call_can_be_shown": [
        ("call", raw(present_call=raising), ["present_call", "'bad'", "LookupError: no luck"]),
        ("no card", raw(present_call=lambda _: 7), ["int", "no card"]),
        ("failure", raw(present_result=raising), ["present_result", "a failure"]),
        (
            "success",
            raw(present_result=lambda _, o: None if o.is_error else {}[o.value[0]], output=LISTS),
            ["a success", "IndexError"],
        ),
        (
            "no arguments",
            raw(
                parameters={"type": "object", "properties": {"v": UNKNOWABLE}, "required": ["v"]},
                present_call=raising,
            ),
            ["no arguments", "arguments={'bad': [{…}]}"],
        ),
    ],
    "every_tool_says_what_its_calls_may_overlap": [
        ("raising", raw(concurrency_safe=raising), ["LookupError: no luck", "'bad'"]),
        (
            "short text",
            raw(concurrency_safe=lambda a: a.get("value", "x")[0]),
            ["IndexError", '{"value": ""}'],
        ),
        ("nothing", raw(concurrency_safe=lambda _: None), ["gives NoneType"]),
        ("changing", raw(concurrency_safe=changing()), ["two answers"]),
    ],
}
LIFE = {
    "it_can_be_imported_and_loaded",
    "it_leaves_nothing_when_it_is_unloaded_twice",
    "it_names_the_settings_that_it_misses",
    "it_prints_nothing_while_it_is_loaded",
}
"""Those of `test_checks_of_life.py`."""


def cases() -> Iterator[Any]:
    """Every bad tool, with the requirement that it fails."""
    for requirement, bad in BAD.items():
        for name, made, words in bad:
            yield pytest.param(requirement, made, words, id=f"{requirement}-{name}")


@pytest.mark.parametrize(("requirement", "made", "words"), list(cases()))
def test_a_tool_made_to_fail_a_check_fails_it_and_is_named(
    answer: Callable[..., str], requirement: str, made: Tool, words: list[str]
) -> None:
    text = answer(requirement, Bad(made))

    assert [each for each in words if each not in text] == []


@pytest.mark.parametrize("requirement", BAD)
def test_a_right_tool_passes_every_check(ask: Callable[..., None], requirement: str) -> None:
    @tool(
        annotations=ToolAnnotations(read_only=True),
        concurrency_safe=lambda arguments: arguments["value"],
        present_call=lambda arguments: {"kind": "terminal", "command": arguments["value"]},
    )
    def right(value: str, times: int = 1) -> list[str]:
        """Do it.

        Args:
            value: What.
            times: How often.
        """
        return [value] * times

    ask(requirement, Bad(right))


def test_a_default_beside_a_reference_to_anywhere_is_let_through(ask: Callable[..., None]) -> None:
    value = {"type": "string", "description": "What."}
    other = {"$ref": "#/properties/value", "default": "a"}
    made = raw(parameters={"type": "object", "properties": {"value": value, "other": other}})

    ask("every_schema_agrees_with_itself", Bad(made))


def test_a_tool_without_annotations_is_a_warning(ask: Callable[..., None]) -> None:
    with pytest.warns(PluginWarning, match="'bad' of plugin 'Bad' has no annotations"):
        ask("every_tool_says_what_it_may_change", Bad(raw()))


def test_arguments_of_the_author_s_own_are_tried_where_none_can_be_guessed(
    answer: Callable[..., str], ask: Callable[..., None]
) -> None:
    parameters = {"type": "object", "properties": {"v": UNKNOWABLE}, "required": ["v"]}
    own = {"bad": [{"v": "qqqqqqq-wzw"}]}

    ask("every_call_can_be_shown", Bad(raw(parameters=parameters)), arguments=own)
    made = raw(parameters=parameters, present_call=raising)
    text = answer("every_call_can_be_shown", Bad(made), arguments=own)

    assert "LookupError: no luck" in text


def test_what_shapes_cannot_say_is_printed(
    ask: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    ask("every_provider_can_be_told_of_every_tool", Bad(raw(title="Bad")))

    assert "bad: title (not in anthropic, gemini" in capsys.readouterr().out


def test_every_check_has_a_plugin_that_fails_it() -> None:
    checks = {name.removeprefix("test_") for name in vars(PluginChecks) if name.startswith("test_")}

    assert checks == {*BAD, *LIFE, "every_tool_says_what_it_may_change"}
