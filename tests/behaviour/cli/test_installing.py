"""What `install` and `uninstall` refuse, before anything is run."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("install", "--index-url=http://127.0.0.1:9", "gauge"), "no such option: --index-url"),
        (("install", "-r", "x.txt"), "no such option: -r"),
        (("install", "gauge", "-U"), "no such option: -U"),
        (("install", "-"), "'-' is no distribution; options of pip or uv come after --"),
        (("install", ""), "'' is no distribution"),
        (("install", "--", "gauge"), "missing argument"),
        (("install", "gauge", "--using", "conda"), "'conda' is not one of"),
        (("uninstall", "pegboad"), "no distribution 'pegboad' is installed; did you mean"),
        (("uninstall", "mcp-none"), "no distribution 'mcp-none' is installed"),
        (("uninstall", "PegBoard"), "pegboard doesn't uninstall itself"),
        (("uninstall", "./x"), "'./x' isn't the name of a distribution"),
    ],
)
def test_what_is_no_distribution_is_refused(desk: Any, words: tuple[str, ...], said: str) -> None:
    ran = desk.run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_configuration_with_mistakes_is_refused_before_anything_is_installed(desk: Any) -> None:
    desk.write("pegboard.toml", "only = 3\n")

    ran = desk.answer("install", "gauge")

    assert (ran.status, ran.out) == (2, "")
    assert "pegboard.toml:1" in ran.err
