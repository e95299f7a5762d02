"""The tools of eleven published llm plugins, installed together, as pegboard tools."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard_house import ORIGINAL

REPOSITORY = Path(__file__).parents[2]
OWNERS = {
    "llm_tools_datasette": "llm-tools-datasette",
    "llm_tools_docker": "llm-tools-docker",
    "llm_tools_memory": "llm-tools-memory",
    "llm_tools_patch": "llm-tools-patch",
    "llm_tools_quickjs": "llm-tools-quickjs",
    "llm_tools_readonly_fs": "llm-tools-readonly-fs",
    "llm_tools_sqlite": "llm-tools-sqlite",
    "llm_tools_todo": "llm-tools-todo",
    "llm_tools_trigger_error": "llm-tools-trigger-error",
    "tools_execute_shell": "llm-tools-execute-shell",
    "tools_simpleeval": "llm-tools-simpleeval",
}
LLMS_OWN = {"llm_time", "llm_version"}
CONFIG = """
[plugins.llm_tools_sqlite.SQLite]
path = "towns.db"

[plugins.llm_tools_datasette.Datasette]
url = "http://127.0.0.1:9/data"

[plugins.llm_tools_memory.Memory]
database = "memory.db"
"""
PROGRAM = """
import asyncio, json, subprocess, sys
from pegboard import Failure, Host

seen = {}


session = ""


async def call(board, tool, arguments):
    global session
    if "session_id" in arguments:
        arguments["session_id"] = session
    outcome = await board.call(tool, arguments)
    if isinstance(outcome, Failure):
        return [str(outcome.code), outcome.message]
    if tool == "Todo_begin":
        session = outcome.value.rpartition(" ")[2]
    return outcome.value


def told(host):
    plugins = {n: i for n, i in host.plugins.items() if i.distribution != "pegboard"}
    return {n: [i.distribution, i.state, i.error, list(i.tools)] for n, i in plugins.items()}


async def main():
    async with Host("pegboard.toml") as host:
        board = await host.board("a")
        STEPS


