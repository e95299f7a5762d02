"""The pages of the documentation, each with a folder to run in."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCS = (REPOSITORY / "docs").rglob("*.md")
PAGES = sorted([REPOSITORY / "README.md", *REPOSITORY.glob("plugins/*/README.md"), *DOCS])
RUN_ELSEWHERE = {
    REPOSITORY / "docs/how-to/use-with-frameworks.md": "tests/ecosystem/frameworks/test_page.py"
}
"""Pages whose blocks need what only the ecosystem tests have, each with the test that runs them."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every page to tests that ask for one, and those that are run here to who runs them."""
    asked = {"page": PAGES, "run_page": [page for page in PAGES if page not in RUN_ELSEWHERE]}
    for name in asked.keys() & set(metafunc.fixturenames):
        ids = [page.relative_to(REPOSITORY).as_posix() for page in asked[name]]
        metafunc.parametrize(name, asked[name], ids=ids)


@pytest.fixture
def page_folder() -> Iterator[Path]:
    """A folder for a page, whose path is short enough for sockets in it."""
    made = Path(tempfile.mkdtemp(prefix="pegboard-")).resolve()
    yield made
    shutil.rmtree(made)
