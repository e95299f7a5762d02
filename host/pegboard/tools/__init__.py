"""Tools: what they are, how functions become tools, what goes in and what comes out."""

from annotated_doc import Doc

from pegboard.annotations import ToolAnnotations
from pegboard.tools.checking import check_tool
from pegboard.tools.compiled import CompiledTool
from pegboard.tools.context import RunContext
from pegboard.tools.conversion import Converter
from pegboard.tools.decorator import tool
from pegboard.tools.each import EachTool
from pegboard.tools.faults import ArgumentFaults, Fault, Faults, OutputError, StructureError
from pegboard.tools.model import Output, Tool, ToolDefinition
from pegboard.tools.secret import Secret
from pegboard.tools.signature import Signature
from pegboard.tools.stages import Prepared, Projection, ToolResult
from pegboard.tools.structuring import structure
from pegboard.tools.toolbox import toolbox

__all__ = [
    "ArgumentFaults",
    "CompiledTool",
    "Converter",
    "Doc",
    "EachTool",
    "Fault",
    "Faults",
    "Output",
    "OutputError",
    "Prepared",
    "Projection",
    "RunContext",
    "Secret",
    "Signature",
    "StructureError",
    "Tool",
    "ToolAnnotations",
    "ToolDefinition",
    "ToolResult",
    "check_tool",
    "structure",
    "tool",
    "toolbox",
]
