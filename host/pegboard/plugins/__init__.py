"""Finding, loading and unloading plugins."""

from pegboard.plugins.discovery import Problem
from pegboard.plugins.loader import Loader
from pegboard.plugins.plugin import PluginContext

__all__ = ["Loader", "PluginContext", "Problem"]
