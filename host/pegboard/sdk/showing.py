"""Types and definitions as text; names that aren't settled yet are marks in it."""

import re
from collections.abc import Collection, Iterator

import attrs

from pegboard.sdk.expressions import (
    Alias,
    Field,
    Holder,
    Member,
    Named,
    Plain,
    Record,
    Type,
    Value,
)
from pegboard.sdk.naming import is_field_name
from pegboard.sdk.wording import literal

_MARK = re.compile("\0([0-9]+)\0")


def mark(key: int) -> str:
    """What stands for the name of a definition."""
    return f"\0{key}\0"


def split_at_marks(text: str) -> tuple[str | int, ...]:
    """The text in pieces, with a number for each mark."""
    pieces = _MARK.split(text)
    return tuple(int(each) if at % 2 else each for at, each in enumerate(pieces))


@attrs.frozen
class Shown:
    """Types as text.

    Attributes:
        defined: the definitions that stand before it; others are quoted.
        own: what the names of the tool's types begin with.
    """

    defined: Collection[int]
    own: str

    def type(self, type_: Type) -> str:
        """A type."""
        quoted = [each for each in type_ if isinstance(each, Named) and self._is_ahead(each)]
        shown = [*self._members(type_)]
        if len(shown) > 1 and quoted:
            return f"Union[{', '.join(shown)}]"
        return " | ".join(shown)

    def _is_ahead(self, member: Named) -> bool:
        return member.key not in self.defined

    def _members(self, type_: Type) -> Iterator[str]:
        values = [each.text for each in type_ if isinstance(each, Value)]
        for each in type_:
            if not isinstance(each, Value):
                yield self._member(each)
            elif values:
                yield f"Literal[{', '.join(values)}]"
                values = []

    def _member(self, member: Member) -> str:
        match member:
            case Plain(text) | Value(text):
                return text
            case Holder("list", inner):
                return f"list[{self.type(inner)}]"
            case Holder(_, inner):
                return f"dict[str, {self.type(inner)}]"
            case Named(key):
                return f'"{mark(key)}"' if self._is_ahead(member) else mark(key)

    def definition(self, key: int, body: Record | Alias) -> str:
        """A definition."""
        if isinstance(body, Alias):
            return f"{mark(key)} = {self.type(body.type)}\n"
        if all(is_field_name(each.key, own=self.own) for each in body.fields):
            return self._class(key, body)
        return self._call(key, body)

    def _class(self, key: int, record: Record) -> str:
        said = f"  # {record.remark}" if record.remark else ""
        first = f"class {mark(key)}(TypedDict{self._options(record)}):{said}\n"
        lines = [f"{each.key}: {self._field(each)}{_beside(each)}\n" for each in record.fields]
        return first + "".join(f"    {each}" for each in lines or ["pass\n"])

    def _call(self, key: int, record: Record) -> str:
        said = f"# {record.remark}\n" if record.remark else ""
        first = f'{said}{mark(key)} = TypedDict("{mark(key)}", {{\n'
        lines = (
            f"    {literal(each.key)}: {self._field(each)},{_beside(each)}\n"
            for each in record.fields
        )
        return f"{first}{''.join(lines)}}}{self._options(record)})\n"

    def _field(self, field: Field) -> str:
        shown = self.type(field.type)
        return shown if field.is_required else f"NotRequired[{shown}]"

    def _options(self, record: Record) -> str:
        if record.is_closed:
            return ", closed=True"
        return f", extra_items={self.type(record.others)}" if record.others else ""


def _beside(field: Field) -> str:
    return f"  # {field.remark}" if field.remark else ""
