"""A plugin that is broken is listed with the reason, and costs nobody else anything."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BROKEN = {
    "raises": ("raise OSError('no such luck')", "no such luck"),
    "leaves": ("import sys\nsys.exit('enough')", "enough"),
    "quits": ("exit(3)", "3"),
    "misspelt": ("def pegboard_tool(: pass", "invalid syntax"),
    "empty": ("", ""),
}

SEEN = """
import asyncio, json
from pegboard import Host

async def main():
    async with Host() as host:
        outcome = await (await host.board("one")).call("echo", {"value": "Pi"})
        print(json.dumps({
            "plugins": {n: [i.state, str(i.error)] for n, i in host.plugins.items()},
            "problems": [str(problem) for problem in host.problems],
            "text": outcome.content[0].text,
        }))

asyncio.run(main())
"""


@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_fails_to_import_is_listed_as_failed_and_the_rest_works(
    name: str, environment: Any, wheels: dict[str, Path], wheel_of: Callable[..., Path]
) -> None:
    source, reason = BROKEN[name]
    environment.install(wheels["echo"], wheel_of(name, source))

    seen = environment.script(SEEN)

    state, error = seen["plugins"][name]
    assert state == "failed"
    assert reason in error
    assert seen["plugins"]["echo"] == ["loaded", "None"]
    assert seen["text"] == "Pi"


def test_a_malformed_entry_points_file_costs_only_its_own_distribution(
    environment: Any, wheels: dict[str, Path], wheel_of: Callable[..., Path]
) -> None:
    environment.install(wheels["echo"], wheel_of("garbled", ""))
    file = environment.packages / "pegboard_garbled-1.0.dist-info/entry_points.txt"
    file.unlink()
    file.write_text("[pegboard\ngarbled = = pegboard_garbled\n")

    seen = environment.script(SEEN)

    assert any("garbled" in each and "entry_points.txt" in each for each in seen["problems"])
    assert seen["plugins"]["echo"] == ["loaded", "None"]
    assert seen["text"] == "Pi"


def test_the_command_lists_what_is_broken_with_its_reason(
    environment: Any, wheels: dict[str, Path], wheel_of: Callable[..., Path]
) -> None:
    environment.install(wheels["echo"], wheel_of("raises", BROKEN["raises"][0]))

    listed = json.loads(environment.pegboard("plugins", "--json"))

    printed = json.dumps(listed)
    assert "no such luck" in printed
    assert "echo" in printed
