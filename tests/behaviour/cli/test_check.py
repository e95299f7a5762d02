"""`check` says what is wrong with a configuration, and imports no plugin."""

from typing import Any

import pytest

LOUD = "print('imported')\nopen('imported', 'w').close()\n"
WRONG = """bolck = ["voice"]
required = "voice"

[boards.one]
parent = "two"
"""


@pytest.fixture
def loud(bare: Any) -> Any:
    """A desk with a plugin that is seen when it is imported."""
    bare.install("voice", LOUD)
    return bare


def test_a_configuration_without_mistakes_is_exit_status_0_and_no_result(loud: Any) -> None:
    loud.write("pegboard.toml", 'required = ["voice"]\n[plugins.voice]\n[plugins.deadline]\n')

    ran = loud.answer("check")

    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "pegboard: nothing is wrong with pegboard.toml\n"
    assert not (loud.work / "imported").exists()


def test_every_mistake_is_one_line_with_its_place(loud: Any) -> None:
    loud.write("pegboard.toml", WRONG)

    ran = loud.answer("check")

    assert (ran.status, ran.err) == (2, "")
    assert sorted(line[:16] for line in ran.out.splitlines()) == [
        "pegboard.toml:1:",
        "pegboard.toml:2:",
        "pegboard.toml:5:",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[plugins.voicee]\n", "pegboard.toml:1: no plugin 'voicee' is installed; did you mean"),
        ('required = ["vioce"]\n', "pegboard.toml:1: no plugin 'vioce' is installed; did you"),
        (
            'required = ["voice"]\nblock = ["voice"]\n',
            "pegboard.toml:1: plugin 'voice' is required, and kept out as well",
        ),
        ("[mcp.deadline]\n", "pegboard.toml:1: 'deadline' is a built-in plugin"),
        ("block = [\n", "pegboard.toml isn't TOML"),
        (
            "[[plugins.limits.rules]]\ncalls = 0\n",
            "pegboard.toml:2: settings of plugin 'limits': $.rules[0].calls must be at least 1",
        ),
        (
            "[plugins.repeats]\nafte = 3\n",
            "pegboard.toml:2: settings of plugin 'repeats': $.afte isn't declared",
        ),
    ],
)
def test_what_no_host_could_start_with_is_a_mistake(loud: Any, text: str, expected: str) -> None:
    loud.write("pegboard.toml", text)

    ran = loud.answer("check")

    assert (ran.status, ran.out.count("\n")) == (2, 1)
    assert ran.out.startswith(expected)
    assert not (loud.work / "imported").exists()


def test_settings_of_a_built_in_plugin_that_is_kept_out_do_no_harm(loud: Any) -> None:
    loud.write("pegboard.toml", 'block = ["limits"]\n[[plugins.limits.rules]]\ncalls = 0\n')

    ran = loud.answer("check")

    assert (ran.status, ran.out) == (0, "")


def test_an_mcp_server_needs_the_package_that_attaches_it(
    loud: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.cli.checking.find_spec", lambda _: None)
    loud.write("pegboard.toml", '[mcp.time]\ntarget = "mcp-time"\n')

    ran = loud.answer("check")

    assert (ran.status, "pip install pegboard-mcp" in ran.out) == (2, True)


def test_what_may_be_meant_so_is_a_message(loud: Any) -> None:
    loud.write("pegboard.toml", 'block = ["absent"]\nlock = "pegboard.lock"\n')

    ran = loud.answer("check")

    assert (ran.status, ran.out) == (0, "")
    assert "pegboard.toml:1: no plugin 'absent' is installed" in ran.err
    assert "pegboard.toml:2: there is no lock file pegboard.lock" in ran.err


def test_programs_get_one_object(loud: Any) -> None:
    loud.write("other.toml", 'block = ["absent"]\n[plugins.voicee]\n')

    ran = loud.answer("check", "--config", "other.toml", "--json")

    assert (ran.status, ran.err, ran.json["file"]) == (2, "", "other.toml")
    assert [len(ran.json[each]) for each in ("mistakes", "notes")] == [1, 1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [((), "there is no pegboard.toml here"), (("--config", "non.toml"), "'non.toml'")],
)
def test_no_configuration_at_all_is_a_mistake(
    bare: Any, words: tuple[str, ...], expected: str
) -> None:
    ran = bare.answer("check", *words)

    assert (ran.status, ran.out) == (2, "")
    assert expected in ran.err


def test_a_table_that_only_keeps_out_is_noted(loud: Any) -> None:
    loud.write("pegboard.toml", 'only = ["voice"]\n[plugins.limits]\n[plugins.voice]\n')

    ran = loud.answer("check")

    assert ran.status == 0
    assert "pegboard.toml:2: [plugins.limits] means nothing, since `only` keeps it out" in ran.err
    assert "[plugins.voice]" not in ran.err
