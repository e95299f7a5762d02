"""What operators have decided on a running host, in a file that the host itself writes."""

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from pegboard.config import Config
from pegboard.errors import ConfigError, PegboardError

_VERSION = 1
_MOST = 2**20


@attrs.frozen
class State:
    """What holds until an operator takes it back.

    Attributes:
        block: plugins that aren't loaded.
        deny: names and patterns of tools that no board shows.
    """

    block: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def over(self, config: Config) -> Config:
        """A configuration with the same plugins blocked."""
        more = [each for each in self.block if each not in config.block]
        return attrs.evolve(config, block=(*config.block, *more)) if more else config


@attrs.define(eq=False)
class StateFile:
    """Keeps the state of one host.

    Attributes:
        path: the file; None where nothing is kept.
        state: what it holds.
    """

    path: Path | None
    state: State = attrs.field(factory=State)

    @classmethod
    def read(cls, path: Path | None) -> "StateFile":
        """The file as it is; one that isn't there holds nothing.

        Raises:
            ConfigError: it can't be read: a host without it would load what was blocked.
        """
        return cls(path, State() if path is None else _read(path))

    def block(self, name: str) -> None:
        """Keep a plugin out from now on.

        Raises:
            PegboardError: no file is configured, or it can't be written; nothing has changed.
        """
        if name not in self.state.block:
            self._write(attrs.evolve(self.state, block=(*self.state.block, name)))

    def unblock(self, name: str) -> None:
        """Keep a plugin out no more."""
        if name in self.state.block:
            left = tuple(each for each in self.state.block if each != name)
            self._write(attrs.evolve(self.state, block=left))

    def deny(self, names: tuple[str, ...]) -> None:
        """Hide tools from now on; raises as above."""
        more = tuple(each for each in names if each not in self.state.deny)
        self._write(attrs.evolve(self.state, deny=(*self.state.deny, *more)))

    def allow(self, names: tuple[str, ...]) -> None:
        """Hide tools no more."""
        left = tuple(each for each in self.state.deny if each not in names)
        if left != self.state.deny:
            self._write(attrs.evolve(self.state, deny=left))

    def _write(self, state: State) -> None:
        if self.path is None:
            raise PegboardError(
                "the configuration names no file in which that could be kept; "
                'write state = "run/pegboard.state.json" there'
            )
        try:
            _put(self.path, {"version": _VERSION, **attrs.asdict(state)})
        except OSError as error:
            raise PegboardError(f"{self.path} can't be written: {error}") from error
        self.state = state


def _read(path: Path) -> State:
    try:
        with path.open("rb") as file:
            text = file.read(_MOST + 1)
        table = json.loads(text) if len(text) <= _MOST else None
    except FileNotFoundError:
        return State()
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError([_unread(path, str(error))]) from error
    if not isinstance(table, dict) or table.get("version") != _VERSION:
        raise ConfigError([_unread(path, "it isn't what this version of pegboard writes")])
    lists = [table.get(key, []) for key in ("block", "deny")]
    if not all(isinstance(each, list) and all(_is_text(one) for one in each) for each in lists):
        raise ConfigError([_unread(path, "block and deny are lists of names")])
    return State(*map(tuple, lists))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _unread(path: Path, why: str) -> str:
    return (
        f"{path} can't be read: {why}; it holds what operators have blocked and denied: "
        "mend it, or remove it to forget that"
    )


def _put(path: Path, table: dict[str, Any]) -> None:
    """Put a file in its place in one step, so that it is whole whenever the process ends."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=1, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)  # noqa: PTH105 - mkstemp gives text
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)  # noqa: PTH108 - as above
        raise
