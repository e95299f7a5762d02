"""`pegboard serve --http` under calls is terminated, and configured while it is watched."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from pegboard_operated_http import (
    CLIENTS,
    CONFIG,
    ask,
    attach,
    calling,
    folder_to_serve,
    names,
    processes_with,
    served_here,
    unanswered,
    until,
    until_all_run,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a configuration and plugins."""
    with folder_to_serve() as made:
        yield made


async def test_each_call_that_runs_when_a_server_is_terminated_has_its_outcome(
    folder: Path,
) -> None:
    with served_here(folder) as serving:
        async with calling(serving, ("wait", 0.4), ("wait", 60)) as calls:
            await until_all_run(folder)
            serving.process.terminate()
            status = await asyncio.to_thread(serving.process.wait, 30)

    assert (status, unanswered(folder, calls)) == (0, set())
    short = [each.is_error for number, each in calls.results.items() if number < 60]
    long = [each.is_error for number, each in calls.results.items() if number >= 60]
    assert (False in short, set(long), len(long) >= CLIENTS // 2) == (True, {True}, True)
    assert not (folder / "run" / "host.sock").exists()
    assert "Traceback" not in (folder / "serve.log").read_text()


async def test_the_processes_of_attached_servers_end_with_the_host_that_is_terminated(
    folder: Path,
) -> None:
    attach(folder, "one", "two")
    with served_here(folder) as serving:
        async with calling(serving, ("one_sleep", 0.4), ("two_sleep", 60)) as calls:
            await until_all_run(folder)
            before = processes_with(str(folder))
            serving.process.terminate()
            status = await asyncio.to_thread(serving.process.wait, 30)

    assert (len(before), processes_with(str(folder))) == (2, [])
    assert (status, unanswered(folder, calls)) == (0, set())
    assert not (folder / "run" / "host.sock").exists()


SPOILED = {
    "broken": "[boards.default\n",
    "half written": CONFIG[:40],
    "missing": None,
}


@pytest.mark.parametrize("text", SPOILED.values(), ids=SPOILED)
async def test_a_watched_server_goes_on_with_what_it_had_until_its_configuration_is_whole(
    folder: Path, text: str | None
) -> None:
    config, log = folder / "pegboard.toml", folder / "serve.log"
    with served_here(folder, "--watch") as serving:
        async with Client(serving.url) as client:
            before = await names(client)
            config.unlink() if text is None else config.write_text(text)
            await until(lambda: "pegboard.toml" in log.read_text())
            during = await names(client), (await ask(folder, "status"))["is_ready"]
            config.write_text(f"deny = ['send_mail']\n{CONFIG.format(folder=folder)}")
            await until(lambda: "configured anew" in log.read_text())
            after = await names(client)

    said = [line for line in log.read_text().splitlines() if "serving on" not in line]
    assert during == (before, True)
    assert after == before - {"send_mail"}
    assert ("pegboard.toml" in said[0], "without mistakes again" in said[1]) == (True, True)
