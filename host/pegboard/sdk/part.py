"""The part of one tool in the SDK: its types and its function."""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from pegboard.sdk.documents import Document
from pegboard.sdk.expressions import (
    ANY,
    NONE,
    Alias,
    Definition,
    Named,
    Path,
    Record,
    Type,
    names_in,
)
from pegboard.sdk.naming import Wanted, is_function_name, is_keyword_name, type_word
from pegboard.sdk.reading import Reader
from pegboard.sdk.settling import Settled, in_order, types_in
from pegboard.sdk.showing import Shown, mark, split_at_marks
from pegboard.sdk.taking import arguments_of
from pegboard.sdk.wording import docstring
from pegboard.tools import Tool

_OWN = ("Arguments", "Call", "Result")


@attrs.frozen(eq=False)
class Part:
    """The part of one tool, before its types have their names.

    Attributes:
        is_function: whether the tool is a function; otherwise its last type is what `tools` gives.
        wanted: what its types would be called.
        pieces: its text, with a number where the name of that type belongs.
        remarked: what a type checker would remark if this were the text of a program.
    """

    is_function: bool
    wanted: tuple[Wanted, ...]
    pieces: tuple[str | int, ...]
    remarked: frozenset[str]

    def text(self, names: Sequence[str]) -> str:
        """The text with these names."""
        return "".join(each if isinstance(each, str) else names[each] for each in self.pieces)


@attrs.frozen(eq=False)
class _Read:
    """What a tool takes and gives, and the types that this is made of."""

    name: str
    arguments: Record
    given: Type
    result: Type
    bodies: Mapping[int, Record | Alias]

    def shown(self, type_: Type) -> str:
        return Shown(self.bodies, type_word(self.name)).type(type_)


def part_of(tool: Tool, name: str) -> Part:
    """The part of a tool.

    Args:
        tool: the tool.
        name: what it is called on the board.
    """
    definitions: list[Definition] = []
    read = _read(tool, name, definitions)
    is_function = is_function_name(name)
    keys = [*read.bodies] if is_function else [*read.bodies, len(definitions)]
    definitions.append(Definition("Call", Path(None, "Call"), "Call"))
    call = _function(read) if is_function else _protocol(keys[-1], read)
    said = docstring(tool.description, "    " if is_function else "        ")
    text = f"{''.join(_definitions(read))}{call}" + (f"\n{said}\n" if said else " ...\n")
    places = {key: place for place, key in enumerate(keys)}
    return Part(
        is_function,
        tuple(_wanted(name, [definitions[key] for key in keys])),
        tuple(each if isinstance(each, str) else places[each] for each in split_at_marks(text)),
        frozenset(_remarked(read, is_function=is_function)),
    )


def _wanted(name: str, definitions: Sequence[Definition]) -> Iterator[Wanted]:
    """What the types of a tool would be called; those of arguments come before those of results."""
    first = type_word(name)
    words = [_word(each) for each in definitions]
    sides = [each.side for each in definitions]
    given = {word for word, side in zip(words, sides, strict=True) if side == "Arguments"}
    for word, each in zip(words, definitions, strict=True):
        is_later = each.side == "Result" and word in given
        yield Wanted(f"{first}Result{word}" if is_later else first + word, name, each.path)


def _word(definition: Definition) -> str:
    """What a type is called behind its tool, whose own types nothing else is called like."""
    is_own = definition.path.around is None
    return definition.word if is_own or definition.word not in _OWN else f"{definition.word}Part"


def _read(tool: Tool, name: str, definitions: list[Definition]) -> _Read:
    arguments = arguments_of(tool, definitions)
    given = _given(arguments, definitions)
    result = _result(tool, definitions)
    settled = Settled.of(definitions, [given, result])
    given, result = settled.written(given), settled.written(result)
    return _Read(name, arguments, given, result, _in_order(settled, [given, result]))


def _remarked(read: _Read, *, is_function: bool) -> Iterator[str]:
    records = [each for each in read.bodies.values() if isinstance(each, Record)]
    if any(each.is_closed or each.others for each in records):
        yield "unknown-argument"
    if is_function and not _admits_none(read.result, read.bodies):
        yield "empty-body"


def _admits_none(type_: Type, bodies: Mapping[int, Record | Alias]) -> bool:
    pending, seen = [*type_], set[int]()
    while pending:
        member = pending.pop()
        if member in (*ANY, *NONE):
            return True
        if isinstance(member, Named) and member.key not in seen:
            seen.add(member.key)
            body = bodies[member.key]
            pending += body.type if isinstance(body, Alias) else ()
    return False


def _given(arguments: Record, definitions: list[Definition]) -> Type:
    """The type of what a program gives: of every argument, or of all of them in a dict."""
    if not arguments.fields:
        return arguments.others or ()
    definitions.append(Definition("Arguments", Path(None, "Arguments"), "Arguments", arguments))
    return (Named(len(definitions) - 1),)


def _result(tool: Tool, definitions: list[Definition]) -> Type:
    if tool.output.schema_snapshot is None:
        return ANY
    document = Document.of(tool.output.schema, "Result")
    return Reader(document, definitions, is_argument=False).value(document.root())


def _in_order(settled: Settled, roots: Sequence[Type]) -> dict[int, Record | Alias]:
    """The definitions that are needed, each after those that it is made of."""
    keys = [each for each in range(len(settled.definitions)) if each not in settled.inline]
    bodies = {key: settled.body(key) for key in keys}
    leads = {
        key: [name for each in types_in(body) for name in names_in(each)]
        for key, body in bodies.items()
    }
    first = [name for each in roots for name in names_in(each)]
    return {key: bodies[key] for key in in_order(first, leads)}


def _definitions(read: _Read) -> Iterator[str]:
    defined: set[int] = set()
    shown = Shown(defined, type_word(read.name))
    for key, body in read.bodies.items():
        yield shown.definition(key, body)
        defined.add(key)


def _function(read: _Read) -> str:
    return f"async def {read.name}({_parameters(read)}) -> {read.shown(read.result)}:"


def _protocol(key: int, read: _Read) -> str:
    """What `tools` gives for a tool whose name can't be a function's."""
    names = {each.key for each in read.arguments.fields}
    itself = ["self", "/"] if "self" in names and _are_keywords(read.arguments) else ["self"]
    taken = ", ".join([*itself, *filter(None, [_parameters(read)])])
    first = f"class {mark(key)}(Protocol):\n"
    return f"{first}    async def __call__({taken}) -> {read.shown(read.result)}:"


def _parameters(read: _Read) -> str:
    fields = read.arguments.fields
    given = read.shown(read.given)
    if not fields:
        return f"**arguments: {given}" if given else ""
    if _are_keywords(read.arguments):
        return f"**arguments: Unpack[{given}]"
    is_needed = any(each.is_required for each in fields)
    return f"arguments: {given}, /" if is_needed else f"arguments: {given} = {{}}, /"


def _are_keywords(arguments: Record) -> bool:
    return all(is_keyword_name(each.key) for each in arguments.fields)
