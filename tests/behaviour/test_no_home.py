"""A user without a home folder, where nothing can be written: what works, and what is said."""

import subprocess
import sys
from pathlib import Path

import pytest

NOWHERE = """
import os, pwd, sys
os.environ.pop("HOME", None)
def nobody(user):
    raise KeyError(f"getpwuid(): uid not found: {user}")
pwd.getpwuid = nobody
"""
HOST = """
import asyncio, json
from pegboard import Config, Host, PluginConfig

async def main():
    config = Config(plugins=json.loads(sys.argv[1], object_hook=table))
    async with Host(config, discover=False) as host:
        info = host.plugins[sys.argv[2]]
        print(info.state, info.error)

def table(found):
    return PluginConfig(settings=found["settings"]) if "settings" in found else found

asyncio.run(main())
"""


def said(program: str, *words: str, **environment: str) -> str:
    """What a program prints whose user has no home folder."""
    command = [sys.executable, "-c", NOWHERE + program, *words]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PATH": "/bin"} | environment,
    )
    return ran.stdout.strip()


def test_there_is_no_cache_folder() -> None:
    program = "from pegboard.cache import cache_folder; print(cache_folder())"

    assert said(program) == "None"


def test_a_host_opens_and_calls() -> None:
    program = """
import asyncio
from pegboard import Host, tool

@tool
def double(n: int) -> int:
    "Double."
    return 2 * n

async def main():
    async with Host() as host:
        host.register(double)
        board = await host.board("one")
        print((await board.call("double", {"n": 4})).unwrap())

asyncio.run(main())
"""

    assert said(program).splitlines()[-1] == "8"


def test_a_record_needs_a_place_and_says_which_setting_gives_one() -> None:
    program = """
from pegboard_audit import AuditError, default_path
try:
    default_path()
except AuditError as error:
    print(error)
"""

    told = "there is no home folder to keep the record in; set path in [plugins.audit]"
    assert said(program) == told


def test_a_record_whose_place_is_named_needs_no_home(tmp_path: Path) -> None:
    program = """
import asyncio, pegboard_audit
from pegboard import Host

async def main():
    async with Host(discover=False) as host:
        await host.load(pegboard_audit, settings={"path": sys.argv[1]})
        await (await host.board("one")).call("missing")
    print([each.tool for each in pegboard_audit.read(sys.argv[1])])

asyncio.run(main())
"""

    assert said(program, str(tmp_path / "a.sqlite3")) == "['missing']"


@pytest.mark.parametrize("name", ["outputs"])
def test_a_folder_below_a_home_that_is_not_there_is_said(name: str) -> None:
    settings = f'{{"{name}": {{"settings": {{"folder": "~/x"}}}}}}'

    state, _, error = said(HOST, settings, name).partition(" ")

    assert state == "failed"
    assert "Could not determine home directory" in error


def test_a_cache_that_can_t_be_written_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    program = """
import asyncio
from pegboard import Host

async def main():
    async with Host() as host:
        print(len(host.problems))

asyncio.run(main())
"""

    assert said(program, PEGBOARD_CACHE=str(tmp_path / "file")).isdecimal()
