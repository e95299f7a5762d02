"""The MCP servers of a configuration file."""

from pathlib import Path

import pytest
from pegboard import Config, ConfigError, PluginConfig
from pegboard.configuration import read_config


def read(folder: Path, text: str) -> Config:
    """The configuration that a text holds."""
    path = folder / "pegboard.toml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_a_server_has_settings_and_the_host_s_own_options(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        [mcp.time]
        command = "time-server --utc"
        [mcp.time.pegboard]
        rename = { time_now = "now" }
        eager = true
        """,
    )

    settings = {"command": "time-server --utc"}
    expected = PluginConfig(settings, rename={"time_now": "now"}, eager=True)
    assert (config.mcp, config.plugin("time")) == ({"time": expected}, expected)


def test_its_places_are_those_of_its_own_table(tmp_path: Path) -> None:
    config = read(tmp_path, '[mcp.time]\ncommand = "x"\n[plugins.files]\nroot = "."')

    assert config.path_of("time", "command") == ("mcp", "time", "command")
    assert config.path_of("files", "root") == ("plugins", "files", "root")
    assert str(config.place(*config.path_of("time", "command"))).endswith("pegboard.toml:2")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mcp = 1", "mcp: a table is expected"),
        ('[mcp]\ntime = "x"', r"mcp\.time: a table is expected"),
        ("[mcp.time.pegboard]\neagre = true", "eager"),
        ("[mcp.time]\n[plugins.time]", r"mcp\.time: \[plugins\.time\] speaks of a plugin"),
        ("[mcp.time.pegboard]\nprefix = 3", "prefix"),
        ('[mcp."we ird"]', "can't be the name of a plugin"),
    ],
    ids=["number", "text", "near name", "two of a name", "wrong kind", "odd name"],
)
def test_what_can_t_be_so_is_told_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read(tmp_path, text)
