"""A plugin host for the tools of LLM agents.

Each name is imported when it is first asked for, so that a program pays for what it uses.
`__init__.pyi` says the same to type checkers.
"""

from pegboard.version import VERSION

__version__ = VERSION

_HOMES = {
    "JSON": "values",
    "Accept": "decisions",
    "Allow": "decisions",
    "ApprovalAnswered": "calls",
    "ApprovalAsked": "calls",
    "ApprovalRequest": "calls",
    "Ask": "decisions",
    "Audio": "values",
    "Block": "decisions",
    "Board": "board",
    "BoardClosed": "events",
    "BoardConfig": "config",
    "BoardError": "errors",
    "BoardOpened": "events",
    "CallCancelledError": "errors",
    "CallError": "errors",
    "Cancel": "decisions",
    "Card": "cards",
    "CloseReport": "reports",
    "Code": "outcomes",
    "CodeConfig": "config",
    "CodeRuntime": "programs",
    "CollisionError": "errors",
    "Config": "config",
    "ConfigChange": "reports",
    "ConfigError": "errors",
    "Content": "values",
    "ControlError": "errors",
    "Decision": "decisions",
    "Deferral": "registry",
    "Deny": "decisions",
    "DiffCard": "cards",
    "Dispatch": "programs",
    "Doc": "tools",
    "DrainReport": "reports",
    "EachTool": "tools",
    "Execution": "calls",
    "Explanation": "registry",
    "Failure": "outcomes",
    "ForeignEntry": "plugins",
    "GenericCard": "cards",
    "GrantAdded": "events",
    "GrantLifted": "events",
    "Host": "host",
    "HostClosedError": "errors",
    "HostStatus": "reports",
    "Image": "values",
    "InvalidNameError": "errors",
    "InvalidToolError": "errors",
    "Limits": "values",
    "LockChange": "reports",
    "LockFileError": "errors",
    "LockReport": "reports",
    "NameTable": "registry",
    "NotJSONError": "errors",
    "NotReady": "errors",
    "OperatorActed": "events",
    "OtherCard": "cards",
    "Outcome": "outcomes",
    "Output": "tools",
    "Owner": "registry",
    "PegboardError": "errors",
    "PluginBoard": "plugins",
    "PluginChanged": "events",
    "PluginConfig": "config",
    "PluginContext": "plugins",
    "PluginInfo": "reports",
    "PluginLoadError": "errors",
    "PoolUse": "reports",
    "Problem": "plugins",
    "ProgramError": "programs",
    "ProgramFault": "programs",
    "ProgramLimits": "programs",
    "ProgramOutput": "programs",
    "ProgramResult": "programs",
    "Progress": "calls",
    "QuarantinedError": "errors",
    "QuarantinedTool": "reports",
    "Reason": "registry",
    "RefusedTool": "reports",
    "Registration": "registry",
    "Rejected": "decisions",
    "ReservedNameError": "errors",
    "Resource": "values",
    "RestrictionAdded": "events",
    "RestrictionError": "errors",
    "RestrictionLifted": "events",
    "RunContext": "tools",
    "RunningCall": "reports",
    "Sdk": "programs",
    "Secret": "tools",
    "Select": "selection",
    "Signal": "calls",
    "Started": "calls",
    "Success": "outcomes",
    "SyncReport": "reports",
    "TerminalCard": "cards",
    "Text": "values",
    "Timing": "calls",
    "Tool": "tools",
    "ToolAnnotations": "tools",
    "ToolCall": "outcomes",
    "ToolCallError": "programs",
    "ToolConfig": "config",
    "ToolDefinition": "tools",
    "ToolError": "errors",
    "ToolResult": "tools",
    "UnknownNameError": "errors",
    "UnloadReport": "reports",
    "Verdict": "decisions",
    "WatchReport": "reports",
    "WorkerLostError": "errors",
    "WrongArgumentError": "errors",
    "applies_to": "hooks",
    "hookimpl": "hooks",
    "tool": "tools",
    "toolbox": "tools",
}
"""The module of each name."""

_MODULES = ("blocking", "control", "errors", "formats", "hooks", "records", "testing")
"""What programs import from by its own name; it is there without that, too."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    """Import what is asked for; from then on it is found without this."""
    from importlib import import_module  # late: whoever asks for nothing pays nothing

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(_unknown(name), name=name)
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


def _unknown(name: str) -> str:
    """What is wrong, and what may have been meant."""
    text = f"module {__name__!r} has no attribute {name!r}"
    if name.startswith("_"):
        return text
    from pegboard.errors import did_you_mean, near_names  # late: only a wrong name needs them

    return text + did_you_mean(near_names(name, [*__all__, *_MODULES]))
