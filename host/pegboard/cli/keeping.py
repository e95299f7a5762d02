"""Keeping what `pegboard tools --json` has printed, so that it need not be found out again."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

import pegboard
from pegboard.cache import keep_newest, write_whole
from pegboard.cli.asked import Asked
from pegboard.cli.listed import kept_text, key_of, path_of
from pegboard.cli.streams import Streams
from pegboard.plugins.catalogue import Environment

_MOST = 40


@attrs.frozen
class Keeper:
    """Knows on what an answer depends that is being found out, and keeps it.

    Attributes:
        key: what it depends on beside files; None where it can't be kept.
        states: those of files that the host doesn't read by itself, by path.
    """

    key: str | None
    states: Mapping[str, str]

    @classmethod
    def of(cls, asked: Asked, streams: Streams) -> "Keeper":
        """What keeps the answer to what was asked; to be made before anything is read."""
        config = None if asked.config is None else str(asked.config)
        shape = streams.is_unicode, streams.is_terminal
        read = Environment.of(map(str, [asked.config_file.absolute(), *_own_sources()]))
        key = key_of(asked.board, config, shape=shape) if read.is_settled else None
        return cls(key, read.states)

    def keep(self, text: str, stamps: Iterable[tuple[str, str]]) -> None:
        """Keep what was printed, unless something could change it unseen.

        Args:
            text: what was printed.
            stamps: the files on which it depends, beside those that are watched.
        """
        path = None if self.key is None else path_of(self.key)
        if self.key is None or path is None:
            return
        if write_whole(path, kept_text(self.key, {**dict(stamps), **self.states}, text)):
            keep_newest(str(Path(path).parent), _MOST)


def _own_sources() -> Iterable[Path]:
    """The sources of this package, where it isn't installed but worked on."""
    package = Path(pegboard.__file__).parent
    installed = package.with_name(f"pegboard-{pegboard.__version__}.dist-info")
    return () if installed.is_dir() else package.rglob("*.py")
