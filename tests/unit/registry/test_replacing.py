"""A load that takes the place of another one may have its names; nobody else may."""

from typing import Any

import pytest
from pegboard import (
    CollisionError,
    Config,
    ReservedNameError,
    Tool,
    ToolConfig,
)
from pegboard.registry import (
    Contributions,
    Generation,
    Owner,
    Registry,
    Reservation,
    tool_entry,
)
from pegboard_cases import named


def given(generation: Generation, *names: str, reserves: str = "") -> Contributions:
    """Tools of one load, and a name that it reserves."""
    tools = [
        tool_entry(named(name), generation, config=Config(), layer="the global layer")
        for name in names
    ]
    reserved = (Reservation(reserves, "mine", generation),) if reserves else ()
    return Contributions(tuple(tools), reservations=reserved)


def load(plugin: str, number: int = 1, **fields: Any) -> Generation:
    """One load of a plugin."""
    return Generation(Owner(plugin, generation=number), **fields)


@pytest.fixture
def registry() -> Registry:
    """A registry."""
    return Registry()


def test_a_successor_may_have_the_tools_and_reserved_names_of_what_it_replaces(
    registry: Registry,
) -> None:
    old = load("web")
    registry.put(registry.root, given(old, "search", "fetch", reserves="fetch"))
    new = load("web", 2, replaces=frozenset({old}))

    registry.check(registry.root, given(new, "search", "fetch", reserves="search"))
    registry.check(registry.root, given(new, "fetch", reserves="fetch"))


def test_nobody_else_may(registry: Registry) -> None:
    old = load("web")
    registry.put(registry.root, given(old, "search", reserves="search"))
    other = load("docs", replaces=frozenset({load("docs", 0)}))

    with pytest.raises(ReservedNameError):
        registry.check(registry.root, given(other, "search"))
    with pytest.raises(ReservedNameError):
        registry.check(registry.root, given(other, "find", reserves="search"))


def test_the_tools_of_a_successor_stand_where_the_plugin_stood(registry: Registry) -> None:
    old = load("b")
    registry.put(registry.root, given(load("c"), "of_c"))
    registration = registry.put(registry.root, given(old, "of_b"))
    registry.put(registry.root, given(load("a"), "of_a"))

    registration.close()
    registry.put(registry.root, given(load("b", 2), "of_b", "also_of_b"))

    assert list(registry.root.view().entries) == ["of_a", "of_b", "also_of_b", "of_c"]


@pytest.mark.parametrize(
    ("one", "other", "error"),
    [
        ((("x",), ""), (("x",), ""), CollisionError),
        (((), "x"), ((), "X"), ReservedNameError),
        (((), "x"), (("x",), ""), ReservedNameError),
    ],
    ids=["the same tool", "the same reserved name", "a tool that the other reserves"],
)
def test_contributions_that_can_t_stand_together_are_refused_together(
    registry: Registry, one: Any, other: Any, error: type[Exception]
) -> None:
    coming = [
        (registry.root, given(load(plugin), *names, reserves=reserved))
        for plugin, (names, reserved) in (("a", one), ("b", other))
    ]

    with pytest.raises(error):
        registry.check_together(coming)


def test_the_same_tool_may_stand_on_two_layers(registry: Registry) -> None:
    board = registry.scope("board")

    registry.check_together(
        [(registry.root, given(load("a"), "x")), (board, given(load("b"), "x"))]
    )


def described(registry: Registry) -> list[str]:
    """What models read of the tools."""
    return [each.tool.description for each in registry.root.view().entries.values()]


def test_tools_follow_another_configuration_wherever_they_come_from(registry: Registry) -> None:
    registry.put(registry.root, given(load("a"), "of_a"))
    said = Config(tools={"of_*": ToolConfig(description="Said.")})

    registry.following(said)()
    registry.put(registry.root, given(load("b"), "of_b"))
    told = described(registry)
    registry.following(Config())()

    assert (told, described(registry)) == (["Said."] * 2, ["Do it."] * 2)


def test_only_what_changes_for_a_tool_makes_a_new_view(registry: Registry) -> None:
    registry.put(registry.root, given(load("a"), "of_a"))
    before = registry.root.view()

    registry.following(Config(tools={"other": ToolConfig(timeout=1.0)}))()

    assert registry.root.view() is before


def test_the_limit_that_an_author_gave_is_back_when_the_operator_says_nothing(
    registry: Registry,
) -> None:
    quick = Tool(name="quick", description="Do it.", parameters={"type": "object"}, run=print)
    made = tool_entry(quick, load("a"), config=Config(default_timeout=9.0), layer="x")
    registry.put(registry.root, Contributions((made,)))

    registry.following(Config())()

    assert made.tool.timeout is None
