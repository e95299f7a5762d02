"""What the schemas of one provider can say, as data."""

import re

import attrs


@attrs.frozen
class Strictness:
    """What a provider's strict mode asks for beside the keywords of its shape.

    Attributes:
        requires_all: every property is required, so that an optional one takes null.
        allows_recursion: whether a schema may hold itself.
        most_levels: objects inside each other.
        most_properties: properties in one schema.
        most_values: values listed by enumerations in one schema.
        most_characters: the names of properties and the listed texts, together.
    """

    requires_all: bool
    allows_recursion: bool
    most_levels: int = 1_000
    most_properties: int = 1_000_000
    most_values: int = 1_000_000
    most_characters: int = 10_000_000


@attrs.frozen
class Shape:
    """What the schemas of one provider can say.

    Attributes:
        keywords: the keywords that it reads; None where it takes any, and only the root must be
            a plain object.
        not_at_root: keywords that the root must not have.
        property_name: the rule for names of arguments, or None.
        formats: the formats of text that it knows.
        lists_text_only: whether an enumeration lists nothing but text.
        has_const: whether it reads `const`.
        types_of_values: whether the type stands beside an enumeration.
        few_items: whether `minItems` is 0 or 1 only.
        follows_everything: whether it follows a schema that holds itself to any depth.
        says_everything: whether arrays must say their items and the root its properties.
        strictness: its strict mode, where that is asked for.
        relaxed: the shape for a tool that strict mode can't show.
    """

    keywords: frozenset[str] | None = None
    not_at_root: frozenset[str] = frozenset()
    property_name: re.Pattern[str] | None = None
    formats: frozenset[str] = frozenset()
    lists_text_only: bool = False
    has_const: bool = True
    types_of_values: bool = True
    few_items: bool = False
    follows_everything: bool = True
    says_everything: bool = False
    strictness: Strictness | None = None
    relaxed: "Shape | None" = None
