"""What an operator may set: the rules, what holds without one, and where answers are kept."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias

import attrs
from annotated_types import MinLen

from pegboard_permissions.patterns import Wanted

Filled: TypeAlias = Annotated[str, MinLen(1)]


def _filled(_owner: object, field: "attrs.Attribute[Any]", selectors: Iterable[object]) -> None:
    if "" in selectors:
        raise ValueError(f"{field.name} holds an empty text")


def _well_formed(_owner: object, _field: object, paths: Iterable[str]) -> None:
    for path in paths:
        if not all(path.split(".")):
            raise ValueError(f"the path {path!r} of an argument has an empty part")


@attrs.frozen
class Selector:
    """Which calls a rule means; everything that is given must fit.

    Attributes:
        tool: a pattern for the name that the tool's author gave it.
        plugin: a pattern for the name of its plugin.
        distribution: a pattern for the name of what pip installed it from.
        arguments: by path, a pattern for a text, or a number or a boolean that it must be.
    """

    tool: Filled | None = None
    plugin: Filled | None = None
    distribution: Filled | None = None
    arguments: dict[str, Wanted] = attrs.field(factory=dict, validator=_well_formed)

    def __attrs_post_init__(self) -> None:
        if self.tool is None and self.plugin is None and self.distribution is None:
            raise ValueError('name a tool, a plugin or a distribution; tool = "*" means every tool')


@attrs.frozen
class Rule:
    """What holds on some boards, and on their child boards.

    Attributes:
        boards: patterns for the names of the boards.
        deny: calls that are refused.
        ask: calls that somebody must approve.
        allow: calls that go on.
    """

    boards: Annotated[tuple[Filled, ...], MinLen(1)] = ("*",)
    deny: tuple[str | Selector, ...] = attrs.field(default=(), validator=_filled)
    ask: tuple[str | Selector, ...] = attrs.field(default=(), validator=_filled)
    allow: tuple[str | Selector, ...] = attrs.field(default=(), validator=_filled)

    def __attrs_post_init__(self) -> None:
        if not (self.deny or self.ask or self.allow):
            raise ValueError("the rule has no deny, ask or allow")


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        rules: of all that fit a call, deny wins over ask, and ask over allow.
        default: what holds for a call that no rule means; unless it is set, `ask` where there are
            rules, and `allow` where there are none.
        store: the file where the answer "always" is kept; relative to the folder of the
            configuration, or to the working folder at loading where the program sets it.
    """

    rules: tuple[Rule, ...] = ()
    default: Literal["allow", "ask", "deny"] | None = None
    store: Filled | None = None
