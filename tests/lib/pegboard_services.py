"""Tools of services that nobody runs, as their vendors would describe them: a few words a line."""

import re
from pathlib import Path
from typing import Any

from pegboard import Tool

FILE = Path(__file__).parents[2] / "plugins/pegboard-search/tests/services.txt"
_PARAMETER = re.compile(r"(?P<name>\w+)(?P<marks>[\[\]?#]*)(=(?P<values>[^:]+))?:(?P<text>.+)")


def tools_of_services(path: Path = FILE) -> list[Tool]:
    """Every tool in a file, each marked to be found; a line is `name|what it does|parameters`.

    A parameter is `name:what it means`; `[]` stands behind the name of a list, `#` behind that of a
    number, `?` behind that of one that may be left out, and `=a/b` before what else it may be.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_tool(*line.split("|")) for line in lines if line and not line.startswith("#")]


def _tool(name: str, description: str, parameters: str) -> Tool:
    found = [_PARAMETER.fullmatch(each) for each in parameters.split(";")]
    each = [match for match in found if match is not None]
    assert len(each) == len(found), name
    schema = {
        "type": "object",
        "properties": {match["name"]: _schema(match) for match in each},
        "required": [match["name"] for match in each if "?" not in match["marks"]],
        "additionalProperties": False,
    }
    return Tool(
        name=name, description=description, parameters=schema, run=_named(name), defer_loading=True
    )


def _schema(match: "re.Match[str]") -> dict[str, Any]:
    said: dict[str, Any] = {"description": match["text"]}
    if "[]" in match["marks"]:
        return said | {"type": "array", "items": {"type": "string"}}
    if match["values"] == "true/false":
        return said | {"type": "boolean"}
    if match["values"]:
        return said | {"enum": match["values"].split("/")}
    return said | {"type": "number" if "#" in match["marks"] else "string"}


def _named(name: str) -> Any:
    """The body of a tool that answers with its name."""

    def run(arguments: Any, context: Any) -> str:
        return name

    return run
