"""What the page about frameworks shows is what happens; tests/docs can't run it without them."""

import inspect
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from pegboard.frameworks import langchain, openai_agents, pydantic_ai
from pegboard_house import blocks_of

MODULES = {"langchain": langchain, "openai_agents": openai_agents, "pydantic_ai": pydantic_ai}
REFERENCE = Path(__file__).parents[3] / "docs/reference/api.md"
ENTRIES = re.findall(r"^`(pegboard\.frameworks\..+)`$", REFERENCE.read_text(), re.MULTILINE)
PAGE = Path(__file__).parents[3] / "docs/how-to/use-with-frameworks.md"


def run(folder: Path, text: str) -> str:
    (folder / "_block.py").write_text(text)
    ran = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "_block.py"],
        cwd=folder,
        env=os.environ | {"OPENAI_AGENTS_DISABLE_TRACING": "1"},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return ran.stdout + ran.stderr


def test_what_the_page_shows_is_what_its_blocks_print(tmp_path: Path) -> None:
    shown, printed = [], []
    for block, following in pairwise(blocks_of(PAGE)):
        if block.note.startswith("file: "):
            (tmp_path / block.note.removeprefix("file: ")).write_text(block.text)
        elif block.kind == "python":
            shown.append(following.text)
            printed.append(run(tmp_path, block.text))

    assert printed == shown
    assert len(shown) == 4


@pytest.mark.parametrize("entry", ENTRIES, ids=[each.split("(")[0] for each in ENTRIES])
def test_the_reference_shows_what_there_is(entry: str) -> None:
    path, _, parameters = entry.rstrip(")").partition("(")
    module, _, name = path.removeprefix("pegboard.frameworks.").rpartition(".")

    found = getattr(MODULES[module], name)

    named = [each.split("=")[0] for each in parameters.split(", ") if each not in {"*", "…"}]
    assert set(named) <= set(inspect.signature(found).parameters)
