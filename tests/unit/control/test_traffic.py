"""Calls are counted by tool as they end."""

from pegboard import Host
from pegboard.control.traffic import Traffic
from pegboard_control import echo


async def test_calls_are_counted_by_tool_and_unknown_names_together() -> None:
    traffic = Traffic()
    async with Host(discover=False) as host:
        host.hook(call_finished=traffic.count)
        host.register(echo)
        board = await host.board("desk")
        for name in ("echo", "echo", "ehco", "missing"):
            await board.call(name, {"value": "x"})
        await board.call("echo", {})

    counted = traffic.read()
    by_tool = {name: (each["total"], each["failed"]) for name, each in counted["by_tool"].items()}
    assert (counted["total"], counted["failed"]) == (5, 3)
    assert by_tool == {"": (2, 2), "echo": (3, 1)}


async def test_the_times_of_calls_add_up() -> None:
    traffic = Traffic()
    async with Host(discover=False) as host:
        host.hook(call_finished=traffic.count)
        host.register(echo)
        board = await host.board("desk")
        for _ in range(3):
            await board.call("echo", {"value": "x"})

    counted = traffic.read()
    told = counted["by_tool"]["echo"]
    assert 0 < told["slowest"] < told["seconds"] == counted["seconds"] <= 3 * told["slowest"]


def test_tools_beyond_some_thousands_are_counted_together() -> None:
    traffic = Traffic()
    for number in range(5000):
        traffic._new(f"tool{number}")

    assert len(traffic.read()["by_tool"]) == 4097
