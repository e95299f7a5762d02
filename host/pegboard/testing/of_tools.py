"""What is asked of a plugin's tools, as they stand: what is wrong with them, in words."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pegboard.board import Board
from pegboard.formats import SHAPES, anthropic, gemini, mcp, openai, openai_responses, pi
from pegboard.formats._schema import changed_parts
from pegboard.tools import Tool
from pegboard.tools.parts import Parts
from pegboard.tools.searching import Search
from pegboard.tools.validation import make_validator
from pegboard.values import JSON, Snapshot

_LOSSES = {
    "anthropic": anthropic.losses,
    "gemini": gemini.losses,
    "mcp": mcp.losses,
    "openai": openai.losses,
    "openai_responses": openai_responses.losses,
    "pi": pi.losses,
}
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def named(board: Board, name: str) -> str:
    """A tool and whose it is."""
    return f"tool {name!r} of {board.explain(name).owner}"


def without_description(board: Board) -> Iterator[str]:
    """Tools of which a model is told nothing but the name."""
    for name, tool in board.tools.items():
        if not tool.description.strip():
            yield (
                f"{named(board, name)} has no description; write a docstring, or give description="
            )


def without_parameter_description(board: Board) -> Iterator[str]:
    """Parameters of which a model is told nothing but name and type."""
    for name, tool in board.tools.items():
        schema = tool.parameters
        parts = Parts.of(schema)
        for parameter, part in parts.resolve(schema).get("properties", {}).items():
            if not _is_described(part) and not _is_described(parts.resolve(part)):
                yield (
                    f"parameter {parameter!r} of {named(board, name)} has no description; name it "
                    "under Args in the docstring, or annotate it with Doc(…)"
                )


def _is_described(part: Any) -> bool:
    text = part.get("description") if isinstance(part, dict) else None
    return isinstance(text, str) and bool(text.strip())


def unfit_names(board: Board) -> Iterator[str]:
    """Arguments whose names some provider doesn't take, so that models see others."""
    for name, tool in board.tools.items():
        for _, part in _parts_of(tool.parameters):
            for key in part.get("properties", {}):
                if not _ARGUMENT.fullmatch(key):
                    yield (
                        f"the argument {key!a:.80} of {named(board, name)} has a name that not "
                        "every provider takes; use letters, digits and _, at most 64, and no "
                        "digit first"
                    )


def wrong_schemas(board: Board) -> Iterator[str]:
    """Schemas that contradict themselves."""
    for name, tool in board.tools.items():
        for what, schema in (("parameter", tool.parameters), ("output", tool.output.schema)):
            for problem in _contradictions(schema):
                yield f"the {what} schema of {named(board, name)} {problem}"


def _contradictions(schema: JSON) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    search = make_validator(Snapshot.of(schema)).search()
    for where, part in _parts_of(schema):
        for key, value in _own_values(part):
            if not _is_accepted(search, part, value):
                yield f"gives, at {where}, a value under {key!r} that it refuses; correct either"
        if part.get("additionalProperties") is False and "patternProperties" not in part:
            for key in part.get("required", ()):
                if key not in part.get("properties", {}):
                    yield f"requires {key!r} at {where} and doesn't allow it; declare it"


def _is_accepted(search: Search, part: JSON, value: JSON) -> bool:
    try:
        return search.accepts(part, value)
    except ValueError:
        return True  # it refers to another place than the definitions, and can't be read by itself


def _own_values(part: dict[str, Any]) -> Iterator[tuple[str, JSON]]:
    if "default" in part:
        yield "default", part["default"]
    examples = part.get("examples", ())
    yield from (("examples", each) for each in (examples if isinstance(examples, list) else ()))


def _parts_of(schema: JSON) -> list[tuple[str, dict[str, Any]]]:
    """Every part of a schema, with its place."""
    found: list[tuple[str, dict[str, Any]]] = []

    def note(part: JSON, where: str) -> JSON:
        if isinstance(part, dict):
            found.append((where, part))
            changed_parts(part, note, where)
        return part

    note(schema, "$")
    return found


def without_annotations(board: Board) -> Iterator[str]:
    """Tools of whose effects nothing is said."""
    for name, tool in board.tools.items():
        if tool.annotations is None:
            yield (
                f"{named(board, name)} has no annotations, and counts as one that may destroy "
                "what is there; say what it does with annotations=ToolAnnotations(…)"
            )


def destructive_readers(board: Board) -> Iterator[str]:
    """Tools that say that they change nothing, and that they destroy."""
    for name, tool in board.tools.items():
        if _contradicts_itself(tool):
            yield (
                f"{named(board, name)} says read_only=True and destructive=True; what only reads "
                "destroys nothing: leave one out"
            )


def _contradicts_itself(tool: Tool) -> bool:
    said = tool.annotations
    return said is not None and said.read_only is True and said.destructive is True


def not_exportable(board: Board) -> Iterator[str]:
    """Shapes in which the definitions can't be given."""
    for shape, definitions in SHAPES.items():
        try:
            json.dumps([definitions(board), [each.what for each in _LOSSES[shape](board)]])
        except Exception as error:  # noqa: BLE001 - a tool may be of a class of the plugin's own
            names = ", ".join(map(repr, board.tools))
            yield (
                f"the tools {names} can't be given in the shape of {shape}: "
                f"{type(error).__name__}: {error}"
            )


def losses(board: Board) -> Iterator[str]:
    """What shapes can't say of the tools, and which."""
    found: dict[str, list[str]] = {}
    for shape, lost in _LOSSES.items():
        for each in lost(board):
            if each.tool in board.tools:
                found.setdefault(f"{each.tool}: {each.what}", []).append(shape)
    yield from (f"{what} (not in {', '.join(shapes)})" for what, shapes in found.items())
