"""Everything that is made for the types of a generation goes with its converter."""

import gc
import weakref
from typing import Any

import attrs
from pegboard.tools import CompiledTool, Converter, tool
from pegboard.values import Snapshot


def used_class(converter: Converter) -> "weakref.ref[Any]":
    """A class that a tool took, gave back and refused; only its weak reference is left."""

    def refuse(_instance: object, _attribute: object, value: int) -> None:
        if value < 0:
            raise ValueError

    made = attrs.make_class(
        "Made",
        {
            "n": attrs.field(type=int, validator=refuse),
            "below": attrs.field(type=Any, default=None),
        },
    )

    def give(it, others):  # type: ignore[no-untyped-def]  # annotated below
        return it

    give.__annotations__ = {"it": made, "others": list[made | str], "return": made}  # type: ignore[valid-type]
    ready = CompiledTool(tool(give), converter=converter)
    sent = Snapshot.of({"it": {"n": 1}, "others": [{"n": 2}, "a"]})
    ready.project(sent, ready.bind(sent, None)(), is_direct=True)
    assert not hasattr(ready.prepare(Snapshot.of({"it": {"n": "x"}})), "arguments")
    return weakref.ref(made)


def test_a_class_can_go_once_its_tool_and_its_converter_have_gone() -> None:
    converter = Converter()
    made = used_class(converter)

    del converter
    gc.collect()

    assert made() is None


def test_tools_of_one_schema_share_a_validator() -> None:
    converter = Converter()

    one, other = (converter.validator(Snapshot.of({"minimum": 1}), is_typed=True) for _ in range(2))

    assert one is other


def test_a_typed_tool_accepts_exactly_the_times_that_can_be_built() -> None:
    schema = Snapshot.of({"type": "string", "format": "time"})
    converter = Converter()

    raw, typed = (converter.validator(schema, is_typed=each) for each in (False, True))

    assert [each.accepts("10:00:00") for each in (raw, typed)] == [False, True]
    assert [each.accepts("10:00") for each in (raw, typed)] == [False, False]


def test_remarks_cost_a_validator_nothing_and_properties_of_their_name_stay() -> None:
    properties = {"description": {"type": "integer", "description": "x"}, "default": {"default": 1}}
    schema = Snapshot.of({"type": "object", "properties": properties, "required": ["default"]})
    validator = Converter().validator(schema, is_typed=True)

    assert validator.accepts({"description": 1, "default": None})
    assert not validator.accepts({"description": "x", "default": None})
    assert not validator.accepts({"description": 1})
