"""`pegboard install` and `uninstall` with real pip and uv, in real environments."""

import asyncio
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pegboard_desks import MARKED, OFFLINE, Desk, desk_in
from pegboard_served import Served

tools = pytest.mark.parametrize("using", ["pip", "uv"])


@pytest.fixture
def desk(serving_environment: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk with an environment of its own."""
    environment = tmp_path / "venv"
    shutil.copytree(serving_environment, environment, symlinks=True, copy_function=os.link)
    with desk_in(environment, tmp_path) as made:
        yield made


async def gauge(serving: Served) -> str:
    """What the tool gives to a client, or what the server says where it isn't there."""
    async with Client(serving.url) as client:
        try:
            result = await client.call_tool("gauge", {})
        except MCPError as error:
            return str(error)
        return "".join(each.text for each in result.content)  # type: ignore[union-attr]


def seen(serving: Served) -> str:
    """The same, for who doesn't wait."""
    return asyncio.run(gauge(serving))


@tools
def test_a_host_that_runs_takes_what_is_installed_and_lets_go_what_is_uninstalled(
    desk: Desk, using: str
) -> None:
    steps = (("install", desk.wheel("1")), ("install", desk.wheel("2")), ("uninstall", "gauge"))
    with desk.serving() as host:
        told = [
            each
            for what, name in steps
            for offline in [OFFLINE if what == "install" else ()]
            for ran in [desk.pegboard(what, name, "--using", using, *offline, anywhere=True)]
            for each in (ran.stdout, seen(host))
        ]

    assert told == [
        *("loaded: gauge\n", "1001"),
        *("reloaded: gauge\n", "1002"),
        *("unloaded: gauge\n", "Unknown tool: gauge"),
    ]


def test_a_host_that_follows_by_itself_is_told_of_too(desk: Desk) -> None:
    with desk.serving("--watch") as host:
        ran = desk.pegboard("install", desk.wheel("1"), *OFFLINE, anywhere=True)
        called = seen(host)

    assert (ran.stdout, called) == ("loaded: gauge\n", "1001")


@tools
def test_what_the_lock_file_does_not_accept_is_never_imported(desk: Desk, using: str) -> None:
    how, mark = ("--using", using), desk.work / "imported"
    desk.pegboard("install", desk.wheel("1"), *how, *OFFLINE)
    desk.lock()
    with desk.serving() as host:
        before = seen(host)
        newer = desk.wheel("2", before=MARKED.format(mark=str(mark)))
        ran = desk.pegboard("install", newer, *how, *OFFLINE, expect=1, anywhere=True)
        seen_after = seen(host)

    assert ran.stdout.startswith("quarantined: gauge: ")
    assert "accept it with `pegboard lock`" in ran.stdout
    assert (before, seen_after, mark.exists()) == ("1001", "1001", False)


def test_without_a_host_what_came_is_compared_and_the_next_start_sees_it(desk: Desk) -> None:
    mark = desk.work / "imported"
    first = desk.pegboard("install", desk.wheel("1"), *OFFLINE)
    desk.lock()
    newer = desk.wheel("2", before=MARKED.format(mark=str(mark)))
    second = desk.pegboard("install", "--json", newer, *OFFLINE, expect=1)
    third = desk.pegboard("uninstall", "gauge")

    assert first.stdout == "new: gauge\n"
    assert first.stderr.endswith("pegboard: no host answers; the next start will see it\n")
    assert list(json.loads(second.stdout)["quarantined"]) == ["gauge"]
    assert (mark.exists(), third.stdout) == (False, "gone: gauge\n")


def test_what_can_not_be_installed_is_said_and_changes_nothing(desk: Desk) -> None:
    broken = desk.work / "broken-1.0-py3-none-any.whl"
    broken.write_text("no wheel")

    ran = desk.pegboard("install", broken, *OFFLINE, expect=1)

    assert ran.stderr.endswith("pip ended with 1; no distribution has come or gone\n")


def test_where_nothing_can_install_the_way_out_is_said(desk: Desk) -> None:
    shutil.rmtree(next(desk.environment.glob("lib/python*/site-packages/pip")))

    said = [
        desk.pegboard("install", "gauge", *words, path="/nowhere", expect=2).stderr
        for words in ((), ("--using", "pip"), ("--using", "uv"))
    ]

    wanted = ("there is neither pip in the environment of ", "pip isn't in the environment of ")
    for text, each in zip((*wanted, "there is no uv on PATH"), said, strict=True):
        assert text in each
