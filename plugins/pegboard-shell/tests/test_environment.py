"""What a command finds among its variables."""

from collections.abc import Callable

import pytest
from pegboard import Outcome
from pegboard_shell.environment import DEFAULT_PATH, environment_of, environment_of_python

Call = Callable[..., Outcome]


def test_only_the_variables_of_the_list_pass(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "SECRET")
    monkeypatch.setenv("COLOUR", "green")

    output = call({"command": "env"}, environment=["COLOUR"]).unwrap()["output"]

    names = {line.partition("=")[0] for line in output.splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"COLOUR", "PATH", "TERM", "PEGBOARD_SHELL"}
    assert "SECRET" not in output


@pytest.mark.parametrize("file", ["cmdline", "environ"])
@pytest.mark.parametrize("process", ["$PPID", "$$", "self"])
def test_nothing_of_the_host_is_told_by_a_process_between_it_and_the_command(
    call: Call, monkeypatch: pytest.MonkeyPatch, process: str, file: str
) -> None:
    monkeypatch.setenv("API_KEY", "SECRET")

    value = call({"command": f"tr '\\0' ' ' < /proc/{process}/{file}"}).unwrap()

    assert value["exit_status"] == 0
    assert "SECRET" not in value["output"]


def test_python_finds_its_libraries_where_the_host_does_and_is_told_nothing_else() -> None:
    given = {"LD_LIBRARY_PATH": "/opt/lib", "API_KEY": "SECRET", "HOME": "/home"}

    assert environment_of_python(given) == {"LD_LIBRARY_PATH": "/opt/lib"}


@pytest.mark.parametrize(
    ("path", "sane"),
    [
        ("/opt/bin:/bin", "/opt/bin:/bin"),
        (":/bin::.:bin:~/bin", "/bin"),
        (".", DEFAULT_PATH),
        ("", DEFAULT_PATH),
    ],
)
def test_the_path_holds_absolute_folders_only(path: str, sane: str) -> None:
    assert environment_of(["PATH"], {"PATH": path})["PATH"] == sane


def test_there_is_a_path_even_if_the_list_has_none() -> None:
    assert environment_of([], {"PATH": "/opt/bin"})["PATH"] == DEFAULT_PATH


def test_a_value_that_is_not_utf_8_passes_as_it_is(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLOUR", "gr\udcfcn")

    value = call({"command": 'printf %s "$COLOUR" | od -An -tx1'}, environment=["COLOUR"]).unwrap()

    assert value["output"].split() == ["67", "72", "fc", "6e"]
