"""The type checker of the sandbox, once for all tests."""

from collections.abc import Iterator

import pytest
from pegboard_checked import Checker, checker


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Checker]:
    """The type checker."""
    with checker() as found:
        yield found
