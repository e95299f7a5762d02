"""Finding, loading and unloading plugins."""

from pegboard.plugins.adapting import ForeignEntry
from pegboard.plugins.applying import Coming
from pegboard.plugins.discovery import Problem
from pegboard.plugins.following import Actions
from pegboard.plugins.loader import Loader
from pegboard.plugins.observers import Observers
from pegboard.plugins.opening import check_attached, check_blockable
from pegboard.plugins.plugin import PluginContext
from pegboard.plugins.pluginboard import PluginBoard, Side
from pegboard.plugins.requiring import Around, check_required
from pegboard.plugins.watching import OnSync, Watching

__all__ = [
    "Actions",
    "Around",
    "Coming",
    "ForeignEntry",
    "Loader",
    "Observers",
    "OnSync",
    "PluginBoard",
    "PluginContext",
    "Problem",
    "Side",
    "Watching",
    "check_attached",
    "check_blockable",
    "check_required",
]
