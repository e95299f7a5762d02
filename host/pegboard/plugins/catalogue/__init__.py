"""The catalogue: what installed plugins show, without importing them."""

from pegboard.plugins.catalogue.catalogue import Kept, catalogue_path, read_catalogue
from pegboard.plugins.catalogue.deferred import Deferrals
from pegboard.plugins.catalogue.environment import Environment
from pegboard.plugins.catalogue.upkeep import Seen, Upkeep, look

__all__ = [
    "Deferrals",
    "Environment",
    "Kept",
    "Seen",
    "Upkeep",
    "catalogue_path",
    "look",
    "read_catalogue",
]
