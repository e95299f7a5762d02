"""The catalogue: what installed plugins show, without importing them."""

from pegboard.plugins.catalogue.deferred import Deferrals
from pegboard.plugins.catalogue.environment import Environment
from pegboard.plugins.catalogue.upkeep import Upkeep

__all__ = ["Deferrals", "Environment", "Upkeep"]
