"""The rules of all tests, and the shared cases that a clone may lack."""

import os
from pathlib import Path

import pytest
from pegboard_house import (
    ORIGINAL,
    by_itself,
    on_this_machine,
    pytest_collection_finish,
    pytest_pyfunc_call,
    use_hypothesis_profile,
)

__all__ = ["by_itself", "on_this_machine", "pytest_collection_finish", "pytest_pyfunc_call"]

_REPOSITORY = Path(__file__).parent.parent

use_hypothesis_profile()


def _shared_folder() -> Path:
    beside = _REPOSITORY.parent / "shared" / "cases"
    return Path(ORIGINAL.get("PEGBOARD_SHARED") or beside)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs the shared cases where they are absent."""
    if _shared_folder().is_dir():
        return
    absent = [item for item in items if item.get_closest_marker("shared")]
    items[:] = [item for item in items if not item.get_closest_marker("shared")]
    config.hook.pytest_deselected(items=absent)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were left out; xdist's own count doesn't."""
    folder = _shared_folder()
    if not folder.is_dir():
        where = os.path.relpath(folder, _REPOSITORY)
        terminalreporter.write_line(
            f"tests marked 'shared' are deselected: no folder {where}; PEGBOARD_SHARED can name one"
        )
    if not ORIGINAL.get("PEGBOARD_ECOSYSTEM"):
        terminalreporter.write_line(
            "tests/ecosystem isn't collected: `tox run -e ecosystem` makes what it needs"
        )


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of the shared cases; for tests marked `shared`."""
    return _shared_folder()


@pytest.fixture(scope="session")
def shared_definitions(shared_cases: Path) -> Path:
    """The folder with definitions of real tools; for tests marked `shared`."""
    return shared_cases / "definitions"
