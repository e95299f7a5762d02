"""The table of annotations is what `@tool` makes of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pegboard import tool
from pegboard_house import blocks_of

PAGE = Path(__file__).parents[2] / "docs/reference/annotations.md"
_ROW = re.compile(r"^\| `(?P<annotation>.+?)` \| `(?P<schema>.+?)` \| .+ \|$", re.MULTILINE)
ROWS = [
    (match["annotation"].replace("\\|", "|"), json.loads(match["schema"].replace("\\|", "|")))
    for match in _ROW.finditer(PAGE.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names that the page's first block gives to its rows."""
    found: dict[str, Any] = {"__name__": "page"}
    exec(blocks_of(PAGE)[0].text, found)
    return found


@pytest.mark.parametrize(("annotation", "schema"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_shows_the_schema_of_its_annotation(
    annotation: str, schema: Any, names: dict[str, Any]
) -> None:
    source = f"def take(it: {annotation}): pass"
    exec(source, names)

    made = tool(names["take"]).parameters

    definitions = {"$defs": made["$defs"]} if "$defs" in made else {}
    assert made["properties"]["it"] | definitions == schema


def test_the_table_has_rows() -> None:
    assert len(ROWS) > 50