asyncio.run(main())
print(json.dumps(seen))
"""
CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("simple_eval", {"expression": "6 * 7"}, "42"),
    ("trigger_error", {"message": "no luck"}, ["crashed", "no luck"]),
    ("quickjs", {"javascript": "function execute() { return 4 * 5 }"}, 20),
    ("QuickJS_execute_javascript", {"javascript": "var a = 20; a + 1"}, "21"),
    ("QuickJS_execute_javascript", {"javascript": "a + 2"}, "22"),
    ("QuickJS_reset_context", {}, None),
    ("QuickJS_execute_javascript", {"javascript": "typeof a"}, "undefined"),
    ("SQLite_query", {"sql": "select name from towns"}, '[{"name": "Oslo"}]'),
    ("SQLite_schema", {}, "CREATE TABLE towns (name text);"),
    ("ReadonlyFsTools_glob", {"glob_patterns": ["*.txt"]}, "GlobOutput(paths=[…note.txt…"),
    (
        "ReadonlyFsTools_grep",
        {"search_regex": "note", "glob_patterns": ["*.txt"]},
        "GrepOutput(matches=[…contents='a note'…",
    ),
    ("ReadonlyFsTools_view", {"file_path": "note.txt"}, "ViewOutput(…contents='a note'…"),
    ("Patch_write", {"file_path": "new.txt", "content": "one two"}, "Successfully wrote…"),
    (
        "Patch_edit",
        {"file_path": "new.txt", "old_string": "one", "new_string": "three"},
        "Successfully replaced 1…",
    ),
    (
        "Patch_multi_edit",
        {"file_path": "new.txt", "edits_json": '[{"old_string": "two", "new_string": "four"}]'},
        "Successfully applied 1…",
    ),
    ("Patch_read", {"file_path": "new.txt"}, "three four"),
    ("Patch_info", {"file_path": "new.txt"}, "File: …new.txt…10 bytes…"),
    ("Todo_begin", {}, "Started new todo session: …"),
    ("Todo_add", {"session_id": "SESSION", "content": "buy milk"}, "Added todo 'buy milk'…"),
    ("Todo_list", {"session_id": "SESSION"}, "# Current Todos…buy milk…"),
    ("Todo_complete", {"session_id": "SESSION", "todo_id": "none"}, "Error: Todo with ID 'none'…"),
    ("Todo_write", {"session_id": "SESSION", "todos_json": "[]"}, "…"),
    ("Todo_end", {"session_id": "SESSION"}, "Ended todo session…"),
    ("DockerAlpine_container_info", {}, "No container running"),
    ("DockerAlpine_stop_container", {}, None),
    ("Datasette_schema", {}, ["crashed", "HTTP error querying Datasette: …"]),
    (
        "Datasette_query",
        {"sqlite_sql": "select 1"},
        ["crashed", "HTTP error querying Datasette: …"],
    ),
    ("Memory_search_memory", {"query": "x"}, ["crashed", "No key found…"]),
    ("Memory_create_memory", {"input": "x"}, ["crashed", "No key found…"]),
    (
        "execute_shell",
        {"command": "echo done > done.txt"},
        ["crashed", "execute_shell asks …and no approver has answered"],
    ),
]
"""Tools, what they are called with, and what that gives; `…` stands for any text."""


@attrs.frozen
class Environment:
    """A virtual environment with pegboard-llm and llm plugins, and a folder to work in."""

    folder: Path
    work: Path

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        return next(self.folder.glob("lib/python*/site-packages"))

    def run(self, *command: str) -> str:
        """What its interpreter prints, with nobody at a terminal."""
        clean = {k: v for k, v in ORIGINAL.items() if not k.startswith(("PYTHON", "OPENAI"))}
        own = {"HOME": str(self.work), "LLM_USER_PATH": str(self.work / "llm")}
        ran = subprocess.run(
            [str(self.folder / "bin" / "python"), *command],
            cwd=self.work,
            env=clean | own | {"PEGBOARD_CACHE": str(self.work / "cache")},
            stdin=subprocess.DEVNULL,
            text=True,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def seen(self, *steps: str) -> dict[str, Any]:
        """What a program has seen on a host, step by step."""
        (self.work / "program.py").write_text(PROGRAM.replace("STEPS", "\n        ".join(steps)))
        found: dict[str, Any] = json.loads(self.run("program.py").splitlines()[-1])
        return found

    def spoil(self, module: str, code: str) -> None:
        """Put other code in the place of a module; its file is shared with other environments."""
        file = self.packages / module
        file.unlink()
        file.write_text(code)


def pip(*arguments: str | Path) -> None:
    """Run pip as the user would."""
    clean = {k: v for k, v in ORIGINAL.items() if not k.startswith(("PYTHON", "PEGBOARD_"))}
    command = [sys.executable, "-m", "pip", "--quiet", *map(str, arguments)]
    subprocess.run(command, env=clean, check=True)


@pytest.fixture(scope="module")
def installed(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prepared environment of llm plugins, with pegboard and pegboard-llm of this tree."""
    folder = tmp_path_factory.mktemp("llm")
    sources = (REPOSITORY, REPOSITORY / "plugins" / "pegboard-llm")
    pip("wheel", "--no-deps", "--wheel-dir", folder / "wheels", *sources)
    shutil.copytree(prepared / "llm", folder / "venv", symlinks=True, copy_function=os.link)
    wheels = (folder / "wheels").iterdir()
    pip("--python", folder / "venv" / "bin" / "python", "install", *wheels)
    return folder / "venv"


@pytest.fixture(scope="module")
def making(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Environment]:
    """Give one more environment, with a folder that has a database and a note."""

    def make() -> Environment:
        folder = tmp_path_factory.mktemp("environment")
        shutil.copytree(installed, folder / "venv", symlinks=True, copy_function=os.link)
        made = Environment(folder / "venv", folder / "work")
        made.work.mkdir()
        (made.work / "pegboard.toml").write_text(CONFIG)
        (made.work / "note.txt").write_text("a note")
        statements = "create table towns (name text); insert into towns values ('Oslo')"
        made.run("-c", f"import sqlite3; sqlite3.connect('towns.db').executescript({statements!r})")
        return made

    return make


@pytest.fixture(scope="module")
def environment(making: Callable[[], Environment]) -> Environment:
    """The environment of tests that leave it as it is."""
    return making()


@pytest.fixture(scope="module")
def seen(environment: Environment) -> dict[str, Any]:
    """What each plugin is, what its calls give, and what is left once it is unloaded."""
    calls = [[name, arguments] for name, arguments, _ in CALLS]
    return environment.seen(
        "seen['plugins'] = told(host)",
        "seen['tools'] = [[t.name, t.description, t.parameters] for t in board.tools.values()]",
        f"seen['calls'] = [await call(board, *each) for each in json.loads({json.dumps(calls)!r})]",
        "host.hook(approve=lambda request: 'once')",
        "seen['approved'] = await call(board, 'execute_shell', {'command': 'echo approved'})",
        f"reports = [await host.unload(name) for name in {list(OWNERS)}]",
        "seen['left'] = [[r.name, r.leaked, r.errors] for r in reports if r.leaked or r.errors]",
        "seen['modules'] = [m for m in sys.modules if m.startswith(('llm_tools', 'pegboard_llm'))]",
    )


