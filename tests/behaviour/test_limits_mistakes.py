"""Mistakes in `[[plugins.limits.rules]]`: each on its own line, in words of the file."""

from pathlib import Path

import pytest
from pegboard import Host

RULE = "[[plugins.limits.rules]]\n"
TOLD = "settings of plugin 'limits': $.rules"
ONE = "[0]"


async def mistakes(file: Path, *rules: str) -> str:
    """What a host says of these rules."""
    file.write_text("".join(f"{RULE}{each}\n" for each in rules))
    async with Host(file, discover=False) as host:
        return str(host.plugins["limits"].error).replace(str(file), file.name)


async def test_rules_that_count_the_same_calls_name_each_other_with_their_lines(
    tmp_path: Path,
) -> None:
    told = await mistakes(
        tmp_path / "p.toml", "calls = 1", "per = []\ncalls = 1", "running = 2", "per_minute = 3"
    )

    words = "is refused: it counts the same calls; make one rule of it and rules[0]"
    assert f"p.toml:6: {TOLD}[2] {words} (p.toml:1)" in told
    assert f"p.toml:8: {TOLD}[3] {words} (p.toml:1)" in told


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("calls = true", "2: {}.calls must be an integer, not a boolean"),
        ("calls = 'x'", "2: {}.calls must be an integer, not a string"),
        ("calls = 0", "2: {}.calls must be at least 1"),
        ("calls = 1\ntools = 'x'", "3: {}.tools must be an array, not a string"),
        ("calls = 1\nboards = [1]", "3: {}.boards[0] must be a string, not an integer"),
        (
            "calls = 1\ntools = [1]",
            "3: {}.tools[0] fits none of: must be a string, not an integer; or must be an object",
        ),
        (
            "tools = ['a b']\ncalls = 1",
            "2: {}.tools is refused: 'a b' matches no name that a tool can have",
        ),
        ("boards = []\ncalls = 1", "2: {}.boards is refused: no call could match; leave it out"),
        ("per = []", "1: {} is refused: it limits nothing; say calls, per_minute, running"),
        ("cals = 1", "2: {}.cals isn't declared; did you mean 'calls'?"),
    ],
)
async def test_a_rule_that_makes_no_sense_is_told_in_words_of_the_file(
    tmp_path: Path, rule: str, words: str
) -> None:
    told = await mistakes(tmp_path / "p.toml", rule)

    assert f"p.toml:{words.format(TOLD + ONE)}" in told
    assert [
        each for each in ("Limit", "Error", "_match", "null") if each in told.partition(TOLD)[2]
    ] == []
