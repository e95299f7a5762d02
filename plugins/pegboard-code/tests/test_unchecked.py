"""The builtins that the sandbox has and its type checker doesn't know."""

import builtins
from typing import Any

import attrs
import pytest
from pegboard_code.unchecked import UNCHECKED

PUBLIC = [each for each in dir(builtins) if not each.startswith("_")]


def looking_up(names: list[str]) -> str:
    """A program that gives those of the names that the sandbox has."""
    tries = [f"try:\n    {n}\n    found.append('{n}')\nexcept NameError:\n    pass" for n in names]
    return "\n".join(["found = []", *tries, "found  # type: ignore"])


async def test_the_checker_knows_every_builtin_of_the_sandbox_but_open(lab: Any) -> None:
    ignored = looking_up(PUBLIC).replace("\n    found", "  # type: ignore\n    found")

    async with lab() as it:
        had = await it.value(ignored)
        error = await it.fault("\n".join(had))

    assert set(UNCHECKED) < set(had)
    assert str(error).count("used when not defined") == 1
    assert "`open` used when not defined" in str(error)


async def test_no_more_is_declared_than_the_checker_lacks(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard_code.unchecked.UNCHECKED", ())

    async with lab(keep_warm=False) as it:
        one, two = [await it.fault("\n".join(each)) for each in (UNCHECKED[:8], UNCHECKED[8:])]

    missed = [each for each in UNCHECKED if f"Name `{each}` used" in f"{one}{two}"]
    assert missed == list(UNCHECKED)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("print(list(map(str, [1])))", None),
        ("list(filter(None, [0, 1]))", [1]),
        ("format(1.5, '.2f')", "1.50"),
        ("getattr({}, 'nothing', 3)", 3),
        ("try:\n    raise ImportError('x')\nexcept (ImportError, OSError) as e:\n    pass\n1", 1),
        ("map = 1\nmap", 1),
        ("def map(x): return x\nmap(2)", 2),
        ("class PermissionError: pass\n3", 3),
        ("for filter in [4]: pass\nfilter", 4),
        ("import json as format\nformat.dumps(5)", "5"),
    ],
)
async def test_they_are_used_and_made_anew_as_in_python(lab: Any, program: str, value: Any) -> None:
    async with lab() as it:
        assert await it.value(program) == value


@pytest.mark.parametrize("listed", ["", '__all__ = ["any", "echo", "map", "tools"]\n'])
async def test_a_tool_that_is_called_like_one_of_them_stays_what_it_is_declared(
    lab: Any, listed: str
) -> None:
    async with lab() as it:
        text = f"{it.sdk.text}async def map(*, value: int) -> int:\n    ''\n{listed}"
        names = (*it.sdk.names, "map")
        it.sdk = attrs.evolve(it.sdk, text=text, functions=("any", "echo", "map"), names=names)
        error = await it.fault("filter\nawait map(value='x')")

    assert error.line == 2
    assert "filter" not in str(error)
