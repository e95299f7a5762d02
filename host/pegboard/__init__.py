"""A plugin host for the tools of LLM agents."""

from pegboard.board import Board
from pegboard.calls import Execution, Progress, RunningCall, Signal, Timing
from pegboard.config import BoardConfig, Config, PluginConfig
from pegboard.errors import (
    BoardError,
    CallCancelledError,
    CallError,
    CollisionError,
    ConfigError,
    HostClosedError,
    InvalidNameError,
    InvalidToolError,
    NotJSONError,
    NotReady,
    PegboardError,
    PluginLoadError,
    ReservedNameError,
    RestrictionError,
    ToolError,
    UnknownNameError,
)
from pegboard.hooks import hookimpl
from pegboard.host import Host
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.plugins import PluginBoard, PluginContext, Problem
from pegboard.registry import Explanation, NameTable, Owner, Reason, Registration
from pegboard.reports import CloseReport, PluginInfo, UnloadReport
from pegboard.selection import Select
from pegboard.tools import (
    Doc,
    Output,
    RunContext,
    Secret,
    Tool,
    ToolAnnotations,
    ToolDefinition,
    tool,
    toolbox,
)
from pegboard.values import JSON, Audio, Content, Image, Limits, Resource, Text

__version__ = "0.1.0"

__all__ = [
    "JSON",
    "Audio",
    "Board",
    "BoardConfig",
    "BoardError",
    "CallCancelledError",
    "CallError",
    "CloseReport",
    "Code",
    "CollisionError",
    "Config",
    "ConfigError",
    "Content",
    "Doc",
    "Execution",
    "Explanation",
    "Failure",
    "Host",
    "HostClosedError",
    "Image",
    "InvalidNameError",
    "InvalidToolError",
    "Limits",
    "NameTable",
    "NotJSONError",
    "NotReady",
    "Outcome",
    "Output",
    "Owner",
    "PegboardError",
    "PluginBoard",
    "PluginConfig",
    "PluginContext",
    "PluginInfo",
    "PluginLoadError",
    "Problem",
    "Progress",
    "Reason",
    "Registration",
    "ReservedNameError",
    "Resource",
    "RestrictionError",
    "RunContext",
    "RunningCall",
    "Secret",
    "Select",
    "Signal",
    "Success",
    "Text",
    "Timing",
    "Tool",
    "ToolAnnotations",
    "ToolCall",
    "ToolDefinition",
    "ToolError",
    "UnknownNameError",
    "UnloadReport",
    "hookimpl",
    "tool",
    "toolbox",
]