def test_each_is_a_plugin_of_its_own_distribution(seen: dict[str, Any]) -> None:
    found = {name: distribution for name, (distribution, *_) in seen["plugins"].items()}

    assert found == OWNERS
    assert [error for _, _, error, _ in seen["plugins"].values() if error] == []


@pytest.mark.shared
def test_all_their_tools_are_there_as_llm_describes_them(
    seen: dict[str, Any], shared_definitions: Path
) -> None:
    recorded = json.loads((shared_definitions / "llm-plugins.json").read_text())
    expected = {
        each["name"]: (each["description"] or "", each["input_schema"])
        for each in recorded
        if each["name"] not in LLMS_OWN
    }
    found = {name: (description, schema) for name, description, schema in seen["tools"]}

    assert len(found) == 29
    assert found == expected


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_a_call_gives_what_the_plugin_gives(seen: dict[str, Any], place: int) -> None:
    name, _, expected = CALLS[place]
    pattern = ".*".join(map(re.escape, json.dumps(expected, ensure_ascii=False).split("…")))

    assert re.fullmatch(pattern, json.dumps(seen["calls"][place])), name


def test_every_tool_is_called(seen: dict[str, Any]) -> None:
    uncalled = {name for name, _, _ in seen["tools"]} - {name for name, _, _ in CALLS}

    assert uncalled == {"DockerAlpine_execute_command"}


def test_what_they_write_is_written_where_the_host_works(
    seen: dict[str, Any], environment: Environment
) -> None:
    assert (environment.work / "new.txt").read_text() == "three four"
    assert (environment.work / "memory.db").is_file()


def test_a_shell_command_runs_only_if_an_approver_agrees(
    seen: dict[str, Any], environment: Environment
) -> None:
    assert not (environment.work / "done.txt").exists()
    assert seen["approved"] == "approved"


def test_unloading_them_leaves_nothing(seen: dict[str, Any]) -> None:
    assert (seen["left"], seen["modules"]) == ([], [])


def test_the_next_host_shows_them_without_importing_llm(
    seen: dict[str, Any], environment: Environment
) -> None:
    again = environment.seen(
        "seen['states'] = sorted({state for _, state, _, _ in told(host).values()})",
        "seen['tools'] = [[t.name, t.description, t.parameters] for t in board.tools.values()]",
        "seen['is_imported'] = 'llm' in sys.modules or 'pegboard_llm' in sys.modules",
    )

    assert again == {"states": ["deferred"], "tools": seen["tools"], "is_imported": False}


def test_the_command_names_the_distribution_of_each(environment: Environment) -> None:
    listed = json.loads(environment.run("-m", "pegboard", "plugins", "--json"))
    found = {each["name"]: each["distribution"] for each in listed}

    assert OWNERS.items() <= found.items()


def test_two_that_are_broken_cost_only_themselves(making: Callable[[], Environment]) -> None:
    environment = making()
    environment.spoil("llm_tools_quickjs.py", "raise RuntimeError('spoilt')  # register_tools")
    environment.spoil("llm_tools_todo.py", "exit('bye')  # register_tools")
    seen = environment.seen(
        "seen['plugins'] = told(host)",
        "seen['sum'] = await call(board, 'simple_eval', {'expression': '6 * 7'})",
    )
    failed = {name: error for name, (_, _, error, _) in seen["plugins"].items() if error}

    assert sorted(failed) == ["llm_tools_quickjs", "llm_tools_todo"]
    assert "RuntimeError: spoilt" in failed["llm_tools_quickjs"]
    assert "SystemExit: bye" in failed["llm_tools_todo"]
    assert (sum(len(tools) for *_, tools in seen["plugins"].values()), seen["sum"]) == (20, "42")


def test_after_pip_has_uninstalled_one_a_sync_takes_its_tools_and_no_others(
    making: Callable[[], Environment],
) -> None:
    environment = making()
    command = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--python",
        str(environment.folder / "bin" / "python"),
    ]
    seen = environment.seen(
        "seen['before'] = sorted(board.tools)",
        f"subprocess.run({[*command, 'uninstall', '--yes', 'llm-tools-patch']}, check=True)",
        "report = await host.sync()",
        "seen['gone'] = [report.unloaded, report.reloaded, report.loaded, report.failed]",
        "seen['after'] = sorted(board.tools)",
    )

    assert seen["gone"] == [["llm_tools_patch"], [], [], []]
    assert seen["after"] == [each for each in seen["before"] if not each.startswith("Patch_")]
