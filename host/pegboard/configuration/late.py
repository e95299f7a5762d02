"""Secrets of the host's own configuration, looked up when they are needed."""

from pathlib import Path

import attrs

from pegboard.errors import ConfigError
from pegboard.lookup import look_up


@attrs.frozen
class LateSecret:
    """A text that must not show, in an environment variable or a file.

    Attributes:
        kind: `env` or `file`.
        name: the variable, or the path of the file.
        folder: where a relative path begins.
        place: where the configuration says so, for messages.
    """

    kind: str
    name: str
    folder: Path
    place: str = attrs.field(eq=False)

    def reveal(self) -> str:
        """The text as it is now.

        Raises:
            ConfigError: it isn't there, can't be read, or is empty.
        """
        try:
            return look_up(self.kind, self.name, folder=self.folder)
        except LookupError as error:
            raise ConfigError([f"{self.place}: {error}"]) from None
