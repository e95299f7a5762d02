"""What an operator decides, as data."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Config, ConfigError, ToolAnnotations, ToolConfig

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
