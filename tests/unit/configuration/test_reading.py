"""From a file to a configuration, with every mistake at once."""

from pathlib import Path

import pytest
from pegboard import BoardConfig, Config, ConfigError, Select
from pegboard.configuration import read_config


def read(folder: Path, text: str, *, name: str = "pegboard.toml") -> Config:
    """The configuration that a text holds."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def mistakes(folder: Path, text: str) -> list[str]:
    """What is wrong with a text, without the folder."""
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    return [each.replace(f"{folder}/", "") for each in caught.value.mistakes]


def test_everything_a_file_can_say_arrives(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        block = ["shell"]
        deny = ["*_delete"]
        mask_errors = true
        stop_grace = 1
        [reserved]
        bash = "ours"
        [boards.researcher]
        allow = ["read", { plugin = "docs", destructive = false, tags = ["a"] }]
        deny = ["x*"]
        parent = "base"
        [plugins.files]
        root = "./data"
        since = 2024-01-02
        [plugins.files.pegboard]
        prefix = "f_"
        rename = { read = "get" }
        """,
    )

    assert (config.block, config.deny, config.stop_grace) == (("shell",), ("*_delete",), 1.0)
    assert config.reserved == {"bash": "ours"}
    selector = Select(plugin="docs", destructive=False, tags=("a",))
    assert config.boards["researcher"] == BoardConfig(("read", selector), ("x*",), "base")
    plugin = config.plugin("files")
    assert plugin.settings == {"root": "./data", "since": "2024-01-02"}
    assert (plugin.prefix, plugin.rename) == ("f_", {"read": "get"})


def test_all_mistakes_are_told_with_line_and_near_name(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path,
        "denny = []\nblock = 'x'\n[boards.a]\nallow = [{ plugn = 'x' }]\nparent = 3\n"
        "[plugins.web.pegboard]\nprefx = 'w'\n",
    )

    lines = sorted(each.split(": ")[0] for each in found)
    assert lines == [f"pegboard.toml:{line}" for line in (1, 2, 4, 5, 7)]
    text = "\n".join(found)
    for near in ("'deny'", "'prefix'", "'plugin'"):
        assert near in text


def test_a_table_of_pyproject_is_read_with_its_own_lines(tmp_path: Path) -> None:
    text = (
        "[project]\nname = 'x'\n[tool.pegboard]\nblock = ['shell']\n"
        "[tool.pegboard.boards.a]\ndeny = ['x']\n"
    )
    config = read(tmp_path, text, name="pyproject.toml")

    assert config.block == ("shell",)
    assert str(config.place("boards", "a", "deny")) == f"{tmp_path}/pyproject.toml:6"


def test_boards_that_must_be_configured_can_be_said_in_two_ways(tmp_path: Path) -> None:
    one = read(tmp_path, 'boards = "configured"')
    other = read(tmp_path, 'unknown_boards = "refuse"\n[boards.a]\n')

    assert one.unknown_boards == other.unknown_boards == "refuse"


def test_toml_that_contradicts_itself_is_told_the_way_out(tmp_path: Path) -> None:
    (found,) = mistakes(tmp_path, 'boards = "configured"\n[boards.a]\n')

    assert "isn't TOML" in found
    assert 'unknown_boards = "refuse"' in found


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a = ", "isn't TOML"),
        ("max_depth = 0", "max_depth"),
        ("max_depth = 100000", "max_depth"),
        ("load_timeout = -1", "load_timeout"),
        ("unknown_boards = 'maybe'", "unknown_boards"),
        ("stop_grace = nan", "stop_grace"),
        ("[plugins]\nweb = 3", "plugins.web"),
        ("plugins = 3", "plugins"),
        ("boards = 3", "boards"),
    ],
)
def test_a_value_that_cannot_be_is_named(tmp_path: Path, text: str, word: str) -> None:
    assert any(word in each for each in mistakes(tmp_path, text))


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.write_bytes(b"\xff\xfe")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, make: object) -> None:
    path = tmp_path / "pegboard.toml"
    make(path)  # type: ignore[operator]

    with pytest.raises(ConfigError, match="can't be read"):
        read_config(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no configuration file"):
        read_config(tmp_path / "nothing.toml")
