"""Docstrings of every layout say the same."""

import inspect

import pytest
from pegboard.tools.docstrings import read_docstring

LAYOUTS = {
    "google": "Sum.\n\nArgs:\n    a: first: 3:5\n    b: second\n\nReturns:\n    the sum",
    "blank after the title": "Sum.\n\nArgs:\n\n    a: first: 3:5\n    b: second",
    "no blank before": "Sum.\nArgs:\n    a: first: 3:5\n    b: second",
    "blank between": "Sum.\n\nArgs:\n    a: first: 3:5\n\n    b: second\n",
    "types": "Sum.\n\nArgs:\n    a (int): first: 3:5\n    b (list[int], optional): second",
    "raises first": "Sum.\n\nRaises:\n    KeyError: no\n\nArgs:\n    a: first: 3:5\n    b: second",
    "two lines": "Sum.\n\nArgs:\n    a: first:\n        3:5\n    b: second",
    "two lines, each": "Sum.\n\nArgs:\n    a: first:\n        3:5\n    b:\n        second",
    "two lines, deep": "Sum.\n\n    Args:\n      a: first:\n         3:5\n      b: second\n    ",
    "blanks": "\n    Sum.\n\n\n    Args:\n        a:  first: 3:5\n        b: second  \n",
    "tabs": "Sum.\n\n\tArgs:\n\t\ta: first: 3:5\n\t\tb: second\n\t",
    "line ends of other systems": "Sum.\r\n\r\nArgs:\r\n    a: first: 3:5\r\n    b: second",
    "deep": "Sum.\n\n    Args:\n        a: first: 3:5\n        b: second\n    ",
    "numpy": "Sum.\n\nParameters\n----------\na : int\n    first: 3:5\nb : int\n    second\n",
    "numpy, blanks": (
        "Sum.\n\nParameters\n----------\n\na : int\n    first: 3:5\n\nb\n    second\n\n"
        "Returns\n-------\nint\n    the sum"
    ),
    "rest": "Sum.\n\n:param a: first: 3:5\n:param int b: second\n:returns: the sum",
    "rest, blanks": "Sum.\n\n:param a: first: 3:5\n\n:param b:\n    second\n\n:raises KeyError: no",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_the_descriptions_of_parameters_are_found_in_every_layout(text: str) -> None:
    found = read_docstring(text)

    assert dict(found.parameters) == {"a": "first: 3:5", "b": "second"}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_sections_on_parameters_and_results_are_not_in_the_description(text: str) -> None:
    found = read_docstring(text)

    assert found.description == "Sum."


@pytest.mark.parametrize("text", [each for each in LAYOUTS.values() if "--" not in each])
def test_a_section_on_results_changes_nothing_that_is_said_before_it(text: str) -> None:
    longer = f"{inspect.cleandoc(text)}\n\nRaises:\n    KeyError: it isn't there"

    assert read_docstring(longer) == read_docstring(text)


def test_a_docstring_may_open_with_its_parameters() -> None:
    found = read_docstring("Args:\n    a (int): first: 3:5\n    b: second")

    assert (found.description, dict(found.parameters)) == ("", {"a": "first: 3:5", "b": "second"})


def test_notes_and_examples_stay_in_the_description() -> None:
    found = read_docstring("Sum.\n\nArgs:\n    a: first\n\nNote:\n    Never on Sundays.")

    assert found.description == "Sum.\n\nNote:\n    Never on Sundays."


def test_text_between_sections_is_kept() -> None:
    found = read_docstring("Sum.\n\nArgs:\n    a: first\n\nIt rounds down.")

    assert found.description == "Sum.\n\nIt rounds down."


@pytest.mark.parametrize(
    "text", ["Note: read this", "Ratio: a:b", "Args:", "Args:\nnothing here", "a\n=", ":", "x:\n"]
)
def test_what_only_looks_like_a_section_is_description(text: str) -> None:
    found = read_docstring(text)

    assert found.description == text.strip()


def test_a_line_without_a_colon_belongs_to_the_parameter_before_it() -> None:
    found = read_docstring("Sum.\n\nArgs:\n    a: first\n    and more\n    b: second")

    assert dict(found.parameters) == {"a": "first and more", "b": "second"}


def test_a_result_on_one_line_is_not_description() -> None:
    found = read_docstring("Sum.\n\nReturns: the sum, rounded")

    assert found.description == "Sum."


@pytest.mark.parametrize("text", [None, "", "  \n \n"])
def test_no_docstring_says_nothing(text: str | None) -> None:
    found = read_docstring(text)

    assert (found.description, dict(found.parameters)) == ("", {})


def test_paragraphs_of_a_parameter_stay_apart() -> None:
    found = read_docstring("Sum.\n\nArgs:\n    a: first\n        line\n\n        second one\n")

    assert found.parameters["a"] == "first line\n\nsecond one"
