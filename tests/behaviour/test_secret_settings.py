"""Secrets in settings: from the environment or a file, and their text shows nowhere."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Host, PluginLoadError, RunContext, Secret, Tool, hookimpl, tool
from pegboard.configuration import read_config

TEXT = "hush-3f9a-canary"


@attrs.frozen
class Inner:
    """A part with a secret."""

    token: Secret


def _long_enough(_owner: object, field: Any, value: Secret | None) -> None:
    if value is not None and len(value.reveal()) < 8:
        raise ValueError(f"{field.name} is too short: {value} {value!r}")


@attrs.frozen
class Settings:
    """Settings with secrets at several depths."""

    key: Secret | None = None
    long: Secret | None = attrs.field(default=None, validator=_long_enough)
    many: list[Secret] = attrs.Factory(list)
    named: dict[str, Inner] = attrs.Factory(dict)
    count: int = 0


class Keyed:
    """A plugin with secrets, whose tools tell what they are."""

    @hookimpl
    def pegboard_settings(self) -> type[Settings]:
        """Give the class."""
        return Settings

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give tools that read the secrets."""

        @tool
        def revealed(context: RunContext) -> list[str]:
            """Tell the texts."""
            settings = context.plugin.settings
            parts = [each.token for each in settings.named.values()]
            return [each.reveal() for each in (settings.key, *settings.many, *parts) if each]

        @tool
        def failing(context: RunContext) -> None:
            """Fail with everything that there is to show."""
            raise ValueError(f"{context.plugin.settings} {context.plugin.settings!r}")

        return [revealed, failing]


Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a configuration file."""

    def written(text: str) -> Path:
        file = tmp_path / "conf" / "pegboard.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    return written


async def loaded_with(path: Path) -> list[str]:
    """The texts that the plugin sees."""
    async with Host(path, discover=False) as host:
        await host.load(Keyed(), name="web")
        board = await host.board("a")
        texts: list[str] = (await board.call("revealed")).unwrap()
        return texts


async def refused(path: Path) -> str:
    """Why the plugin can't be loaded."""
    async with Host(path, discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(Keyed(), name="web")
        assert host.plugins["web"].state == "failed"
    return str(caught.value)


async def test_a_secret_comes_from_the_environment_at_any_depth(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_KEY", TEXT)
    path = write(
        '[plugins.web]\nkey = { env = "WEB_KEY" }\nmany = [{ env = "WEB_KEY" }]\n'
        '[plugins.web.named.a]\ntoken = { env = "WEB_KEY" }\n'
    )

    assert await loaded_with(path) == [TEXT] * 3


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
async def test_a_secret_comes_from_a_file_beside_the_configuration(
    write: Write, ending: str
) -> None:
    path = write('[plugins.web]\nkey = { file = "keys/web" }\n')
    (path.parent / "keys").mkdir()
    (path.parent / "keys" / "web").write_bytes((TEXT + ending).encode())

    assert await loaded_with(path) == [TEXT]


async def test_everything_that_is_not_there_is_named_with_its_line(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPTY", "")
    path = write(
        '[plugins.web]\nkey = { env = "WEB_KEY" }\nlong = { env = "EMPTY" }\n'
        'many = [\n  { file = "gone" },\n]\ncount = "three"\n'
    )

    message = await refused(path)

    assert f"{path}:2: settings of plugin 'web': $.key needs" in message
    assert "the environment variable 'WEB_KEY', which isn't set" in message
    assert "variable 'EMPTY', which is empty" in message
    assert f"{path}:4: " in message
    assert str(path.parent / "gone") in message
    assert f"{path}:7: " in message


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("folder", None, "can't be read"),
        ("binary", b"\xff\xfe", "isn't text in UTF-8"),
        ("empty", b"\n", "is empty"),
        ("large", b"x" * 70_000, "is larger than"),
    ],
)
async def test_a_file_that_holds_no_secret_is_refused(
    write: Write, name: str, content: bytes | None, reason: str
) -> None:
    path = write(f'[plugins.web]\nkey = {{ file = "{name}" }}\n')
    file = path.parent / name
    file.mkdir() if content is None else file.write_bytes(content)

    assert reason in await refused(path)


@pytest.mark.parametrize("table", ['{ envv = "X" }', '{ env = "X", file = "y" }', "{ env = 3 }"])
async def test_a_table_that_stands_for_no_secret_is_refused_with_the_way_out(
    write: Write, table: str
) -> None:
    message = await refused(write(f"[plugins.web]\nmany = [{table}]\n"))

    assert 'is a secret: text, { env = "NAME" } or { file = "…" }' in message


async def test_plain_text_in_the_configuration_is_taken_with_a_warning(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(f'[plugins.web]\ncount = 1\nkey = "{TEXT}"\n')

    texts = await loaded_with(path)

    assert texts == [TEXT]
    (warned,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert f"{path}:3: plugins.web.key stands there as plain text" in warned.getMessage()


@pytest.mark.parametrize("given", [TEXT, Secret(TEXT), {"env": "WEB_KEY"}])
async def test_a_program_gives_text_a_secret_or_where_it_is_without_a_warning(
    given: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WEB_KEY", TEXT)
    async with Host(discover=False) as host:
        await host.load(Keyed(), name="web", settings={"key": given})
        board = await host.board("a")

        assert (await board.call("revealed")).unwrap() == [TEXT]
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


async def test_the_text_shows_in_no_log_error_or_representation(
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("WEB_KEY", TEXT)
    path = write('[plugins.web]\nkey = { env = "WEB_KEY" }\n')
    async with Host(path, discover=False) as host:
        await host.load(Keyed(), name="web")
        board = await host.board("a")
        outcome = await board.call("failing")
        shown = [repr(outcome), repr(host.config), repr(host.plugins), repr(read_config(path))]

    assert outcome.is_error
    assert TEXT not in "".join([*shown, caplog.text])


async def test_the_text_shows_in_no_mistake_that_its_own_rules_find(
    write: Write, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("WEB_KEY", "hush-3f")
    path = write('[plugins.web]\nlong = { env = "WEB_KEY" }\n\n')

    message = await refused(path)

    assert f"{path}:2: " in message
    assert "too short" in message
    assert "hush" not in message + caplog.text


async def test_plain_text_is_right_where_a_setting_takes_text_too(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    @attrs.frozen
    class Either:
        env: dict[str, str | Secret]

    class Taking:
        @hookimpl
        def pegboard_settings(self) -> type:
            return Either

    path = write('[plugins.either]\nenv = { MODE = "fast" }\n')
    async with Host(path, discover=False) as host:
        await host.load(Taking(), name="either")

    assert [each for each in caplog.records if each.levelno == logging.WARNING] == []
