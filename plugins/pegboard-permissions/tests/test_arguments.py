"""Patterns over arguments: what denies can't be dodged, what allows isn't stretched."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import JSON
from pegboard_permissions.patterns import ArgumentPattern

UNSEEN = st.characters(categories=("Cc", "Cf"))
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "value",
    [
        "/etc/passwd",
        "/ETC/passwd",
        "/etc/a\nb",
        "/e\N{SOFT HYPHEN}tc/passwd",
        "\N{ZERO WIDTH SPACE}/etc/passwd",
        "/etc\N{FULLWIDTH SOLIDUS}\N{RIGHT-TO-LEFT OVERRIDE}passwd",
        "\N{FULLWIDTH SOLIDUS}etc/passwd",
        "/\N{MATHEMATICAL BOLD SMALL E}tc/passwd",
        ["/tmp/x", "/etc/passwd"],
        {"file": "/etc/passwd"},
        {"/etc/passwd": True},
        [[["/etc/passwd"]]],
    ],
)
def test_what_could_be_taken_for_a_denied_text_is_denied(value: JSON) -> None:
    assert ArgumentPattern("path", "/etc/*").resembles({"path": value})


@pytest.mark.parametrize(
    "value",
    [
        "/ETC/passwd",
        "\N{FULLWIDTH SOLIDUS}etc/x",
        "/e\N{SOFT HYPHEN}tc/x",
        "\n/etc/x",
        ["/etc/passwd"],
        {"/etc/x": 1},
        1,
        None,
    ],
)
def test_only_a_text_that_fits_exactly_is_allowed(value: JSON) -> None:
    assert not ArgumentPattern("path", "/etc/*").admits({"path": value})


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (True, "true"),
        (True, " True "),
        (True, "tr\N{SOFT HYPHEN}ue\n"),
        (True, 1),
        (3, "3"),
        (3, "3.00"),
        (3, "\N{ZERO WIDTH SPACE}3"),
        (3, [1, 3]),
    ],
)
def test_numbers_and_booleans_in_another_guise_are_denied_and_not_allowed(
    wanted: Any, value: JSON
) -> None:
    pattern = ArgumentPattern("x", wanted)

    assert pattern.resembles({"x": value})
    assert not pattern.admits({"x": value})


@given(st.lists(UNSEEN, max_size=3), st.integers(0, 5), st.integers(0, 5))
def test_no_character_that_people_do_not_see_hides_a_text_from_a_rule_that_denies(
    unseen: list[str], first: int, last: int
) -> None:
    hidden = "".join(unseen)
    text = ".env"[:first] + hidden + ".env"[first:]
    twice = text[:last] + hidden + text[last:]

    assert ArgumentPattern("path", "*.env").resembles({"path": f"x{twice}"})


@given(UNSEEN)
def test_no_character_that_people_do_not_see_is_overlooked_by_a_rule_that_allows(
    unseen: str,
) -> None:
    pattern = ArgumentPattern("path", "x.env")

    assert not any(pattern.admits({"path": each}) for each in (f"x.env{unseen}", f"x{unseen}.env"))


@pytest.mark.parametrize("separator", ["\t", "\n", "\r", "\N{LINE SEPARATOR}"])
def test_what_separates_words_is_taken_for_a_blank_too(separator: str) -> None:
    assert ArgumentPattern("x", "rm *").resembles({"x": f"rm{separator}-r\N{SOFT HYPHEN} /"})


def test_a_pattern_may_mean_a_character_that_people_do_not_see() -> None:
    pattern = ArgumentPattern("x", "*\n*")

    assert pattern.resembles({"x": "a\nb"})
    assert not pattern.resembles({"x": "ab"})


def test_a_number_is_the_same_number_however_it_is_written() -> None:
    assert ArgumentPattern("x", 3).admits({"x": 3.0})


def test_what_is_not_text_is_compared_by_its_json_text_too() -> None:
    pattern = ArgumentPattern("x", '*"mode": "force"*')

    assert pattern.resembles({"x": {"mode": "force"}})


def test_an_argument_that_is_missing_fits_no_pattern() -> None:
    pattern = ArgumentPattern("path", "*")

    assert not pattern.resembles({})
    assert not pattern.admits({})


def test_dots_and_links_in_a_path_are_compared_as_they_are_written() -> None:
    pattern = ArgumentPattern("path", "/etc/*")

    assert not pattern.resembles({"path": "/tmp/../etc/passwd"})
    assert pattern.admits({"path": "/etc/../tmp/x"})


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("a.b", {"a": {"b": "x"}}),
        ("a.b", {"a.b": "x"}),
        ("a.1", {"a": ["", "x"]}),
        ("a.1", {"a": {"1": "x"}}),
        ("*.b.*", {"q": {"b": ["", "x"]}}),
    ],
)
def test_a_path_leads_through_keys_and_indices_and_stars(path: str, arguments: JSON) -> None:
    assert ArgumentPattern(path, "x").resembles(arguments)


def test_what_allows_must_fit_wherever_the_path_leads() -> None:
    pattern = ArgumentPattern("paths.*", "/data/*")

    assert pattern.admits({"paths": ["/data/a", "/data/b"]})
    assert not pattern.admits({"paths": ["/data/a", "/etc/b"]})
    assert not pattern.admits({"paths": []})


@given(JSONS, st.sampled_from(["*", "a*", "?", 1, True, 0.0]))
def test_what_is_exactly_meant_is_never_missed_by_a_rule_that_denies(
    value: JSON, wanted: Any
) -> None:
    pattern = ArgumentPattern("x", wanted)

    assert pattern.resembles({"x": value}) or not pattern.admits({"x": value})
