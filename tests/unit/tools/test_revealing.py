"""Tables stand for secrets where a class wants one, and nowhere else."""

from typing import Any, NamedTuple

import attrs
import pytest
from pegboard.tools import Converter, Secret, StructureError, structure


@attrs.define
class Vault:
    """Secrets by kind and name.

    Attributes:
        texts: the texts.
        plain: where plain text was met.
    """

    texts: dict[tuple[str, str], str] = attrs.Factory(lambda: {("env", "K"): "hush"})
    plain: list[tuple[Any, ...]] = attrs.Factory(list)

    def look_up(self, kind: str, name: str) -> str:
        """Give a text."""
        if (kind, name) not in self.texts:
            raise LookupError(f"needs the {kind} {name!r}")
        return self.texts[kind, name]

    def note_plain(self, keys: tuple[Any, ...]) -> None:
        """Keep the place."""
        self.plain.append(keys)


class Pair(NamedTuple):
    """Two things, of which one is a secret."""

    name: str
    key: Secret


@attrs.frozen
class Node:
    """A part that holds itself."""

    key: Secret
    below: "Node | None" = None


HUSH = Secret("hush")
TABLE = {"env": "K"}
SHAPES = {
    "bare": (Secret, TABLE, HUSH),
    "optional": (Secret | None, TABLE, HUSH),
    "none": (Secret | None, None, None),
    "list": (list[Secret], [TABLE, "plain"], [HUSH, Secret("plain")]),
    "dict": (dict[str, Secret], {"env": TABLE}, {"env": HUSH}),
    "tuple": (tuple[str, Secret], ["a", TABLE], ("a", HUSH)),
    "record": (Pair, {"name": "a", "key": TABLE}, Pair("a", HUSH)),
    "recursive": (Node, {"key": TABLE, "below": {"key": TABLE}}, Node(HUSH, Node(HUSH))),
    "a table of text": (dict[str, str], {"env": "K"}, {"env": "K"}),
    "beside a record": (Node | Secret, TABLE, HUSH),
    "a union of tables": (Secret | dict[str, int], {"env": 3}, {"env": 3}),
}


@pytest.mark.parametrize(("cls", "given", "wanted"), SHAPES.values(), ids=SHAPES.keys())
def test_a_secret_is_revealed_where_the_class_wants_one(cls: Any, given: Any, wanted: Any) -> None:
    wrapped = attrs.make_class("Wrapped", {"value": attrs.field(type=cls)})

    made: Any = structure({"value": given}, wrapped, converter=Converter(), secrets=Vault())

    assert made.value == wanted


def test_plain_text_is_noted_with_its_place() -> None:
    vault = Vault()
    wrapped = attrs.make_class("Wrapped", {"value": attrs.field(type=list[Secret])})

    structure({"value": ["a", TABLE]}, wrapped, converter=Converter(), secrets=vault)

    assert vault.plain == [("value", 0)]


def test_everything_that_is_missing_is_told_beside_the_other_mistakes() -> None:
    wrapped = attrs.make_class(
        "Wrapped", {"a": attrs.field(type=Secret), "b": attrs.field(type=list[Secret])}
    )
    given = {"a": {"env": "X"}, "b": [{"file": "y"}, {"x": 1}], "c": 2}

    with pytest.raises(StructureError) as caught:
        structure(given, wrapped, converter=Converter(), secrets=Vault())

    assert [each.path for each in caught.value.faults] == ["$.a", "$.b[0]", "$.b[1]", "$.c"]


def test_no_table_stands_for_a_secret_where_there_are_none_to_look_up() -> None:
    wrapped = attrs.make_class("Wrapped", {"a": attrs.field(type=Secret)})

    with pytest.raises(StructureError, match="must be a string"):
        structure({"a": TABLE}, wrapped, converter=Converter())
