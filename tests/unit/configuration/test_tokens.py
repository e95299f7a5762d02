"""The token of a board: where its text is, and what is said where it isn't there."""

from pathlib import Path

import pytest
from pegboard import BoardConfig, Config, ConfigError, Secret
from pegboard.configuration import read_config


def read(folder: Path, text: str) -> Config:
    """The configuration that a text holds."""
    path = folder / "pegboard.toml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_a_token_in_the_environment_is_read_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = read(tmp_path, '[boards.a]\ntoken = { env = "BOARD_TOKEN" }')

    monkeypatch.setenv("BOARD_TOKEN", "first")
    first = config.token("a")
    monkeypatch.setenv("BOARD_TOKEN", "second")

    assert (first, config.token("a")) == ("first", "second")


def test_a_token_in_a_file_stands_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    config = read(tmp_path, '[boards."*"]\ntoken = { file = "token" }')

    assert config.token("any") == "secret"


def test_a_board_without_one_has_none(tmp_path: Path) -> None:
    assert read(tmp_path, "[boards.a]").token("a") is None
    assert Config().token("a") is None


def test_a_program_gives_the_text_itself() -> None:
    config = Config(boards={"a": BoardConfig(token=Secret("mine"))})

    assert config.token("a") == "mine"
    assert "mine" not in repr(config)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('{ env = "UNSET_BOARD_TOKEN" }', "the environment variable 'UNSET_BOARD_TOKEN'"),
        ('{ file = "nowhere" }', "can't be read"),
    ],
    ids=["env", "file"],
)
def test_a_token_that_isn_t_there_is_an_error_with_its_line(
    tmp_path: Path, written: str, says: str
) -> None:
    config = read(tmp_path, f"[boards.a]\ntoken = {written}")

    with pytest.raises(ConfigError, match=says) as caught:
        config.token("a")
    assert "pegboard.toml:2: boards.a.token: needs" in str(caught.value)


@pytest.mark.parametrize(
    "written", ["{}", '{ env = "A", file = "b" }', '{ env = "" }'], ids=["none", "both", "empty"]
)
def test_a_token_has_one_place(tmp_path: Path, written: str) -> None:
    with pytest.raises(ConfigError, match=r"pegboard.toml:2: boards.a.token: says where"):
        read(tmp_path, f"[boards.a]\ntoken = {written}")


def test_a_token_as_plain_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"boards.a.token: a token stands in no file") as caught:
        read(tmp_path, '[boards.a]\ntoken = "plain-text"')
    assert "plain-text" not in str(caught.value)
