"""Many small plugins, installed for pegboard, for its peers and for the standard library."""

import time
from pathlib import Path

from pegboard.testing import Site

TOOLS = 5

_ADD = '''
def add_{plugin}_{tool}(a: int, b: int = 0, label: str | None = None) -> dict:
    """Add two numbers with tool {tool} of plugin {plugin}."""
    return {{"sum": a + b, "label": label}}
'''

_PLAIN = """
    {{
        "name": "add_{plugin}_{tool}",
        "description": "Add two numbers with tool {tool} of plugin {plugin}.",
        "parameters": {{
            "type": "object",
            "properties": {{
                "a": {{"type": "integer"}},
                "b": {{"type": "integer", "default": 0}},
                "label": {{"anyOf": [{{"type": "string"}}, {{"type": "null"}}], "default": None}},
            }},
            "required": ["a"],
            "additionalProperties": False,
        }},
    }},
"""

_STEVEDORE = """
from .plain import get_tools

class Plugin:
    tools = staticmethod(get_tools)
"""

_PLUGGY = """
import pluggy

from .plain import get_tools

@pluggy.HookimplMarker("bench")
def bench_tools():
    return get_tools()
"""

_LLM = """
import llm

from .functions import TOOLS

@llm.hookimpl
def register_tools(register):
    for each in TOOLS:
        register(each)
"""

_PEGBOARD = """
from pegboard import hookimpl, tool

from .functions import TOOLS

@hookimpl
def pegboard_tools():
    return [tool(each) for each in TOOLS]
"""

_ENTRY_POINTS = """
[bench.plain]
{plugin} = {package}.plain:get_tools

[bench.stevedore]
{plugin} = {package}.for_stevedore:Plugin

[bench.pluggy]
{plugin} = {package}.for_pluggy

[llm]
{plugin} = {package}.for_llm

[pegboard]
{plugin} = {package}.for_pegboard
"""


def install(folder: Path, count: int) -> None:
    """Write distributions into a folder, each with one plugin of five tools for each loader.

    Returns once file systems tell any later change from this.
    """
    folder.mkdir()
    site = Site(folder)
    for number in range(count):
        plugin = f"p{number:04d}"
        package = f"bench_{plugin}"
        files = {f"{package}/{name}.py": text for name, text in _modules(plugin).items()}
        entry_points = _ENTRY_POINTS.format(plugin=plugin, package=package)
        site.install(f"bench-{plugin}", entry_points=entry_points, files=files)
    time.sleep(3)


def _modules(plugin: str) -> dict[str, str]:
    numbers = [{"plugin": plugin, "tool": number} for number in range(TOOLS)]
    functions = "".join(_ADD.format(**each) for each in numbers)
    names = ", ".join(f"add_{plugin}_{number}" for number in range(TOOLS))
    plain = "".join(_PLAIN.format(**each) for each in numbers)
    return {
        "__init__": "",
        "functions": f"{functions}\nTOOLS = [{names}]\n",
        "plain": f"TOOLS = [{plain}]\n\ndef get_tools():\n    return TOOLS\n",
        "for_stevedore": _STEVEDORE,
        "for_pluggy": _PLUGGY,
        "for_llm": _LLM,
        "for_pegboard": _PEGBOARD,
    }
