"""What an operator decides, as data."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import BoardConfig, Config, ConfigError, PluginConfig, ToolAnnotations, ToolConfig

WRONG: list[tuple[str, Callable[[], Any]]] = [
    *((f"a limit of {s!r}", lambda s=s: ToolConfig(timeout=s)) for s in (0, -1, True, "1", 1e10)),
    *(
        (f"a default of {s!r}", lambda s=s: Config(default_timeout=s))
        for s in (0.0, float("nan"), float("inf"))
    ),
    *((f"{n!r} calls", lambda n=n: ToolConfig(max_running=n)) for n in (0, 1.5, True)),
    ("a flag that is none", lambda: ToolConfig(concurrency_safe="yes")),  # type: ignore[arg-type]
    ("a hidden character", lambda: ToolConfig(description="a\u202eb")),
]


@pytest.mark.parametrize("make", [make for _, make in WRONG], ids=[what for what, _ in WRONG])
def test_what_cannot_be_said_of_tools_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises((ConfigError, TypeError, ValueError)):
        make()


def test_an_exact_name_beats_patterns_wherever_it_stands() -> None:
    tables = {"t": ToolConfig(timeout=1), "*": ToolConfig(timeout=2)}

    assert Config(tools=tables).tool("t").timeout == 1
    assert Config(tools=dict(reversed(tables.items()))).tool("t").timeout == 1


def test_the_later_of_two_patterns_wins() -> None:
    config = Config(tools={"slow_*": ToolConfig(timeout=1), "*_t": ToolConfig(timeout=2)})

    assert config.tool("slow_t").timeout == 2


def test_each_field_is_taken_from_the_best_table_that_says_it() -> None:
    config = Config(
        tools={
            "t": ToolConfig(annotations=ToolAnnotations(read_only=True)),
            "*": ToolConfig(
                timeout=2, annotations=ToolAnnotations(read_only=False, idempotent=True)
            ),
            "t*": ToolConfig(max_running=3),
        },
        default_timeout=9,
    )

    annotations = ToolAnnotations(read_only=True, idempotent=True)
    assert config.tool("t") == ToolConfig(timeout=2, annotations=annotations, max_running=3)
    assert config.tool("u").annotations == ToolAnnotations(read_only=False, idempotent=True)


def test_a_pattern_takes_case_as_it_is_and_the_whole_name() -> None:
    config = Config(tools={"slow_[a-c]?": ToolConfig(timeout=1)})

    limits = [config.tool(name).timeout for name in ("slow_ax", "slow_a", "SLOW_ax", "slow_axx")]
    assert limits == [1, None, None, None]


PATTERNS = st.sampled_from(["t", "t*", "*", "?", "[a-z]", "u"])


@given(st.dictionaries(PATTERNS, st.builds(ToolConfig, timeout=st.none() | st.just(1.0))))
def test_a_tool_that_no_table_means_has_the_default_alone(tables: Any) -> None:
    every = tables.get("*", ToolConfig()).timeout

    found = Config(tools=tables, default_timeout=7).tool("No_Such-Name9").timeout

    assert found == (7 if every is None else every)


STRANGE: list[tuple[str, Callable[[], Any]]] = [
    ("boards.x must be a BoardConfig, not int", lambda: Config(boards={"x": 5})),  # type: ignore[dict-item]
    ("boards must be names, each with a BoardConfig", lambda: Config(boards=[])),  # type: ignore[arg-type]
    ("plugins.x must be a PluginConfig, not dict", lambda: Config(plugins={"x": {}})),  # type: ignore[dict-item]
    ("mcp.x must be a PluginConfig, not str", lambda: Config(mcp={"x": "y"})),  # type: ignore[dict-item]
    ("tools.x must be a ToolConfig, not NoneType", lambda: Config(tools={"x": None})),  # type: ignore[dict-item]
    ("each name in tools must be text, not int", lambda: Config(tools={5: ToolConfig()})),  # type: ignore[dict-item]
    ("reserved.x must be text, not int", lambda: Config(reserved={"x": 5})),  # type: ignore[dict-item]
    *(
        (f"{key} must be a list of names, not int", lambda key=key: Config(**{key: 5}))
        for key in ("block", "only", "required", "prefer")
    ),
    ("block[1] must be a name, not int", lambda: Config(block=["a", 5])),
    ("block must be a list of names, not NoneType", lambda: Config(block=None)),
    *(
        (f"{key} must be a path, not int", lambda key=key: Config(**{key: 5}))
        for key in ("lock", "control", "state")
    ),
    ("mask_errors must be True or False, not str", lambda: Config(mask_errors="no")),  # type: ignore[arg-type]
    ("allow must be a list of selectors, not int", lambda: BoardConfig(allow=5)),
    ("parent must be text, not int", lambda: BoardConfig(parent=5)),  # type: ignore[arg-type]
    ("prefix must be text, not int", lambda: PluginConfig(prefix=5)),  # type: ignore[arg-type]
    ("rename.a must be text, not int", lambda: PluginConfig(rename={"a": 5})),  # type: ignore[dict-item]
    ("annotations must be ToolAnnotations, not dict", lambda: ToolConfig(annotations={})),  # type: ignore[arg-type]
    ("description must be text, not int", lambda: ToolConfig(description=5)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("words", "make"), STRANGE, ids=[words for words, _ in STRANGE])
def test_what_is_of_another_kind_is_refused_by_its_name(
    words: str, make: Callable[[], Any]
) -> None:
    with pytest.raises(ConfigError) as caught:
        make()

    assert words in str(caught.value)


def test_several_are_taken_in_any_form() -> None:
    config = Config(block="a", only=iter(["b"]), deny={"c"}, lock="x.lock")

    assert (config.block, config.only, config.deny) == (("a",), ("b",), ("c",))
    assert config.lock == Path("x.lock")
