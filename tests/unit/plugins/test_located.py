"""Where an error of a plugin was raised stands in its message, whatever the working folder is."""

from pathlib import Path

import pytest
from pegboard.plugins.loadthread import located


def raised(file: str) -> BaseException:
    """An error that code of a file has raised."""
    try:
        exec(compile("1 / 0", file, "exec"), {"__name__": "broken"})
    except ZeroDivisionError as error:
        own = error.__traceback__
        return error.with_traceback(None if own is None else own.tb_next)
    raise AssertionError


def test_a_file_below_the_working_folder_is_told_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    told = located(raised(f"{tmp_path}/src/broken.py"))

    assert told == "ZeroDivisionError: division by zero (src/broken.py:1)"


def test_where_the_working_folder_is_gone_the_file_is_told_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert located(raised("/x/broken.py")).endswith("division by zero (/x/broken.py:1)")
