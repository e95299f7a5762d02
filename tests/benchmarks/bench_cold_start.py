"""From nothing to the definitions of all installed tools, beside other loaders of plugins."""

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from installed import TOOLS, install
from processes import Command, Room, measure

PRINTED = "import json\nprint(json.dumps(defs))"

INDEX = """
import json, os, sys
index, site = sys.argv[1:]
with open(index, encoding="utf-8") as file:
    text = file.read()
defs = json.loads(text)
os.stat(site)
sys.stdout.write(text)
"""

ENTRY_POINTS = f"""
from importlib.metadata import entry_points
defs = [each for point in entry_points(group="bench.plain") for each in point.load()()]
{PRINTED}
"""

STEVEDORE = f"""
import sys
from stevedore import ExtensionManager, _cache
cache = sys.argv[1]
_cache._c._disable_caching, _cache._c._dir = not cache, cache
manager = ExtensionManager("bench.stevedore", invoke_on_load=True)
defs = [each for extension in manager for each in extension.obj.tools()]
{PRINTED}
"""

PLUGGY = f"""
import pluggy
class Hooks:
    @pluggy.HookspecMarker("bench")
    def bench_tools(self): ...
manager = pluggy.PluginManager("bench")
manager.add_hookspecs(Hooks)
manager.load_setuptools_entrypoints("bench.pluggy")
defs = [each for tools in manager.hook.bench_tools() for each in tools]
{PRINTED}
"""

LLM = f"""
import llm
defs = [
    {{"name": each.name, "description": each.description, "parameters": each.input_schema}}
    for each in llm.get_tools().values()
]
{PRINTED}
"""

FLOOR = "reads an index"
LOADED = "entry_points + load"
KEPT = "pegboard `tools --json`, kept"
KNOWN = "pegboard `tools --json`, catalogue"
PEER = "llm `get_tools`"

ROUNDS = {10: 15, 100: 11, 500: 7}
"""How many rounds there are for how many plugins."""


def pegboard(*words: str, cache: Path) -> Command:
    """The command as it is installed."""
    command = Path(sys.executable).with_name("pegboard")
    return Command((str(command), *words), {"PEGBOARD_CACHE": str(cache)})


def filled_caches(room: Room) -> tuple[Path, Path]:
    """A cache with a kept answer, and one with a catalogue in which no answer can be kept."""
    kept, known = room.folder / "kept", room.folder / "known"
    room.output(pegboard("tools", "--json", cache=kept))
    assert list((kept / "listings").iterdir())
    shutil.copytree(kept / "catalogue", known / "catalogue")
    (known / "listings").touch()
    return kept, known


def commands(room: Room) -> dict[str, Command]:
    """Every way from nothing to the definitions, as text on standard output."""
    kept, known = filled_caches(room)
    index = room.folder / "index.json"
    index.write_bytes(room.output(pegboard("tools", "--json", cache=kept)))
    return {
        FLOOR: Command.of(INDEX, str(index), room.path),
        LOADED: Command.of(ENTRY_POINTS),
        "stevedore": Command.of(STEVEDORE, ""),
        "stevedore, its cache": Command.of(STEVEDORE, str(room.folder / "stevedore")),
        "pluggy `load_setuptools_entrypoints`": Command.of(PLUGGY),
        PEER: Command.of(LLM, LLM_USER_PATH=str(room.folder)),
        KNOWN: pegboard("tools", "--json", cache=known),
        "pegboard `tools`, catalogue": pegboard("tools", cache=known),
        KEPT: pegboard("tools", "--json", cache=kept),
    }


def check(room: Room, ways: Mapping[str, Command], count: int) -> None:
    """Every way gives every definition, and what is kept imports no plugin."""
    for name, way in ways.items():
        if "`tools`" not in name:
            names = [each["name"] for each in json.loads(room.output(way))]
            assert len([each for each in names if each.startswith("add_p")]) == count * TOOLS, name
    for name in (KNOWN, KEPT):
        assert not [each for each in room.imported(ways[name]) if each.startswith("bench_p")]


@pytest.mark.parametrize("count", ROUNDS)
def test_a_kept_listing_beside_an_index_and_other_loaders(
    tmp_path: Path, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "site", count)
    (tmp_path / "room").mkdir()
    room = Room(tmp_path / "room", str(tmp_path / "site"))
    caches = tmp_path / "for bytecode", tmp_path / "new"
    _, first = (room.milliseconds(pegboard("tools", "--json", cache=each)) for each in caches)
    ways = commands(room)
    check(room, ways, count)

    figures = measure(ways, room, rounds=ROUNDS[count])

    with capsys.disabled():
        print(f"\n\n{figures.table(f'{count} plugins of {TOOLS} tools', FLOOR, LOADED)}")
        print(f"\nThe first time, when nothing is known, pegboard takes {first:.0f} ms")
        print(f"llm takes {figures.wall_ratio(PEER, KEPT):.1f} times what {KEPT} takes")
    assert figures.ratio(KEPT, FLOOR) <= 1.3
    assert figures.wall_ratio(PEER, KEPT) >= 18
