"""What a file says of tools."""

from pathlib import Path

import pytest
from pegboard import Config, ConfigError, ToolAnnotations, ToolConfig
from pegboard.configuration import read_config


def read(folder: Path, text: str, *, name: str = "pegboard.toml") -> Config:
    """The configuration that a text holds."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_everything_a_file_can_say_of_tools_arrives_in_its_order(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        default_timeout = 60
        [tools."web_*"]
        timeout = 5
        max_running = 4
        [tools.web_search]
        concurrency_safe = true
        description = "Search the web."
        [tools.web_search.annotations]
        read_only = true
        open_world = false
        """,
    )

    annotations = ToolAnnotations(read_only=True, open_world=False)
    assert config.default_timeout == 60
    assert list(config.tools.items()) == [
        ("web_*", ToolConfig(timeout=5, max_running=4)),
        (
            "web_search",
            ToolConfig(
                concurrency_safe=True, description="Search the web.", annotations=annotations
            ),
        ),
    ]
    assert config.place("tools", "web_search", "description") is not None


def test_tables_of_tools_stand_in_a_pyproject_too(tmp_path: Path) -> None:
    text = '[tool.pegboard]\ndefault_timeout = 1\n[tool.pegboard.tools."*"]\ntimeout = 2\n'

    config = read(tmp_path, text, name="pyproject.toml")

    assert config.tool("any").timeout == 2
    assert str(config.place("tools", "*")) == f"{tmp_path}/pyproject.toml:3"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("default_timeout = 0", ":1: default_timeout: must be more than 0"),
        ("default_timeout = inf", ":1: default_timeout: must be a finite number"),
        ("default_timout = 3", ":1: default_timout: isn't declared; did you mean 'default_timeo"),
        ("[tool.a]\ntimeout = 3", ":1: tool: isn't declared; did you mean 'tools'"),
        ("[tools.a]\ntimout = 3", ":2: tools.a.timout: isn't declared; did you mean 'timeout'"),
        ("[tools.a]\ntimeout = -1", ":2: tools.a.timeout: must be more than 0"),
        ("[tools.a]\nmax_running = 0", ":2: tools.a.max_running: must be at least 1"),
        ("[tools.a]\nconcurrency_safe = 1", ":2: tools.a.concurrency_safe: "),
        ("[tools.a]\nannotations = 3", ":2: tools.a.annotations: "),
        (
            "[tools.a.annotations]\nreadonly = true",
            ":2: tools.a.annotations.readonly: isn't declared; did you mean 'read_only'",
        ),
        ('[tools.a]\ndescription = "a\\u202eb"', ":2: tools.a.description: holds the hidden cha"),
        ("[tools.'two words']", ":1: tools.two words: 'two words' matches no name"),
        ("[tools]\ntimeout = 5", ":2: tools.timeout: must be an object"),
        ("tools = 3", ":1: tools: must be an object"),
    ],
)
def test_what_cannot_be_said_of_tools_is_one_mistake_with_its_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)

    (found,) = caught.value.mistakes
    assert found.startswith(f"{tmp_path}/pegboard.toml{words}")


def test_every_mistake_of_every_table_of_tools_is_told_at_once(tmp_path: Path) -> None:
    lines = ["[tools.a]", "timeout = 0", "max_runing = 1", "[tools.'b c']", "[tools.d]"]

    with pytest.raises(ConfigError) as caught:
        read(tmp_path, "\n".join([*lines, 'description = "\\u200b"']))

    found = sorted(each.split(": ")[0].rpartition(":")[2] for each in caught.value.mistakes)
    assert found == ["2", "3", "4", "6"]
