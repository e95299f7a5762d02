"""Where a host's control socket is, and asking there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pegboard.cli.mistakes import UsageError, no_file
from pegboard.cli.reading import DEFAULT
from pegboard.configuration.toml import read_source
from pegboard.errors import did_you_mean, near_names
from pegboard.values import JSON

PATIENCE = 10.0
"""Seconds in which a host that is well answers."""


def table_of(config: Path | None) -> tuple[Path, dict[str, Any]] | None:
    """The configuration file and its table as it stands there, mistakes and all.

    Whoever looks at a host that runs may have a configuration that is half-written.

    Returns:
        None if none was named, and none is in the working folder.

    Raises:
        UsageError: there is no such file.
        ConfigError: it can't be read, or isn't TOML.
    """
    path = DEFAULT if config is None else config
    if path.exists():
        return path, read_source(path).table
    if config is None:
        return None
    raise no_file(path, kind="configuration file")


def socket_of(socket: Path | None, config: Path | None) -> Path:
    """The control socket that was named, or that the configuration names.

    Raises:
        UsageError: neither names one.
        ConfigError: the configuration can't be read.
    """
    if socket is not None:
        return socket
    found = table_of(config)
    if found is None:
        raise UsageError(f"say which host with --socket or --config; there is no {DEFAULT} here")
    path, table = found
    named = table.get("control")
    if isinstance(named, str) and named:
        return path.parent / named
    raise UsageError(f"{_unnamed(path, table)}, or name one with --socket")


def _unnamed(path: Path, table: Mapping[str, Any]) -> str:
    if "control" in table:
        return f"control in {path} isn't the path of a socket; correct it"
    near = did_you_mean([each for each in near_names("control", table) if each != "control"])
    return f'{path} names no control socket{near}; write control = "run/pegboard.sock" there'


async def ask(path: Path, method: str, *, patience: float = PATIENCE, **params: JSON) -> Any:
    """What the host at a control socket answers to one request.

    Raises:
        ControlError: it refuses, or there is none that answers.
    """
    from pegboard.control import connect  # late: other commands must not pay for it

    async with connect(path, timeout=patience) as client:
        return await client.ask(method, **params)


async def ask_all(path: Path, *methods: str, patience: float = PATIENCE) -> list[Any]:
    """What it answers to several requests without parameters, one after the other.

    Raises:
        ControlError: as above.
    """
    from pegboard.control import connect  # late, as above

    async with connect(path, timeout=patience) as client:
        return [await client.ask(method) for method in methods]
