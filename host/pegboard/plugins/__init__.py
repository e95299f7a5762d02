"""Finding, loading and unloading plugins."""

from pegboard.plugins.discovery import Problem
from pegboard.plugins.loader import Loader
from pegboard.plugins.observers import Observers
from pegboard.plugins.perboard import PluginBoard, Side
from pegboard.plugins.plugin import PluginContext

__all__ = ["Loader", "Observers", "PluginBoard", "PluginContext", "Problem", "Side"]
