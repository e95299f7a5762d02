"""Finding, loading and unloading plugins."""

from pegboard.plugins.adapting import ForeignEntry
from pegboard.plugins.discovery import Problem
from pegboard.plugins.following import Actions
from pegboard.plugins.loader import Loader
from pegboard.plugins.observers import Observers
from pegboard.plugins.perboard import PluginBoard, Side
from pegboard.plugins.plugin import PluginContext
from pegboard.plugins.watching import OnSync, Watching

__all__ = [
    "Actions",
    "ForeignEntry",
    "Loader",
    "Observers",
    "OnSync",
    "PluginBoard",
    "PluginContext",
    "Problem",
    "Side",
    "Watching",
]
