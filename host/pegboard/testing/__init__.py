"""A kit for the tests of plugins and of programs that use a host."""

from pegboard.testing.checks import PluginWarning, check_plugin
from pegboard.testing.distributions import Site, site_at
from pegboard.testing.hosts import RecordingPlugin, host_with

__all__ = [
    "PluginWarning",
    "RecordingPlugin",
    "Site",
    "check_plugin",
    "host_with",
    "site_at",
]
