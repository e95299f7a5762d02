"""Stage 3: arguments as a tool will get them, or everything that is wrong with them."""

from typing import Any

from pegboard.tools.arguments import Settling
from pegboard.tools.conversion import Converter
from pegboard.tools.faults import Fault, Faults
from pegboard.tools.model import Tool
from pegboard.tools.parts import Parts
from pegboard.tools.roots import declared_keys, settle_root
from pegboard.tools.stages import Prepared
from pegboard.values import JSON, Limits, Snapshot
from pegboard.values.codec import decode
from pegboard.values.stack import run_deep


class Preparer:
    """Prepares the arguments of one tool."""

    __slots__ = ("_accepts", "_declared", "_limits", "_tool", "_validator")

    def __init__(self, tool: Tool, converter: Converter, limits: Limits) -> None:
        is_typed = tool.signature is not None
        self._tool = tool
        self._limits = limits
        self._validator = converter.validator(tool.parameters_snapshot, is_typed=is_typed)
        self._accepts = self._validator.accepts
        self._declared = None
        if not is_typed and tool.extra != "keep":
            self._declared = declared_keys(tool.parameters)

    def prepare(self, arguments: Snapshot, value: JSON = None) -> Prepared | Faults:
        """The arguments as the tool will get them, or everything that is wrong with them.

        Args:
            arguments: as they were sent.
            value: the same decoded, if nobody else holds it.
        """
        if value is None:
            value = decode(arguments.text)
        declared = self._declared
        if self._accepts(value) and (declared is None or value.keys() <= declared):
            return Prepared(arguments, (), value)
        try:
            return run_deep(self._settle, value)
        except RecursionError:
            return Faults((Fault("$", "is nested too deep to tell what is wrong with it"),))

    def _settle(self, value: Any) -> Prepared | Faults:
        schema = self._tool.parameters
        accepts = self._validator.search().accepts
        settling = Settling(
            Parts.of(schema), self._tool.extra, self._tool.coerce, accepts, self._limits
        )
        if self._tool.signature is None:
            settle_root(settling, value, schema, self._validator)
        else:
            value = settling.settle(value, schema)
        faults = (*settling.faults, *self._validator.faults(value))
        if faults:
            return Faults(faults)
        return Prepared(Snapshot.of(value, self._limits), tuple(dict.fromkeys(settling.notes)))
