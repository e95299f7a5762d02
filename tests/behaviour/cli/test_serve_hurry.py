"""What a second SIGTERM does to bodies that don't stop, and the end of the input to calls."""

import asyncio
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from pegboard_serving import ERAS, texts
from pegboard_stopped import SLOW, Piped, Start, calling, starting, until, url_of

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])
GRACE = 3.0


@pytest.fixture
def start(bare: Any) -> Iterator[Start]:
    """Serve `wait` and `stick`."""
    bare.install("slow", SLOW)
    with starting(bare) as begin:
        yield begin


@eras
@pytest.mark.parametrize("close_grace", [600.0, 0.2], ids=["waiting", "stopping"])
def test_a_body_that_does_not_stop_has_its_grace_once(
    bare: Any, start: Start, era: str, close_grace: float
) -> None:
    process = start(grace=close_grace, stop_grace=GRACE)
    client, modern = Piped(process), era != "legacy"
    client.greet(modern=modern)
    client.say(**calling("stick", modern=modern))
    until(bare.work / "began", process)

    process.send_signal(signal.SIGTERM)
    time.sleep(2.0)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    answer = client.read()
    told = time.monotonic() - began
    _, err = process.communicate(timeout=30)

    left = GRACE if close_grace > GRACE else GRACE + close_grace - 2.0
    assert (answer["id"], answer["result"]["isError"], process.returncode) == (7, True, 0)
    assert left - 0.5 < told < left + 1.0
    assert "cut off: 1" in err
    assert "still running: call " in err


@eras
async def test_its_client_over_http_reads_the_outcome_too(
    bare: Any, start: Start, era: str
) -> None:
    process = start("--http", "0", grace=600)
    url = await asyncio.to_thread(url_of, process)
    async with Client(url, mode=era) as client:
        await client.list_tools()
        call = asyncio.create_task(client.call_tool("stick", {}))
        await asyncio.to_thread(until, bare.work / "began", process)
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.stderr.readline)
        process.send_signal(signal.SIGTERM)
        result = await asyncio.wait_for(call, 10)

    await asyncio.to_thread(process.communicate, timeout=30)
    assert (result.is_error, "shutting down" in texts(result)) == (True, True)
    assert process.returncode == 0


@eras
@pytest.mark.parametrize(("tool", "given"), [("stick", {}), ("wait", {"seconds": 600})])
def test_a_call_that_runs_when_the_input_ends_has_its_outcome(
    bare: Any, start: Start, era: str, tool: str, given: dict[str, Any]
) -> None:
    process = start()
    client, modern = Piped(process), era != "legacy"
    client.greet(modern=modern)
    client.say(**calling(tool, modern=modern, **given))
    until(bare.work / "began", process)

    process.stdin.close()
    process.stdin = None
    answer = client.read()

    assert (answer["id"], answer["result"]["isError"]) == (7, True)
    assert process.wait(15) == 0
