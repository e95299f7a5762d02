"""A plugin that records every call in an append-only SQLite file, and as OpenTelemetry spans."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from pegboard import Execution, Outcome, PluginContext, Timing, Tool, applies_to, hookimpl

from pegboard_audit.audit import Audit
from pegboard_audit.reading import CallRecord, End, EventRecord, read, read_end, read_events
from pegboard_audit.settings import AuditError, Settings, default_path, record_path
from pegboard_audit.spans import is_imported

__all__ = [
    "Audit",
    "AuditError",
    "CallRecord",
    "End",
    "EventRecord",
    "Settings",
    "default_path",
    "pegboard_around_call",
    "pegboard_before_call",
    "pegboard_call_finished",
    "pegboard_event",
    "pegboard_guards",
    "pegboard_lifespan",
    "pegboard_settings",
    "read",
    "read_end",
    "read_events",
    "record_path",
]


def _has_spans(_tool: Tool) -> bool:
    return is_imported()


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
@contextmanager
def pegboard_lifespan(plugin: PluginContext) -> Iterator[Audit]:
    """The record, open.

    Raises:
        AuditError: its file can't be opened.
    """
    audit = Audit(plugin.settings, plugin.log, folder=plugin.folder)
    audit.open()
    try:
        yield audit
    finally:
        audit.close()


@hookimpl
def pegboard_guards(plugin: PluginContext) -> list[Callable[[Execution], str | None]]:
    """Refuses calls that can't be recorded, if the operator requires it."""
    audit: Audit = plugin.resource
    return [audit.guard] if plugin.settings.required else []


@hookimpl(tryfirst=True)
@applies_to(_has_spans)
def pegboard_before_call(plugin: PluginContext, execution: Execution) -> None:
    """A span begins."""
    audit: Audit = plugin.resource
    audit.begin(execution)


@hookimpl(tryfirst=True)
@applies_to(_has_spans)
async def pegboard_around_call(
    plugin: PluginContext, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
) -> Outcome:
    """The body runs inside the span."""
    audit: Audit = plugin.resource
    return await audit.inside(execution, call_next)


@hookimpl
def pegboard_call_finished(
    plugin: PluginContext, execution: Execution, outcome: Outcome, timing: Timing
) -> None:
    """A call is recorded, and its span ends."""
    audit: Audit = plugin.resource
    audit.end(execution, outcome, timing)


@hookimpl
def pegboard_event(plugin: PluginContext, event: object) -> None:
    """An event is recorded."""
    audit: Audit = plugin.resource
    audit.happened(event)
