"""Reading a configuration file."""

from pegboard.configuration.reading import read_config

__all__ = ["read_config"]
