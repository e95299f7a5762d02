"""The real MCP servers that the ecosystem tests run: how each is started, and what it answers."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

NPM = "node/node_modules/@modelcontextprotocol"
FOLDER = "FOLDER"
WORK = "WORK"


@attrs.frozen
class Asked:
    """A call of a real server, and what is in the text that it gives."""

    tool: str
    arguments: Mapping[str, Any]
    text: str
    fails: bool = False


@attrs.frozen
class RealServer:
    """A real MCP server.

    Attributes:
        name: how the tests call it.
        words: its command, in which `FOLDER` and `WORK` stand for the prepared folder and for a
            folder of the test's own.
        calls: calls that it answers, the first one with success.
        definitions: the name of the file with its definitions, where there is one.
        environment: further variables of its environment.
    """

    name: str
    words: tuple[str, ...]
    calls: tuple[Asked, ...]
    definitions: str | None = None
    environment: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def is_wrapped(self) -> bool:
        """Whether what is started starts the server in a process below it."""
        return self.words[0].endswith("/node")

    def command(self, folder: Path, work: Path) -> list[str]:
        """The command line, for a prepared folder and a folder to work in."""
        return [_placed(word, folder, work) for word in self.words]

    def variables(self, folder: Path, work: Path) -> dict[str, str]:
        """Its variables, for the same."""
        return {key: _placed(text, folder, work) for key, text in self.environment.items()}

    def asked(self, call: Asked, work: Path) -> dict[str, Any]:
        """The arguments of a call, for a folder to work in."""
        return {
            key: value.replace(WORK, str(work)) if isinstance(value, str) else value
            for key, value in call.arguments.items()
        }


def _placed(word: str, folder: Path, work: Path) -> str:
    return word.replace(FOLDER, str(folder)).replace(WORK, str(work))


def furnish(work: Path) -> None:
    """Put into a folder what the servers are asked about: a repository and a file."""
    git = ["git", "-C", str(work), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    (work / "note.txt").write_text("nine servers\n")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "First"], check=True)


def configure(prepared: Path, work: Path, *names: str) -> list[RealServer]:
    """Write a configuration with these servers into a folder, or with all of them."""
    servers = [each for each in SERVERS if not names or each.name in names]
    lines = [f"only = {_toml([each.name for each in servers])}"]
    lines += [line for each in servers for line in tables_of(each, prepared, work)]
    (work / "pegboard.toml").write_text("\n".join([*lines, ""]))
    return servers


def tables_of(server: RealServer, prepared: Path, work: Path) -> list[str]:
    """The lines of a configuration by which a server is a plugin that is started at once."""
    settings = {
        "command": server.command(prepared, work),
        "cwd": str(work),
        "env": server.variables(prepared, work),
    }
    table = [f"[mcp.{server.name}]", *(f"{key} = {_toml(settings[key])}" for key in settings)]
    return [*table, f"[mcp.{server.name}.pegboard]", "eager = true"]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {json.dumps(value[key])}" for key in value) + "}"
    return json.dumps(value)


def _npm(name: str, *words: str) -> tuple[str, ...]:
    return (f"{FOLDER}/node/bin/node", f"{FOLDER}/{NPM}/server-{name}/dist/index.js", *words)


_ZONES = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Kolkata"}
_ENTITY = {"name": "Pi", "entityType": "number", "observations": ["irrational"]}
_THOUGHT = {"thought": "one", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}

SERVERS = (
    RealServer(
        "time",
        (f"{FOLDER}/time/bin/mcp-server-time",),
        (
            Asked("convert_time", _ZONES, "08:30"),
            Asked("get_current_time", {"timezone": "No/Where"}, "No/Where", fails=True),
        ),
    ),
    RealServer(
        "git",
        (f"{FOLDER}/git/bin/mcp-server-git", "--repository", WORK),
        (
            Asked("git_log", {"repo_path": WORK}, "First"),
            Asked("git_status", {"repo_path": WORK}, "On branch"),
        ),
    ),
    RealServer(
        "fetch",
        (f"{FOLDER}/fetch/bin/mcp-server-fetch",),
        (Asked("fetch", {"url": "http://127.0.0.1:9/"}, "127.0.0.1", fails=True),),
        definitions="mcp-server-fetch",
    ),
    RealServer(
        "sqlite",
        (f"{FOLDER}/sqlite/bin/mcp-server-sqlite", "--db-path", f"{WORK}/rows.db"),
        (
            Asked("create_table", {"query": "CREATE TABLE words (word TEXT)"}, "success"),
            Asked("list_tables", {}, "words"),
            Asked("read_query", {"query": "SELECT 40 + 2 AS answer"}, "42"),
        ),
    ),
    RealServer(
        "calculator",
        (f"{FOLDER}/calculator/bin/mcp-server-calculator",),
        (Asked("calculate", {"expression": "2 + 3 * 4"}, "14"),),
        definitions="mcp-server-calculator",
    ),
    RealServer(
        "everything",
        _npm("everything", "stdio"),
        (
            Asked("echo", {"message": "Pi"}, "Pi"),
            Asked("get-sum", {"a": 2, "b": 3}, "5"),
            Asked("get-structured-content", {"location": "New York"}, "temperature"),
        ),
        definitions="server-everything",
    ),
    RealServer(
        "filesystem",
        _npm("filesystem", WORK),
        (
            Asked("read_text_file", {"path": f"{WORK}/note.txt"}, "nine servers"),
            Asked("list_directory", {"path": WORK}, "note.txt"),
            Asked("read_text_file", {"path": "/etc/passwd"}, "denied", fails=True),
        ),
        definitions="server-filesystem",
    ),
    RealServer(
        "memory",
        _npm("memory"),
        (
            Asked("create_entities", {"entities": [_ENTITY]}, "irrational"),
            Asked("read_graph", {}, "Pi"),
        ),
        environment={"MEMORY_FILE_PATH": f"{WORK}/memory.json"},
    ),
    RealServer(
        "sequential-thinking",
        _npm("sequential-thinking"),
        (Asked("sequentialthinking", _THOUGHT, "thoughtHistoryLength"),),
        definitions="server-sequential-thinking",
    ),
)


def processes_below(process: int) -> list[int]:
    """The processes that a process has started and that still run, and theirs after each."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        state, parent = _state_of(folder)
        if parent == process and state != "Z":
            child = int(folder.name)
            found += [child, *processes_below(child)]
    return found


def is_running(process: int) -> bool:
    """Whether a process has not ended."""
    return _state_of(Path(f"/proc/{process}"))[0] not in ("Z", "")


def _state_of(folder: Path) -> tuple[str, int]:
    """The state of a process and the one that started it, from its folder below /proc."""
    try:
        state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return "", 0
    return state, int(parent)
