"""What one configuration says and another doesn't, key by key."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    BoardConfig,
    CodeConfig,
    Config,
    ConfigChange,
    PluginConfig,
    Select,
    ToolAnnotations,
    ToolConfig,
)
from pegboard.configuration import changes, read_config

OTHER: dict[str, Any] = {
    "block": ["shell"],
    "only": ["files"],
    "required": ["files"],
    "prefer": ["files-dist"],
    "deny": ["*_delete", Select(destructive=True, tags="b a")],
    "lock": "pegboard.lock",
    "accept": True,
    "unknown_boards": "refuse",
    "default_timeout": 9.0,
    "mask_errors": True,
    "stop_grace": 1.0,
    "hook_timeout": 2.0,
    "load_timeout": 3.0,
    "retry_after": 4.0,
    "retry_at_most": 50.0,
    "max_nesting": 6,
    "max_threads": 7,
    "max_depth": 8,
    "max_nodes": 9,
    "max_bytes": 10,
    "control": "run/pegboard.sock",
    "state": "run/state.json",
    "close_grace": 11.0,
}
TABLES = {"boards", "code", "plugins", "mcp", "tools", "reserved"}


def of(before: Config, after: Config) -> list[tuple[str, object, object]]:
    """The changes without their places."""
    return [(each.path, each.before, each.after) for each in changes(before, after)]


@pytest.mark.parametrize("key", OTHER)
def test_each_key_that_differs_is_told_alone_with_what_it_said_and_says(key: str) -> None:
    after = Config(**{key: OTHER[key]})

    told, back = of(Config(), after), of(after, Config())

    assert [each[0] for each in told] == [key]
    assert back == [(key, told[0][2], told[0][1])]


def test_every_key_of_a_configuration_is_compared() -> None:
    keys = {field.name for field in attrs.fields(Config)} - {"places"}

    assert keys == OTHER.keys() | TABLES


def test_what_programs_may_use_is_told_key_by_key() -> None:
    after = Config(code=CodeConfig(wall_time=20.0, output=1))

    assert of(Config(), after) == [("code.wall_time", 300.0, 20.0), ("code.output", 2**20, 1)]


def test_selectors_and_files_are_shown_as_a_file_has_them() -> None:
    after = Config(deny=OTHER["deny"], lock=Path("a/b"))

    assert of(Config(), after) == [
        ("deny", [], ["*_delete", {"tags": ["b a"], "destructive": True}]),
        ("lock", None, "a/b"),
    ]


def test_only_what_says_where_the_host_is_reached_and_what_it_writes_waits_for_the_next_start() -> (
    None
):
    late = {each.path for each in changes(Config(), Config(**OTHER)) if not each.is_applied}

    assert late == {"control", "state"}


def test_the_keys_of_tables_are_told_by_dotted_paths_with_quotes_where_toml_needs_them() -> None:
    before = Config(tools={"mcp_*": ToolConfig(timeout=3)}, reserved={"a b": "Ours."})
    after = Config(
        tools={"mcp_*": ToolConfig(timeout=4, annotations=ToolAnnotations(read_only=True))},
        boards={"researcher": BoardConfig(deny=["x"], parent="base"), "base": BoardConfig()},
    )

    assert of(before, after) == [
        ('reserved."a b"', "Ours.", None),
        ("boards.researcher.deny", [], ["x"]),
        ("boards.researcher.parent", None, "base"),
        ("boards.base", None, {}),
        ('tools."mcp_*".timeout', 3, 4),
        ('tools."mcp_*".annotations', None, {"read_only": True}),
    ]


def test_patterns_in_another_order_are_told_since_a_later_one_beats_an_earlier_one() -> None:
    one, other = ToolConfig(timeout=1), ToolConfig(timeout=2)
    before = Config(tools={"a*": one, "*b": other, "exact": one})
    after = Config(tools={"exact": one, "*b": other, "a*": one})

    assert of(before, after) == [("tools", ["a*", "*b"], ["*b", "a*"])]


def test_settings_and_tokens_are_told_of_and_never_shown(tmp_path: Path) -> None:
    def said(secret: str) -> Config:
        token = {"token": f'token = {{ env = "{secret}" }}', "key": f'key = "{secret}"'}
        text = f"[boards.a]\n{token['token']}\n[plugins.p]\n{token['key']}\n[mcp.m]\n{token['key']}"
        file = tmp_path / "pegboard.toml"
        file.write_text(f"{text}\n[plugins.p.pegboard]\nprefix = '{secret.lower()}_'\n")
        return read_config(file)

    found = changes(said("ONE"), said("TWO"))

    assert [(each.path, each.after) for each in found] == [
        ("boards.a.token", None),
        ("plugins.p.settings", None),
        ("plugins.p.pegboard.prefix", "two_"),
        ("mcp.m.settings", None),
    ]
    assert "TWO" not in str(found).replace(str(tmp_path), "")


def test_the_place_is_that_of_the_new_value_or_of_what_is_around_it(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text("max_nesting = 3\n[boards.a]\ndeny = ['x']\nallow = ['y']\n")
    before = read_config(file)
    file.write_text("\n[boards.a]\n\ndeny = ['z']\n[plugins.p]\na = 1\n")

    found = changes(before, read_config(file))

    assert {each.path: each.place for each in found} == {
        "max_nesting": None,
        "boards.a.deny": f"{file}:4",
        "boards.a.allow": f"{file}:2",
        "plugins.p.settings": f"{file}:6",
    }


def test_lines_that_move_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    text = '[boards.a]\ntoken = { env = "T" }\ndeny = ["x"]\n[plugins.p]\nkey = { env = "K" }\n'
    file.write_text(text)
    before = read_config(file)
    file.write_text(f"# moved\n\n{text}")

    assert changes(before, read_config(file)) == ()


def test_what_open_boards_and_failed_plugins_do_not_follow_is_told_as_not_applied() -> None:
    after = Config(
        boards={"a": BoardConfig(parent="b", deny=["x"]), "b": BoardConfig(deny=["y"])},
        plugins={"p": PluginConfig({"k": 1}, prefix="p_"), "q": PluginConfig(eager=True)},
    )
    stays = [("boards", "a", "parent"), ("plugins", "p")]

    found = changes(Config(), after, stays=stays)

    assert [each.path for each in found if not each.is_applied] == [
        "boards.a.parent",
        "plugins.p.settings",
        "plugins.p.pegboard.prefix",
    ]


def test_a_plugin_that_is_imported_already_is_told_to_be_lazy_at_the_next_start() -> None:
    eager = Config(plugins={"p": PluginConfig(eager=True)})

    found = [*changes(Config(), eager), *changes(eager, Config())]

    assert [each.is_applied for each in found] == [True, False]
    assert found[0] == ConfigChange("plugins.p.pegboard.eager", False, True)


SOME = st.fixed_dictionaries({}, optional={key: st.just(OTHER[key]) for key in OTHER})


@given(SOME, SOME)
def test_nothing_is_told_exactly_where_two_configurations_are_equal(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    before, after = Config(**one), Config(**other)

    assert (changes(before, after) == ()) == (before == after)
