"""`check_plugin`: everything that a plugin's package must satisfy, as tests for pytest."""

import asyncio
import os
import sys
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from pegboard.board import Board
from pegboard.config import Config
from pegboard.errors import PegboardError
from pegboard.testing import life, of_calls, of_tools
from pegboard.testing.subject import NotLoadedError, Subject
from pegboard.testing.traces import modules_kept
from pegboard.values import JSON

BoardQuestion: TypeAlias = Callable[[Board], Iterable[str]]
Question: TypeAlias = Callable[[Subject, Path], Coroutine[Any, Any, list[str]]]


class PluginWarning(UserWarning):
    """Something of a plugin that works, and would serve its users better otherwise."""


def check_plugin(
    plugin: object,
    *,
    settings: Any = None,
    arguments: Mapping[str, Sequence[JSON]] | None = None,
    name: str | None = None,
    config: Config | None = None,
) -> "type[PluginChecks]":
    """A class of tests, one for each requirement; pytest collects it under any name.

    In a test module, outside of any function: `TestPlugin = check_plugin("dice")`.

    Args:
        plugin: the name of an installed plugin, a module, or an object with hook implementations.
        settings: its settings: a table, an instance of its class, or a function that gives either
            for an empty folder of the test's own.
        arguments: further arguments to try, by the names of tools; for tools with schemas of which
            no fitting value can be guessed.
        name: the plugin's name on the host, as for `Host.load`.
        config: the host's configuration.

    Raises:
        PegboardError: it is called inside a test, where nothing would be collected.
    """
    is_inside = sys._getframe(1).f_code.co_name != "<module>"  # noqa: SLF001 - there is no other way
    if is_inside and os.environ.get("PYTEST_CURRENT_TEST", "").endswith("(call)"):
        raise PegboardError(
            "check_plugin gives a class of tests, and nobody would run it inside a test; write "
            "`TestPlugin = check_plugin(…)` in the module itself"
        )
    subject = Subject(
        plugin=plugin, settings=settings, arguments=arguments, name=name, config=config
    )
    return type("PluginChecks", (PluginChecks,), {"subject": subject, "__test__": True})


class PluginChecks:
    """What `check_plugin` asks of a plugin; no body of a tool is run.

    Every test has a host of its own with nothing but the plugin on it.

    Attributes:
        subject: the plugin.
    """

    subject: ClassVar[Subject]
    __test__ = False

    def test_it_can_be_imported_and_loaded(self, tmp_path: Path) -> None:
        """With the settings that were given."""
        __tracebackhide__ = True
        self._answers(tmp_path, _on_board(_nothing), shows_cause=True)

    def test_it_leaves_nothing_when_it_is_unloaded_twice(self, tmp_path: Path) -> None:
        """No thread, task, open file, module or error, with boards that open and close."""
        __tracebackhide__ = True
        _refuse(self._answers(tmp_path, life.what_it_leaves))

    def test_it_prints_nothing_while_it_is_loaded(self, tmp_path: Path) -> None:
        """Standard output belongs to the program, or to a protocol."""
        __tracebackhide__ = True
        _refuse(self._answers(tmp_path, life.what_it_prints))

    def test_it_names_the_settings_that_it_misses(self, tmp_path: Path) -> None:
        """Or works without any."""
        __tracebackhide__ = True
        _refuse(self._answers(tmp_path, life.what_it_misses))

    def test_every_name_fits_every_provider(self, tmp_path: Path) -> None:
        """Those of tools, which loading checks, and those of their arguments."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.unfit_names)

    def test_every_tool_is_described(self, tmp_path: Path) -> None:
        """A model reads what it does."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.without_description)

    def test_every_parameter_is_described(self, tmp_path: Path) -> None:
        """A model reads what it means."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.without_parameter_description)

    def test_every_schema_agrees_with_itself(self, tmp_path: Path) -> None:
        """Its defaults and examples fit, and what it requires is allowed."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.wrong_schemas)

    def test_every_tool_says_what_it_may_change(self, tmp_path: Path) -> None:
        """A warning for each that doesn't: it works, and counts as destructive."""
        __tracebackhide__ = True
        for each in self._answers(tmp_path, _on_board(of_tools.without_annotations)):
            warnings.warn(each, PluginWarning, stacklevel=1)

    def test_no_tool_that_only_reads_is_destructive(self, tmp_path: Path) -> None:
        """What a tool says of its effects doesn't contradict itself."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.destructive_readers)

    def test_every_provider_can_be_told_of_every_tool(self, tmp_path: Path) -> None:
        """What a shape can't say is listed among what the test prints."""
        __tracebackhide__ = True
        self._ask(tmp_path, of_tools.not_exportable)
        for each in self._answers(tmp_path, _on_board(of_tools.losses)):
            sys.stdout.write(f"{each}\n")

    def test_every_call_can_be_shown(self, tmp_path: Path) -> None:
        """Presenters answer for whatever their tool takes and gives."""
        __tracebackhide__ = True
        more = self.subject.arguments
        self._ask(tmp_path, lambda board: of_calls.failing_presenters(board, more))

    def test_every_tool_says_what_its_calls_may_overlap(self, tmp_path: Path) -> None:
        """Functions for `concurrency_safe` answer for whatever their tool takes."""
        __tracebackhide__ = True
        more = self.subject.arguments
        self._ask(tmp_path, lambda board: of_calls.failing_overlaps(board, more))

    def _ask(self, folder: Path, question: BoardQuestion) -> None:
        __tracebackhide__ = True
        _refuse(self._answers(folder, _on_board(question)))

    def _answers(self, folder: Path, question: Question, *, shows_cause: bool = False) -> list[str]:
        __tracebackhide__ = True
        try:
            with modules_kept():
                return asyncio.run(question(self.subject, folder))
        except NotLoadedError as error:
            failed = error
        raise AssertionError(str(failed)) from (_root(failed) if shows_cause else None)


def _on_board(question: BoardQuestion) -> Question:
    """A question about a board, asked of one with nothing but the plugin's tools."""

    async def answers(subject: Subject, folder: Path) -> list[str]:
        async with subject.on_board(folder) as board:
            return list(question(board))

    return answers


def _root(error: BaseException) -> BaseException | None:
    """What the plugin itself has raised."""
    found = error.__cause__
    while found is not None and found.__cause__ is not None:
        found = found.__cause__
    return found


def _refuse(problems: Iterable[str]) -> None:
    """Fail with all problems, one a line."""
    __tracebackhide__ = True
    found = list(problems)
    if found:
        raise AssertionError("\n".join(found))


def _nothing(_board: Board) -> Iterable[str]:
    """What is asked where loading is all."""
    return ()
