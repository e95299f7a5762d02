"""`check` says what a host would refuse to start with because of what operators have kept."""

import json
from typing import Any

import pytest

CONFIG = """state = "run/state.json"
required = ["voice"]

[reserved]
greet = "it is ours"
"""


@pytest.fixture
def kept(bare: Any) -> Any:
    """A desk with a plugin, and a configuration that names a file for what operators decide."""
    bare.install("voice", "open('imported', 'w').close()\n")
    bare.write("pegboard.toml", CONFIG)
    (bare.work / "run").mkdir()
    return bare


def state(**table: Any) -> str:
    """What a host would have written there."""
    return json.dumps({"version": 1, "block": [], "deny": [], **table})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "can't be read"),
        ("[]", "isn't what this version of pegboard writes"),
        (state(version=2), "isn't what this version of pegboard writes"),
        (state(block="voice"), "block and deny are lists of names"),
        (state(deny=["greet"]), "denied 'greet' for good"),
        (state(deny=["Greet"]), "denied 'Greet' for good"),
        (state(block=["voice"]), "blocked plugin 'voice' for good, and it is required"),
    ],
)
def test_what_was_kept_and_no_host_starts_with_is_one_line_that_names_the_file(
    kept: Any, text: str, said: str
) -> None:
    kept.write("run/state.json", text)

    ran = kept.answer("check")

    assert (ran.status, ran.err, ran.out.count("\n")) == (2, "", 1)
    assert ran.out.startswith("run/state.json")
    assert said in ran.out
    assert not (kept.work / "imported").exists()


def test_a_folder_in_the_place_of_the_file_is_said(kept: Any) -> None:
    (kept.work / "run/state.json").mkdir()

    ran = kept.answer("check")

    assert (ran.status, "run/state.json can't be read" in ran.out) == (2, True)


def test_a_host_would_say_the_same_when_it_starts(kept: Any) -> None:
    kept.write("run/state.json", state(deny=["greet"]))

    checked, started = kept.answer("check"), kept.answer("plugins")

    assert started.status == 2
    assert checked.out.strip() in started.err


@pytest.mark.parametrize("text", [None, state(), state(deny=["other", "gr*"], block=["gone"])])
def test_what_does_no_harm_is_no_mistake(kept: Any, text: str | None) -> None:
    if text is not None:
        kept.write("run/state.json", text)

    assert kept.answer("check").status == 0
