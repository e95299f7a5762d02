"""What importing pegboard costs, beside starting Python and importing what it depends on."""

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from processes import Command, Room, measure

ROOT = "`import pegboard`"
HOST = "`from pegboard import Host`"
ALL = "its dependencies"
CORE = "attrs, cattrs, pluggy, jsonschema_rs, asyncio"


def dependencies() -> str:
    """The packages that pegboard needs, as they are imported."""
    lines = (each for each in requires("pegboard") or () if "extra ==" not in each)
    names = (re.split(r"[^\w-]", line, maxsplit=1)[0] for line in lines)
    return ", ".join(name.replace("-", "_") for name in names)


def test_importing_pegboard_beside_importing_what_it_depends_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "room").mkdir()
    programs = {
        ROOT: "import pegboard",
        HOST: "from pegboard import Host",
        CORE: f"import {CORE}",
        ALL: f"import {dependencies()}",
    }
    ways = {name: Command.of(program) for name, program in programs.items()}

    figures = measure(ways, Room(tmp_path / "room"), rounds=15)

    with capsys.disabled():
        print(f"\n\n{figures.table('importing', CORE, ALL)}")
    assert figures.ratio(ROOT, CORE) <= 0.6
