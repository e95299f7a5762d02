"""The pages of the documentation, each with a folder to run in."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCS = (REPOSITORY / "docs").rglob("*.md")
PAGES = sorted([REPOSITORY / "README.md", *REPOSITORY.glob("plugins/*/README.md"), *DOCS])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every page to tests that ask for one."""
    if "page" in metafunc.fixturenames:
        names = [page.relative_to(REPOSITORY).as_posix() for page in PAGES]
        metafunc.parametrize("page", PAGES, ids=names)
