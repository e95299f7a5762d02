"""Every check of a plugin's life fails for a plugin that was made to fail it."""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import NotReady, PegboardError, Tool, hookimpl, tool
from pegboard.testing import check_plugin, site_at

LEAVES = "it_leaves_nothing_when_it_is_unloaded_twice"
LOADS = "it_can_be_imported_and_loaded"
PRINTS = "it_prints_nothing_while_it_is_loaded"
MISSES = "it_names_the_settings_that_it_misses"

RIGHT = """
from pegboard import tool

@tool
def right(value: str) -> str:
    return value
"""
PHOENIX = f"""
import sys
from pegboard import hookimpl
{RIGHT}
class Phoenix:
    def __init__(self):
        self.itself, self.module = self, sys.modules[__name__]

    def __del__(self):
        sys.modules["pegboard_stays"] = self.module

@hookimpl
def pegboard_lifespan(plugin):
    plugin.on_unload(Phoenix)
"""


@tool
def right(value: str) -> str:
    """Do it."""
    return value


class Plugin:
    """A plugin with a tool; those made to fail have more."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        return [right]


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Set at the end, for what would go on for ever."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """`install(name, source)` writes a plugin as pip would have installed it."""
    with site_at(tmp_path / "site") as site:

        def install(name: str, source: str) -> None:
            files = {f"pegboard_{name}.py": source}
            points = {name: f"pegboard_{name}"}
            site.install(f"pegboard-{name}", entry_points=points, files=files)

        yield install


def test_a_thread_that_goes_on_is_named(
    answer: Callable[..., str], stop: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.testing.traces._PATIENCE", 0.05)

    class Threading(Plugin):
        @hookimpl
        @contextmanager
        def pegboard_lifespan(self, plugin: Any) -> Iterator[None]:
            threading.Thread(target=stop.wait, name="stray").start()
            yield

    assert answer(LEAVES, Threading()) == "plugin 'Threading' leaves thread 'stray' behind"


def test_a_task_that_goes_on_is_named(
    answer: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.testing.traces._PATIENCE", 0.05)

    class Tasking(Plugin):
        @hookimpl
        @asynccontextmanager
        async def pegboard_lifespan(self, plugin: Any) -> AsyncIterator[None]:
            self.task = asyncio.create_task(asyncio.sleep(9), name="stray")
            yield

    assert "task 'stray'" in answer(LEAVES, Tasking())


def test_a_file_that_stays_open_is_named(
    answer: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.testing.traces._PATIENCE", 0.05)
    opened: list[int] = []

    class Opening(Plugin):
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            opened.append(os.open(tmp_path / "stray.txt", os.O_CREAT))
            return [right]

    text = answer(LEAVES, Opening())
    for each in opened:
        os.close(each)

    assert "open file" in text
    assert "stray.txt" in text


def test_what_is_raised_while_a_plugin_is_left_is_told(answer: Callable[..., str]) -> None:
    class Raising(Plugin):
        @hookimpl
        @contextmanager
        def pegboard_lifespan(self, plugin: Any) -> Iterator[None]:
            yield
            raise LookupError("no luck")

    assert "LookupError: no luck" in answer(LEAVES, Raising())


def test_what_is_raised_while_a_board_is_left_is_told(answer: Callable[..., str]) -> None:
    class Raising(Plugin):
        @hookimpl
        @contextmanager
        def pegboard_board(self, board: Any) -> Iterator[None]:
            yield
            raise LookupError(f"no luck on {board.name}")

    assert "LookupError: no luck on third" in answer(LEAVES, Raising())


def test_a_plugin_that_loads_once_only_is_told(answer: Callable[..., str]) -> None:
    class Once(Plugin):
        is_used = False

        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            if self.is_used:
                raise LookupError("used up")
            self.is_used = True
            return [right]

    assert "LookupError: used up" in answer(LEAVES, Once())


def test_a_module_that_comes_back_is_named(
    answer: Callable[..., str], install: Callable[..., None]
) -> None:
    install("stays", PHOENIX)
    gc.disable()  # it comes back when it is collected, which is to be after its unloading

    try:
        text = answer(LEAVES, "stays")
    finally:
        gc.enable()

    assert "'stays' (pegboard-stays 1.0) leaves module pegboard_stays behind" in text


def test_a_plugin_that_raises_when_it_is_imported_is_named_with_the_reason(
    answer: Callable[..., str], install: Callable[..., None]
) -> None:
    install("broken", "raise OSError('no such luck')")

    text = answer(LOADS, "broken")

    assert "plugin 'broken' (pegboard-broken 1.0) could not be loaded" in text
    assert "no such luck" in text


def test_a_plugin_that_is_not_installed_is_answered_with_what_to_do(
    answer: Callable[..., str], install: Callable[..., None]
) -> None:
    install("near", RIGHT)

    text = answer(LOADS, "neat")

    assert "unknown plugin 'neat'; did you mean 'near'?" in text
    assert "pip install -e ." in text


@pytest.mark.parametrize("place", ["import", "tools", "descriptor"])
def test_what_goes_to_standard_output_is_told(
    answer: Callable[..., str], install: Callable[..., None], place: str
) -> None:
    text = answer(PRINTS, _printing(install, place))

    assert "'hello from the plugin\\n'" in text
    assert "plugin.log" in text


def _printing(install: Callable[..., None], place: str) -> object:
    """A plugin that prints at one place."""
    if place == "import":
        install("prints", f"print('hello from the plugin')\n{RIGHT}")
        return "prints"

    class Printing(Plugin):
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            if place == "tools":
                sys.stdout.write("hello from the plugin\n")
            else:
                os.write(1, b"hello from the plugin\n")
            return [right]

    return Printing()


@attrs.frozen
class Settings:
    """What may be set."""

    root: str = ""
    token: str = ""


class Setting(Plugin):
    """A plugin whose lifespan raises what it was made with, unless a token is set."""

    def __init__(self, cls: type, error: Exception | None = None) -> None:
        self.cls = cls
        self.error = error

    @hookimpl
    def pegboard_settings(self) -> type:
        return self.cls

    @hookimpl
    @contextmanager
    def pegboard_lifespan(self, plugin: Any) -> Iterator[None]:
        if self.error is not None and not plugin.settings.token:
            raise self.error
        yield


def test_a_plugin_that_fails_without_settings_has_to_name_one(answer: Callable[..., str]) -> None:
    text = answer(MISSES, Setting(Settings, KeyError("TOKENS")), settings={"token": "t"})

    assert "plugin 'Setting' fails and doesn't name 'root' or 'token'" in text
    assert "KeyError: 'TOKENS'" in text
    assert "no default" in text


@pytest.mark.parametrize(
    "error",
    [None, PegboardError("token is empty; set it to yours"), NotReady("the server is down")],
    ids=["works", "names it", "not ready"],
)
def test_a_plugin_that_works_without_settings_or_names_one_is_right(
    ask: Callable[..., None], error: Exception | None
) -> None:
    ask(MISSES, Setting(Settings, error), settings={"token": "t"})


def test_a_setting_without_a_default_is_named_by_the_host(ask: Callable[..., None]) -> None:
    @attrs.frozen
    class Required:
        root: str
        token: str

    ask(MISSES, Setting(Required), settings={"root": "r", "token": "t"})


def test_a_plugin_without_settings_misses_none(ask: Callable[..., None]) -> None:
    ask(MISSES, Plugin())


def test_what_a_plugin_writes_by_default_stays_out_of_the_author_s_folders(
    ask: Callable[..., None], tmp_path: Path
) -> None:
    class Writing(Setting):
        @hookimpl
        @contextmanager
        def pegboard_lifespan(self, plugin: Any) -> Iterator[None]:
            if not plugin.settings.token:
                Path("here.txt").touch()
                Path("~/home.txt").expanduser().touch()
            yield

    ask(MISSES, Writing(Settings), settings={"token": "t"})

    assert {each.name for each in (tmp_path / "of the check").iterdir()} == {"here.txt", "home.txt"}


def test_settings_may_be_made_for_a_folder_of_the_test_s_own(
    ask: Callable[..., None], tmp_path: Path
) -> None:
    seen: list[Path] = []

    ask(LOADS, Setting(Settings), settings=lambda folder: seen.append(folder) or {"root": "r"})

    assert seen == [tmp_path / "of the check"]


def test_modules_that_other_tests_have_imported_stay_as_they_were(
    ask: Callable[..., None], install: Callable[..., None]
) -> None:
    install("right", RIGHT)
    module = __import__("pegboard_right")

    for plugin in ("right", module):
        ask(LEAVES, plugin)

    assert sys.modules["pegboard_right"] is module


def test_checks_that_are_made_inside_a_test_are_refused() -> None:
    with pytest.raises(PegboardError, match="in the module itself"):
        check_plugin(Plugin())


def test_a_path_is_refused_with_the_way_out(ask: Callable[..., None]) -> None:
    with pytest.raises(PegboardError, match="import the file"):
        ask(LOADS, "plugin.py")
