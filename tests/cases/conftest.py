"""What the cases share that run real programs."""

import asyncio

import pytest


@pytest.fixture(scope="session")
def sandboxes() -> None:
    """Sandboxes that have been used once: a few files of their client stay open from then on."""
    from pegboard_sandboxed import ran

    asyncio.run(ran("1"))
