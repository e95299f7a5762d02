"""From a file to a configuration, with every mistake at once."""

import os
import time
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
        [boards.base]
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


DEEP = {
    "arrays": "[" * 5000,
    "closed arrays": "[" * 5000 + "]" * 5000,
    "inline tables": "{a=" * 3000 + "1" + "}" * 3000,
}


@pytest.mark.parametrize("what", DEEP)
def test_what_is_nested_too_deep_is_one_mistake_with_its_line(tmp_path: Path, what: str) -> None:
    (found,) = mistakes(tmp_path, f"only = []\nblock = {DEEP[what]}")

    assert found == "pegboard.toml:2: is nested deeper than 128 levels"


@pytest.mark.parametrize("text", ["{} = 1", "[{}]\nx = 1"])
def test_keys_that_nest_too_deep_are_one_mistake_with_their_line(tmp_path: Path, text: str) -> None:
    (found,) = mistakes(tmp_path, text.format(".".join("a" * 5000)))

    assert found == "pegboard.toml:1: is nested deeper than 128 levels"


@pytest.mark.parametrize("digits", [4000, 5000])
def test_a_number_of_too_many_digits_is_one_mistake_with_its_line(
    tmp_path: Path, digits: int
) -> None:
    (found,) = mistakes(tmp_path, f"\nmax_nodes = {'9' * digits}")

    assert found.startswith("pegboard.toml:2: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool = 3", ":1: tool: must be one table"),
        ("\n[[tool]]", ":2: tool: must be one table"),
        ("[tool]\npegboard = 3", ":2: tool.pegboard: must be one table"),
        ("[[tool.pegboard]]", ":1: tool.pegboard: must be one table"),
        ("[tool.other]", ": there is no table [tool.pegboard]"),
        ("\n[tool.pegbord]", ":2: there is no table [tool.pegboard]; did you mean '[tool.peg"),
        ("[tol.pegboard]", ":1: there is no table [tool.pegboard]; did you mean '[tol]'?"),
        ("", ": there is no table [tool.pegboard]"),
    ],
)
def test_a_pyproject_without_one_table_of_ours_is_one_mistake(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        read_config(path)

    (found,) = caught.value.mistakes
    assert found.startswith(f"{path}{words}")


def test_every_value_out_of_its_range_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    lines = [
        "max_depth = 9999",
        "unknown_boards = 'x'",
        "stop_grace = -1",
        "hook_timeout = 0",
        "load_timeout = nan",
        "max_threads = 0",
        "bolck = []",
        "[plugins.web]",
        "ratio = inf",
    ]

    found = sorted(mistakes(tmp_path, "\n".join(lines)))

    wrong = [number for number, line in enumerate(lines, 1) if not line.startswith("[")]
    assert [each.split(": ")[0] for each in found] == [f"pegboard.toml:{n}" for n in wrong]
    assert not [each for each in found if "Attribute" in each or "<" in each]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parent = 'baze'\n[boards.base]", "boards.a.parent: there is no table [boards.baze]; did"),
        ("parent = ''", "boards.a.parent: ''"),
        ("parent = '*'\n[boards.'*']", "boards.a.parent: '*'"),
        ("parent = 'a'", "boards.a.parent: a board can't be its own parent: 'a' -> 'a'"),
        ("parent = 'b'\n[boards.b]\nparent = 'a'", "own parent: 'a' -> 'b' -> 'a'"),
        ("[boards.'b c']", "'b c' can't be the name of a board"),
        ("allow = [{}]", "boards.a.allow.0: says nothing"),
        ("deny = ['x', { tags = [] }]", "boards.a.deny.1: says nothing"),
        ("allow = ['two words']", "boards.a.allow.0: 'two words' matches no name"),
        ("deny = ['[a']", "boards.a.deny.0: '[a' matches no name"),
        ("deny = ['']", "boards.a.deny.0: '' matches no name"),
    ],
)
def test_what_cannot_be_said_of_boards_is_one_mistake(
    tmp_path: Path, text: str, words: str
) -> None:
    (found,) = mistakes(tmp_path, f"[boards.a]\n{text}")

    assert words in found
    assert found.startswith("pegboard.toml:")


def test_selectors_that_name_tools_which_may_come_are_taken(tmp_path: Path) -> None:
    selectors = ["a", "_x-1", "*", "?", "[ab]*", "[!a-z]b", "*-x", "*_delete", "m" * 64]

    config = read(tmp_path, f"deny = {selectors}")

    assert list(config.deny) == selectors


def test_a_parent_that_stands_for_itself_in_all_others_is_taken(tmp_path: Path) -> None:
    config = read(tmp_path, "[boards.a]\nparent = 'base'\n[boards.'*']\ndeny = ['x']")

    assert config.ancestors("a") == ("base",)


def test_a_chain_of_thousands_of_boards_is_read(tmp_path: Path) -> None:
    tables = [f"[boards.b{n}]\nparent = 'b{n + 1}'" for n in range(3000)]

    config = read(tmp_path, "\n".join([*tables, "[boards.b3000]"]))

    assert len(config.ancestors("b0")) == 3000


def test_the_parent_of_all_others_is_not_above_itself_or_its_own_parents(tmp_path: Path) -> None:
    config = read(tmp_path, "[boards.'*']\nparent = 'base'\n[boards.base]\nparent = 'root'")

    above = {name: config.ancestors(name) for name in ("any", "base", "root")}
    assert above == {"any": ("base", "root"), "base": ("root",), "root": ()}


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeffblock = ['x']").block == ("x",)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    path = tmp_path / "pegboard.toml"
    os.mkfifo(path)

    with pytest.raises(ConfigError, match="can't be read: it is a pipe or a device"):
        read_config(path)


def test_a_device_is_refused_without_reading_it() -> None:
    with pytest.raises(ConfigError, match="can't be read: it is a pipe or a device"):
        read_config(Path("/dev/zero"))


def test_a_value_of_many_lines_is_read_in_linear_time(tmp_path: Path) -> None:
    begun = time.process_time()

    read(tmp_path, "block = [\n" + '"a",\n' * 50_000 + "]")

    assert time.process_time() - begun < 10
