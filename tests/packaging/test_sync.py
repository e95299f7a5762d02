"""Real pip under a running host: each thing that it does is seen by a sync, and nothing else."""

import json
import sys
from typing import Any

import pytest
from pegboard_wheels import write_project, write_wheel

MODULE = '''
from pegboard import tool

V = "{version}"


@tool
def {name}_version() -> list[str]:
    """Give the version of each module."""
    from {name}.late import V as late

    return [V, late]
'''
PROGRAM = """
import asyncio, json, subprocess, sys
from pathlib import Path
import attrs
from pegboard import Config, Host

PIP, WORK = json.loads('PIP_COMMAND'), Path.cwd()
OFFLINE = ("install", "--no-index", "--no-deps")

def pip(*arguments):
    subprocess.run([*PIP, *map(str, arguments)], check=True)

def install(version):
    pip(*OFFLINE, "--force-reinstall", WORK / f"dist/gauge-{version}-py3-none-any.whl")

def edit():
    module = WORK / "project/src/gauge/__init__.py"
    module.write_text(module.read_text().replace('"9.0"', '"9.1"'))

def damage():
    for each in Path(sys.prefix).glob("lib/python*/site-packages/gauge-*.dist-info/METADATA"):
        each.unlink()

STEPS = {
    "install": lambda: install("1.0"),
    "upgrade": lambda: install("2.0"),
    "install the same": lambda: install("2.0"),
    "downgrade": lambda: install("1.0"),
    "install what is broken": lambda: install("3.0"),
    "install what isn't": lambda: install("2.0"),
    "uninstall": lambda: pip("uninstall", "--yes", "gauge"),
    "install editable": lambda: pip(*OFFLINE, "--no-build-isolation", "-e", WORK / "project"),
    "edit": edit,
    "damage metadata": damage,
}

async def step(host, board, what):
    what()
    report = attrs.asdict(await host.sync())
    again = attrs.asdict(await host.sync())
    outcome = await board.call("gauge_version")
    other = (await board.call("other_version")).unwrap()
    return {
        "done": {key: each for key, each in report.items() if each},
        "again": [each for each in again.values() if each],
        "seen": str(outcome.code) if outcome.is_error else outcome.value,
        "other": [*other, host.plugins["other"].generation],
        "problems": len(host.problems),
    }

async def main():
    async with Host(Config(only=["gauge", "other"])) as host:
        board = await host.board("one")
        print(json.dumps({name: await step(host, board, what) for name, what in STEPS.items()}))

asyncio.run(main())
"""
ONE = ["gauge"]
EXPECTED = {
    "install": ({"loaded": ONE}, ["1.0", "1.0"]),
    "upgrade": ({"reloaded": ONE}, ["2.0", "2.0"]),
    "install the same": ({}, ["2.0", "2.0"]),
    "downgrade": ({"reloaded": ONE}, ["1.0", "1.0"]),
    "install what is broken": ({"failed": ONE}, ["1.0", "1.0"]),
    "install what isn't": ({"reloaded": ONE}, ["2.0", "2.0"]),
    "uninstall": ({"unloaded": ONE}, "unknown_tool"),
    "install editable": ({"loaded": ONE}, ["9.0", "9.0"]),
    "edit": ({"reloaded": ONE}, ["9.1", "9.0"]),
    "damage metadata": ({"unloaded": ONE}, "unknown_tool"),
}


def files_of(name: str, version: str) -> dict[str, str]:
    """The files of a package in one version."""
    module = MODULE.format(version=version, name=name)
    return {f"{name}/__init__.py": module, f"{name}/late.py": f'V = "{version}"\n'}


@pytest.fixture
def seen(environment: Any) -> dict[str, Any]:
    """What a program saw of each step."""
    dist, project = environment.work / "dist", environment.work / "project"
    for version in ("1.0", "2.0"):
        files = files_of("gauge", version)
        write_wheel(dist, "gauge", version, files=files, plugin="gauge = gauge")
    broken = {"gauge/__init__.py": "raise OSError('no disk')\n"}
    write_wheel(dist, "gauge", "3.0", files=broken, plugin="gauge = gauge")
    other = write_wheel(
        dist, "other", "1.0", files=files_of("other", "1.0"), plugin="other = other"
    )
    write_project(project, "gauge", "9.0", files=files_of("gauge", "9.0"))
    environment.install(other)
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(environment.python)]
    return environment.script(PROGRAM.replace("PIP_COMMAND", json.dumps(pip)))


def test_what_pip_does_is_seen_by_a_sync_and_nothing_else_is_touched(seen: dict[str, Any]) -> None:
    told = {name: (each["done"], each["seen"]) for name, each in seen.items()}

    assert told == EXPECTED
    assert [each["again"] for each in seen.values()] == [[]] * len(EXPECTED)
    assert [each["other"] for each in seen.values()] == [["1.0", "1.0", 1]] * len(EXPECTED)
    assert [each["problems"] for each in seen.values()] == [0] * (len(EXPECTED) - 1) + [1]
