"""What is no configuration, given by a program: refused with what was expected."""

from typing import Any

import pegboard.blocking
import pytest
from pegboard import Host, WrongArgumentError

STRANGE = [5, b"pegboard.toml", {"block": []}, ["pegboard.toml"], object()]
CONFIG = "a Config or the path of its file is expected, not"


@pytest.mark.parametrize("given", STRANGE)
@pytest.mark.parametrize("host", [Host, pegboard.blocking.Host], ids=["async", "blocking"])
def test_a_host_of_what_is_no_configuration_is_refused(host: Any, given: Any) -> None:
    with pytest.raises(WrongArgumentError, match=f"{CONFIG} {type(given).__name__}"):
        host(given)


@pytest.mark.parametrize("given", STRANGE)
async def test_following_what_is_no_configuration_is_refused_and_nothing_changes(
    given: Any,
) -> None:
    async with Host(discover=False) as host:
        before = host.config

        with pytest.raises(WrongArgumentError, match=f"{CONFIG} {type(given).__name__}"):
            await host.sync(given)

        assert host.config is before


@pytest.mark.parametrize("given", STRANGE)
async def test_what_names_no_file_is_refused(given: Any) -> None:
    words = f"the path of a file is expected, not {type(given).__name__}"
    async with Host(discover=False) as host:
        with pytest.raises(WrongArgumentError, match=words):
            host.watch(given)

    with pytest.raises(WrongArgumentError, match=words):
        Host(file=given)
