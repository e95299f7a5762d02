"""A plugin that fetches pages of the web, and reaches no private address."""

from contextlib import AbstractAsyncContextManager

from pegboard import PluginContext, Tool, hookimpl

from pegboard_web.fetching import web_fetch
from pegboard_web.pages import Page, Picture
from pegboard_web.settings import Settings
from pegboard_web.web import Web, opened

__all__ = [
    "Page",
    "Picture",
    "Settings",
    "pegboard_lifespan",
    "pegboard_settings",
    "pegboard_tools",
    "web_fetch",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
def pegboard_lifespan(plugin: PluginContext) -> AbstractAsyncContextManager[Web]:
    """The client that all calls share, closed when the plugin is unloaded."""
    return opened(plugin)


@hookimpl
def pegboard_tools() -> list[Tool]:
    """The tools of this plugin."""
    return [web_fetch]
