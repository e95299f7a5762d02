"""Plugins that come with the host and stand on the same hooks as any other."""

from pegboard.plugins.builtin.deadline import Deadline

__all__ = ["Deadline"]
