"""Every row of the shared cases that is done has a test named after it."""

import re
from pathlib import Path

import pytest

DONE = {
    "behaviour.md": [
        *("One call", "Arguments", "Output", "Failures", "Before hooks", "Approvals", "Guards"),
        *("Around hooks", "After hooks", "Contexts, conclusion, finalizer, observers"),
        *("Cancellation", "Time limits", "Registering", "Names", "Restrictions", "Boards"),
        *("JSON values", "Schemas", "Batches", "Lock file"),
        *("Plugins: loading", "Plugins: unloading", "MCP"),
        *("run_code: what is offered", "run_code: running", "run_code: the SDK"),
    ],
    "bugs.md": [
        *("Schemas from signatures", "Arguments", "Names", "Time, cancellation, concurrency"),
        *("Results", "Discovery", "Unloading", "MCP"),
    ],
}
SINGLE = [
    *("B-039", "B-040", "B-041", "B-042", "P-088", "P-260", "P-261", "P-262", "P-264"),
    *("P-265", "P-266", "P-267", "P-268", "P-269", "P-270", "P-395", "P-396"),
]
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_ID = re.compile(r"^(?:\| |### )([PB]-\d{3})\b", re.MULTILINE)
_TEST = re.compile(r"^(?:async )?def test_([pb])_(\d{3})_", re.MULTILINE)


def rows_of(file: Path, sections: list[str]) -> list[str]:
    """The ids of the rows in these sections of a file."""
    _, *parts = _SECTION.split(file.read_text(encoding="utf-8"))
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    return [row for section in sections for row in _ID.findall(texts[section])]


def ids_of_tests() -> set[str]:
    """The ids in the names of the tests beside this one."""
    texts = (each.read_text(encoding="utf-8") for each in Path(__file__).parent.glob("test_*.py"))
    return {f"{kind.upper()}-{number}" for text in texts for kind, number in _TEST.findall(text)}


@pytest.mark.shared
@pytest.mark.parametrize("file", DONE)
def test_every_row_of_a_section_that_is_done_has_a_test(file: str, shared_cases: Path) -> None:
    rows = rows_of(shared_cases / file, DONE[file])

    assert rows
    assert [row for row in rows if row not in ids_of_tests()] == []


@pytest.mark.shared
def test_no_test_is_named_after_a_row_that_is_not_there(shared_cases: Path) -> None:
    texts = [(shared_cases / file).read_text(encoding="utf-8") for file in DONE]
    known = {row for text in texts for row in _ID.findall(text)}

    assert ids_of_tests() - known == set()


def test_every_single_case_that_is_done_has_a_test() -> None:
    assert [row for row in SINGLE if row not in ids_of_tests()] == []
