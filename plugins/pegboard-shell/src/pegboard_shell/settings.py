"""What an operator may set."""

import os
import sys
from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le
from pegboard import PegboardError, PluginContext

KIBI = 1024
MEBI = KIBI * KIBI
MOST_OF_A_LIMIT = 2**62


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        root: the folder below which commands start; relative to the folder of the configuration, or
            to the working folder at loading where the plugin has no table there.
        shell: the program that reads the commands, an absolute path; it is run with `-c`.
        environment: names of the host's variables that commands get. They get no other.
        timeout: seconds that a command may take where a call says nothing.
        max_timeout: the most seconds that a call may ask for.
        grace: seconds between asking a command to end and killing it.
        answer_bytes: how much of the output one call gives back.
        output_bytes: how much a command may write; one that writes more is ended.
        kept: the folder below the root where output that is longer than an answer is kept.
        kept_files: how many such files stay.
        kept_bytes: how large they may be together.
        jobs: how many jobs a board may run at once; 0 leaves out the tools for jobs.
        processes: how many processes a command may have at once.
        cpu_seconds: processor time of each process.
        memory_bytes: address space of each process.
        file_bytes: the largest file that a process may write.
    """

    root: str = "."
    shell: str = "/bin/sh"
    environment: tuple[str, ...] = (
        *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER"),
    )
    timeout: Annotated[float, Gt(0)] = 60.0
    max_timeout: Annotated[float, Gt(0)] = 600.0
    grace: Annotated[float, Ge(0), Le(3)] = 1.0
    answer_bytes: Annotated[int, Ge(256), Le(MEBI)] = 32 * KIBI
    output_bytes: Annotated[int, Ge(256)] = 16 * MEBI
    kept: str = ".shell"
    kept_files: Annotated[int, Ge(1), Le(10_000)] = 100
    kept_bytes: Annotated[int, Ge(256)] = 256 * MEBI
    jobs: Annotated[int, Ge(0), Le(100)] = 4
    processes: Annotated[int, Ge(1), Le(100_000)] = 256
    cpu_seconds: Annotated[int, Ge(1), Le(MOST_OF_A_LIMIT)] | None = None
    memory_bytes: Annotated[int, Ge(MEBI), Le(MOST_OF_A_LIMIT)] | None = None
    file_bytes: Annotated[int, Ge(0), Le(MOST_OF_A_LIMIT)] | None = None

    @property
    def kept_parts(self) -> tuple[str, ...]:
        """The names that lead from the root to the folder of kept output."""
        return tuple(part for part in self.kept.split("/") if part not in ("", "."))

    @property
    def limits(self) -> dict[str, int]:
        """The limits of each process, by the system's names."""
        given = {
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_CORE": 0,
        }
        return {name: value for name, value in given.items() if value is not None}


def root_of(plugin: PluginContext) -> str:
    """The real path of the folder below which commands start.

    Raises:
        PegboardError: the setting is no path, or begins in a home folder that isn't there.
    """
    settings: Settings = plugin.settings
    try:
        return str(Path(plugin.folder, Path(settings.root).expanduser()).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise PegboardError(f"root in [plugins.shell] can't be used: {error}") from error


def check(plugin: PluginContext) -> None:
    """See that commands can be run as the settings say.

    Raises:
        PegboardError: they can't; names the setting.
    """
    settings: Settings = plugin.settings
    root = root_of(plugin)
    if not is_supported():
        raise PegboardError(
            "pegboard-shell needs a system with process groups and folders that can be opened "
            "relative to one another (POSIX); block the plugin 'shell' here"
        )
    if not Path(root).is_dir():
        raise PegboardError(f"root {root!r} is not a folder; make it, or set another")
    for fault in _faults(settings):
        raise PegboardError(f"{fault} in [plugins.shell]")


def is_supported() -> bool:
    """Whether this system has what commands are held with."""
    return os.name == "posix" and {os.open, os.mkdir, os.unlink} <= os.supports_dir_fd


def _faults(settings: Settings) -> list[str]:
    shell = settings.shell
    is_program = Path(shell).is_absolute() and Path(shell).is_file() and os.access(shell, os.X_OK)
    is_below = not settings.kept.startswith("/") and bool(settings.kept_parts)
    is_path = ".." not in settings.kept_parts and "\0" not in settings.kept
    checks = {
        f"shell {shell!r} is not the absolute path of a program": is_program,
        "kept must be a folder below the root": is_below and is_path,
        "kept_bytes must not be less than output_bytes": (
            settings.kept_bytes >= settings.output_bytes
        ),
        "timeout must not be more than max_timeout": settings.timeout <= settings.max_timeout,
        "the host's own Python isn't known, which commands run under": bool(sys.executable),
        "environment must name variables": all(map(_is_name, settings.environment)),
    }
    return [fault for fault, is_met in checks.items() if not is_met]


def _is_name(name: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name
