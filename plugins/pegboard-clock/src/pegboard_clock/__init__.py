"""A plugin that tells the time, in the zone of the settings or in any other."""

from datetime import UTC, datetime
from typing import Annotated

import attrs
from pegboard import (
    Doc,
    PluginContext,
    RunContext,
    Tool,
    ToolAnnotations,
    ToolError,
    hookimpl,
    tool,
)

from pegboard_clock.moment import Moment
from pegboard_clock.zones import UnknownZoneError, load_zone

__all__ = ["Moment", "Settings", "clock_now", "pegboard_settings", "pegboard_tools"]


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        timezone: the zone that is meant where a call names none, an IANA name.
    """

    timezone: str = "UTC"


@tool(
    title="Tell the time",
    concurrency_safe=True,
    annotations=ToolAnnotations(read_only=True, destructive=False, open_world=False),
)
async def clock_now(
    context: RunContext,
    timezone: Annotated[
        str | None,
        Doc("An IANA time zone, such as 'Europe/Oslo'. Without one: the default zone."),
    ] = None,
) -> Moment:
    """Tell the date and time now, with weekday and offset from UTC."""
    settings: Settings = context.plugin.settings
    try:
        zone = load_zone(settings.timezone if timezone is None else timezone)
    except UnknownZoneError as error:
        raise ToolError(str(error), code="unknown_zone") from error
    return Moment.of(datetime.now(UTC).astimezone(zone))


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
def pegboard_tools(plugin: PluginContext) -> list[Tool]:
    """The tools of this plugin.

    Raises:
        UnknownZoneError: the settings name a zone that isn't there.
    """
    load_zone(plugin.settings.timezone)
    return [clock_now]
