"""`run_code`: the tool that runs programs, which call the tools of its board."""

from functools import partial
from typing import Any

import attrs

from pegboard.board.engine import Engine
from pegboard.calls import Program, running_call
from pegboard.cards import Card, GenericCard
from pegboard.names import RUN_CODE
from pegboard.programs import RunProgram, Sdk
from pegboard.registry import Entry, HookEntry, View, laid_over
from pegboard.tools import Output, RunContext, Tool
from pegboard.values import JSON, Content, Text, encode

_DESCRIPTION = """\
Run a Python program that calls tools. Prefer one program to many calls: loop, branch, filter and \
combine values in it, and give back only what you need.

The program is type-checked against the declarations below before it runs, in a sandbox without \
files, network, environment or packages. Tools are async functions: `await name(key=value)`, or \
`await tools["name"](...)` for names that aren't identifiers; `asyncio.gather` makes several calls \
at once. A call that fails raises `ToolCallError` with the reason as its text. The value of the \
last expression is the result, and must be JSON; what `print` writes comes back too."""

_PARAMETERS: JSON = {
    "type": "object",
    "properties": {
        "description": {"type": "string", "description": "What the program does, in a few words."},
        "code": {"type": "string", "description": "The program."},
    },
    "required": ["description", "code"],
    "additionalProperties": False,
}
_OUTPUT: JSON = {
    "type": "object",
    "properties": {
        "result": {"description": "The value of the last expression, if there is one."},
        "logs": {"type": "string", "description": "What was printed."},
    },
    "required": ["logs"],
    "additionalProperties": False,
}


@attrs.frozen(eq=False)
class RunCode:
    """Offers `run_code` on the boards of one host."""

    _engine: Engine

    def offer(self, runtime: HookEntry, view: View) -> Entry:
        """The tool for a board.

        Args:
            runtime: runs its programs; the tool goes with the plugin that brought it.
            view: the tools that they may call.
        """
        config = self._engine.config
        sdk = self.sdk(view)
        said = config.tool(RUN_CODE)
        tool = laid_over(self._tool(runtime.function, sdk), said)
        tool = attrs.evolve(tool, description=f"{tool.description}\n\n{_fenced(sdk.text)}")
        layer = "the host"
        return Entry(RUN_CODE, tool, runtime.generation, layer, max_running=said.max_running)

    def sdk(self, view: View) -> Sdk:
        """The tools of a view, as programs see them."""
        return self._engine.sdks.write(view.tools())

    def _tool(self, run: RunProgram, sdk: Sdk) -> Tool:
        return Tool(
            name=RUN_CODE,
            description=_DESCRIPTION,
            parameters=_PARAMETERS,
            run=partial(self._run, run, sdk),
            output=Output(_OUTPUT, render=_rendered),
            title="Run code",
            present_call=_card,
        )

    async def _run(self, run: RunProgram, sdk: Sdk, arguments: Any, _: RunContext) -> JSON:
        """Run a program; the body of the tool."""
        outer, said = running_call(), self._engine.config.code
        most = min(said.max_parallel, outer.request.max_parallel or said.max_parallel)
        engine = self._engine
        program = Program(
            engine.pipeline,
            engine.flights,
            outer,
            sdk,
            limits=said.limits,
            max_parallel=most,
            stop_grace=engine.config.stop_grace,
        )
        return await program.run(run, arguments["code"], engine.drive)


def _fenced(text: str) -> str:
    """Python in Markdown, in a fence that is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}python\n{text}{fence}"


def _rendered(_: JSON, value: Any) -> list[Content]:
    """What was printed, and the result as JSON text; never empty."""
    logs = str(value["logs"])
    printed = logs if not logs or logs.endswith("\n") else f"{logs}\n"
    if "result" in value:
        return [Text(f"{printed}Result: {encode(value['result']).decode()}")]
    return [Text(printed or "The program printed nothing, and its last line is no expression.")]


def _card(arguments: Any) -> Card:
    """The program, under what it does."""
    title = str(arguments.get("description", "")) or "Run code"
    return GenericCard(title, fields={"code": str(arguments.get("code", ""))})
