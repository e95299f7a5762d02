"""Mistakes in the rules, as the operator reads them."""

from pathlib import Path

import pegboard_permissions
import pytest
from pegboard import Host, PluginLoadError

BEFORE = "[plugins.permissions]\n\n[[plugins.permissions.rules]]\nallow = ['read']\n\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("deni = ['run']", 7, r"rules\[1\]\.deni isn't declared; did you mean 'deny'"),
        ("allow = ['run', '']", 7, "allow holds an empty text"),
        ("deny = ['run']\nboards = []", 8, r"rules\[1\]\.boards must have at least 1"),
        ("deny = [{ tol = 'run' }]", 7, r"rules\[1\]\.deny\[0\]\.tol isn't declared"),
        ("deny = [{ arguments = { x = 1 } }]", 7, "name a tool, a plugin or a distribution"),
        ("deny = [{ tool = 'a', arguments = { 'x.' = 1 } }]", 7, "'x.' .* has an empty part"),
        (
            "deny = [{ tool = 'a', arguments = { x = [1] } }]",
            7,
            r"arguments\.x fits none",
        ),
        ("boards = ['one']", 6, "the rule has no deny, ask or allow"),
    ],
)
async def test_a_mistake_in_a_rule_is_an_error_at_loading_with_file_and_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text(f"{BEFORE}[[plugins.permissions.rules]]\n{text}\n")

    async with Host(file, discover=False) as host:
        with pytest.raises(PluginLoadError, match=rf"pegboard\.toml:{line}: .*{words}"):
            await host.load(pegboard_permissions, name="permissions")


async def test_a_default_that_is_none_of_three_words_is_an_error() -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="default must be one of"):
            await host.load(pegboard_permissions, settings={"default": "maybe"})
