"""Reading a configuration file, and what another one says."""

from pegboard.configuration.changes import changes
from pegboard.configuration.reading import read_config

__all__ = ["changes", "read_config"]
