"""A plugin whose tool takes its time, so that it can be unloaded in the middle of a call."""

import asyncio

from pegboard import Tool, hookimpl, tool


class Courier:
    """A plugin with one tool that waits until its road is open.

    Attributes:
        has_left: set once a delivery has begun.
        road: what a delivery waits for.
    """

    def __init__(self) -> None:
        self.has_left = asyncio.Event()
        self.road = asyncio.Event()

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """The tool of this plugin."""

        @tool
        async def courier_deliver(parcel: str) -> str:
            """Deliver a parcel; takes as long as the road is closed.

            Args:
                parcel: What to deliver.
            """
            self.has_left.set()
            await self.road.wait()
            return f"{parcel}: delivered"

        return [courier_deliver]
