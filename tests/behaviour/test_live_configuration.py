"""A host that follows a configuration is as one that started with it."""

from hypothesis import given, settings
from pegboard import Config
from pegboard_live import CONFIGS, called, host_of, shown


@settings(max_examples=60, deadline=None)
@given(CONFIGS, CONFIGS)
async def test_a_host_that_follows_shows_what_one_shows_that_started_so(
    before: Config, after: Config
) -> None:
    async with host_of(before) as host, host_of(after) as other:
        await called(host)
        await host.sync(after)

        assert shown(host) == shown(other)
        assert await called(host) == await called(other)
