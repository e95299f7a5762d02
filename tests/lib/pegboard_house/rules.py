"""The hook and the fixtures that a `conftest.py` imports to put its tests under the rules."""

import gc
from collections.abc import Iterator
from itertools import count

import pytest

from pegboard_house.hermetic import hermetic, loopback_only
from pegboard_house.leaks import nothing_is_left
from pegboard_house.running import run_coroutine_test

_HOMES = count()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutine functions in a loop of their own."""
    return run_coroutine_test(pyfuncitem)


def pytest_collection_finish() -> None:
    """Spare the collector what was there before the first test: it is most of what it looks at."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def on_this_machine() -> Iterator[None]:
    """Let no connection leave the machine."""
    with loopback_only():
        yield


@pytest.fixture(autouse=True)
def by_itself(on_this_machine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give a test a home of its own, and see that it leaves nothing behind."""
    temporary = tmp_path_factory.getbasetemp()
    with nothing_is_left(temporary), hermetic(temporary / f"home-{next(_HOMES)}"):
        yield
