"""`--watch`: the same again after each change on disk, in a process that is really stopped."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard.testing import Site
from pegboard_watched import code, install_editable


@attrs.frozen
class Watch:
    """A command that watches."""

    process: "subprocess.Popen[str]"

    def line(self) -> str:
        """The next line of its results; empty where there are no more."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def message(self) -> str:
        """The next line of its messages."""
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    def stop(self, number: int) -> tuple[int, str, str]:
        """Send it a signal: its status, and what it has yet said."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextmanager
def watching(desk: Any, *words: str) -> Iterator[Watch]:
    """Run a command with `--watch`, and end it."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with desk.start(*words, "--watch", **pipes) as process:
        late = threading.Timer(60, process.kill)
        late.start()
        try:
            yield Watch(process)
        finally:
            late.cancel()
            process.kill()


@pytest.fixture
def module(bare: Any) -> Path:
    """The module of a plugin that is installed as editable, with version 1 of its tool."""
    bare.write("pegboard.toml", 'only = ["project"]\n')
    module: Path = bare.work / "src" / "project.py"
    module.parent.mkdir()
    module.write_text(code(1))
    install_editable(Site(bare.site), bare.work, "project")
    return module


def test_tools_are_listed_again_after_an_edit_with_what_was_done(bare: Any, module: Path) -> None:
    with watching(bare, "tools", "--json") as watch:
        before = json.loads(watch.line())
        module.write_text(code(2).replace("Give the version", "Give another"))
        after = json.loads(watch.line())
        message = watch.message()

    assert [each["description"] for each in (*before, *after)] == [
        "Give the version.",
        "Give another.",
    ]
    assert message.startswith("pegboard: reloaded 'project'")


def test_a_mistake_is_said_with_its_place_and_the_list_comes_again_once_it_is_repaired(
    bare: Any, module: Path
) -> None:
    with watching(bare, "tools") as watch:
        head, row = watch.line(), watch.line()
        module.write_text(f"{code(2)}def (\n")
        mistake = watch.message()
        module.write_text(code(3))
        again = (watch.line(), watch.line())

    assert "SyntaxError: invalid syntax (src/project.py:8)" in mistake
    assert "goes on as it was" in mistake
    assert again == (head, row)


def test_a_plugin_that_can_t_be_loaded_at_first_is_listed_once_it_can(
    bare: Any, module: Path
) -> None:
    module.write_text("x = y\n")
    with watching(bare, "tools", "--json") as watch:
        nothing, mistake = watch.line(), watch.message()
        module.write_text(code(2))
        tools = json.loads(watch.line())

    assert (nothing, [each["name"] for each in tools]) == ("[]\n", ["version"])
    assert "NameError: name 'y' is not defined (src/project.py:1)" in mistake


def test_what_is_installed_and_uninstalled_meanwhile_is_listed(bare: Any) -> None:
    with watching(bare, "tools", "--json") as watch:
        before = json.loads(watch.line())
        bare.install("late", code(1, name="late"))
        came, loaded = json.loads(watch.line()), watch.message()
        Site(bare.site).uninstall("pegboard-late")
        went, unloaded = json.loads(watch.line()), watch.message()

    assert [each["name"] for each in came if each not in before] == ["late"]
    assert went == before
    assert loaded.startswith("pegboard: loaded 'late'")
    assert unloaded.startswith("pegboard: unloaded 'late'")


def test_an_edited_configuration_is_applied_and_a_broken_one_is_said(
    bare: Any, module: Path
) -> None:
    with watching(bare, "tools", "--json") as watch:
        watch.line()
        bare.write("pegboard.toml", '\nonli = ["project"]\n')
        mistake = watch.message()
        bare.write("pegboard.toml", 'only = ["project"]\ndeny = ["version"]\n')
        line = watch.line()

    assert mistake.startswith("pegboard: pegboard.toml:2: onli: ")
    assert line == "[]\n"


def test_a_call_is_made_again_after_each_edit(bare: Any, module: Path) -> None:
    with watching(bare, "call", "version") as watch:
        values = [watch.line()]
        for version in (2, 3):
            module.write_text(code(version))
            values.append(watch.line())

    assert values == ["1001\n", "1002\n", "1003\n"]


def test_the_outcomes_of_a_call_that_is_watched_take_one_line_each(bare: Any, module: Path) -> None:
    with watching(bare, "call", "version", "--json") as watch:
        before = json.loads(watch.line())
        module.write_text(code(2).replace("return", "raise OSError('gone') or"))
        after = json.loads(watch.line())

    assert (before["value"], after["code"]) == (1001, "crashed")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
@pytest.mark.usefixtures("module")
def test_a_signal_ends_it_cleanly(bare: Any, number: int, status: int) -> None:
    with watching(bare, "tools", "--json") as watch:
        watch.line()

        assert watch.stop(number) == (status, "", "")


def test_a_signal_in_the_middle_of_a_call_ends_it_cleanly(bare: Any, module: Path) -> None:
    body = "import pathlib, asyncio; pathlib.Path('begun').touch(); await asyncio.sleep(60); return"
    module.write_text(code(1).replace("def", "async def").replace("return", body))
    with watching(bare, "call", "version") as watch:
        while not (bare.work / "begun").exists():
            pass

        assert watch.stop(signal.SIGTERM) == (143, "", "")


def test_it_ends_once_nobody_reads_the_results(bare: Any, module: Path) -> None:
    with watching(bare, "tools", "--json") as watch:
        watch.line()
        assert watch.process.stdout is not None
        watch.process.stdout.close()
        module.write_text(code(2))

        assert watch.process.wait(60) == 141


def test_a_matrix_can_t_be_watched(bare: Any) -> None:
    ran = bare.answer("tools", "--matrix", "--watch")

    assert (ran.status, ran.out) == (2, "")
    assert "--matrix and --watch don't go together" in ran.err


def test_without_watchfiles_the_command_says_what_to_install(bare: Any, module: Path) -> None:
    (bare.site / "watchfiles.py").write_text("raise ImportError\n")

    ran = bare.run("tools", "--watch")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "pegboard: watching needs watchfiles: pip install 'pegboard[watch]'\n"
