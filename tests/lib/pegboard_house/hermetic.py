"""Keep a test away from the user's own files, settings and network."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ORIGINAL = dict(os.environ)
"""The environment as pytest found it; for pip, which needs the user's own settings."""

_FOLDERS = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_RUNTIME_DIR": ".run",
    "XDG_STATE_HOME": ".local/state",
}


@contextmanager
def hermetic(home: Path) -> Iterator[None]:
    """Point HOME and XDG_* below `home`, which need not exist, and forget PEGBOARD_*."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("PEGBOARD_"):
            del os.environ[name]
    os.environ.update({name: str(home / folder) for name, folder in _FOLDERS.items()})
    try:
        yield
    finally:
        _restore(before)


def _restore(before: dict[str, str]) -> None:
    now = dict(os.environ)
    for name in now.keys() - before.keys():
        del os.environ[name]
    for name, value in before.items():
        if now.get(name) != value:
            os.environ[name] = value


@contextmanager
def loopback_only() -> Iterator[None]:
    """Refuse every connection of this process that would leave the machine."""
    originals = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex")}
    for name, original in originals.items():
        setattr(socket.socket, name, _guarded(original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(socket.socket, name, original)


def _guarded(original: Any) -> Any:
    def connect(self: socket.socket, address: Any) -> Any:
        if isinstance(address, tuple) and not _is_loopback(str(address[0])):
            raise OSError(f"a test may reach this machine only, not {address[0]}")
        return original(self, address)

    return connect


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
