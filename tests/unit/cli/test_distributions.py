"""Which distributions somebody has named, however pip takes them."""

import json
from pathlib import Path

import pytest
from pegboard.cli.distributions import Distribution, changed, named, read

WHERE = Path("wheels").resolve()
PRINTED = json.dumps(
    [
        ["Pegboard_Clock", "1.0", None],
        ["gauge", "2.0", json.dumps({"url": (WHERE / "my gauge").as_uri(), "dir_info": {}})],
        ["mail", "3.0", json.dumps({"url": "https://example.org/mail.git", "vcs_info": {}})],
        ["gauge", "0.5", None],
    ]
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pegboard.clock", "pegboard-clock"),
        ("pegboard-clock>=0.1,<2; python_version > '3'", "pegboard-clock"),
        ("pegboard-clock[extra] ~= 1.0", "pegboard-clock"),
        ("pegboard-clock @ https://example.org/x.whl", "pegboard-clock"),
        ("wheels/pegboard_clock-1.0-py3-none-any.whl", "pegboard-clock"),
        ("pegboard_clock-1.0-py3-none-any.whl", "pegboard-clock"),
        ("wheels/my gauge", "gauge"),
        (f"{WHERE}/my gauge[extra]", "gauge"),
        ("git+https://example.org/mail.git@v3#egg=mail", "mail"),
    ],
)
def test_a_distribution_is_known_by_whatever_named_it(text: str, name: str) -> None:
    assert named([text], read(PRINTED)) == {name}


def test_what_nobody_has_named_is_not_named() -> None:
    assert named(["./elsewhere", "https://example.org/other.git"], read(PRINTED)) == frozenset()


def test_what_has_come_and_gone_is_told_with_versions() -> None:
    before = {"a": Distribution("a", "1"), "b": Distribution("b", "1")}
    after = {"b": Distribution("b", "2"), "c": Distribution("c", "1")}

    assert changed(before, after) == (["b 2", "c 1"], ["a 1"])
