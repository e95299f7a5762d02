"""The rules catch what they are there for."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_house.leaks import nothing_is_left

REPOSITORY = Path(__file__).parents[2]


def pytest_over(folder: Path, text: str, *arguments: str, **environment: str) -> str:
    """What pytest prints about one test module under the rules of this repository."""
    (folder / "conftest.py").write_text((REPOSITORY / "tests/conftest.py").read_text())
    (folder / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    options = ["-c", str(REPOSITORY / "pyproject.toml"), *arguments, str(folder)]
    ran = subprocess.run(
        command + options, text=True, capture_output=True, env=os.environ | environment, check=False
    )
    return ran.stdout + ran.stderr


def test_a_thread_that_goes_on_is_named(tmp_path: Path) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="stray")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pegboard_house.leaks.PATIENCE", 0.01)
        with pytest.raises(AssertionError, match="thread 'stray'"), nothing_is_left(tmp_path):
            thread.start()

    stop.set()
    thread.join()


def test_a_thread_that_is_about_to_end_is_waited_for(tmp_path: Path) -> None:
    thread = threading.Timer(0.05, lambda: None)

    with nothing_is_left(tmp_path):
        thread.start()

    assert not thread.is_alive()


def test_an_open_file_is_named(tmp_path: Path) -> None:
    descriptor = None

    with pytest.raises(AssertionError, match=r"open file .*left\.txt"), nothing_is_left(tmp_path):
        descriptor = os.open(tmp_path / "left.txt", os.O_CREAT)

    os.close(descriptor)


@pytest.mark.parametrize("place", [None, "below"], ids=["made by hand", "imported from a test"])
def test_a_module_of_a_test_is_named(tmp_path: Path, place: str | None) -> None:
    module = ModuleType("stray_plugin")
    module.__file__ = place and str(tmp_path / "stray_plugin.py")

    with pytest.raises(AssertionError, match="module 'stray_plugin'"), nothing_is_left(tmp_path):
        sys.modules["stray_plugin"] = module

    del sys.modules["stray_plugin"]


def test_a_longer_import_path_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"another sys\.path"), nothing_is_left(tmp_path):
        sys.path.append(str(tmp_path))

    sys.path.remove(str(tmp_path))


def test_a_test_has_a_home_of_its_own() -> None:
    assert "home-" in os.environ["HOME"]
    assert os.environ["XDG_CACHE_HOME"].startswith(os.environ["HOME"])
    assert not [name for name in os.environ if name.startswith("PEGBOARD_")]


def test_a_connection_that_leaves_the_machine_is_refused() -> None:
    with socket.socket() as client, pytest.raises(OSError, match="this machine only"):
        client.connect(("192.0.2.1", 9))


async def test_a_coroutine_function_runs_in_a_loop_without_debug(tmp_path: Path) -> None:
    await asyncio.sleep(0)

    assert tmp_path.is_dir()
    assert not asyncio.get_running_loop().get_debug()


@given(st.integers())
async def test_a_property_may_be_a_coroutine_function(number: int) -> None:
    await asyncio.sleep(0)

    assert asyncio.current_task() is not None, number


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("await asyncio.sleep(0); assert 1 == 2", "assert 1 == 2"),
        ("asyncio.kept = asyncio.create_task(asyncio.sleep(9))", "tasks are still running"),
        ("asyncio.get_running_loop().call_later(9, print)", "timers are still set"),
        ("asyncio.get_running_loop().call_soon(lambda: 1 / 0); await asyncio.sleep(0)", "nobody"),
    ],
    ids=["assertion", "task", "timer", "callback"],
)
def test_a_coroutine_function_fails_for_what_it_does_and_leaves(
    tmp_path: Path, body: str, words: str
) -> None:
    printed = pytest_over(tmp_path, f"import asyncio\nasync def test_it():\n    {body}\n")

    assert words in printed
    assert "1 failed" in printed


def test_what_needs_absent_shared_cases_is_deselected_and_said(tmp_path: Path) -> None:
    text = "import pytest\n@pytest.mark.shared\ndef test_a(): assert 0\ndef test_b(): pass\n"

    printed = pytest_over(tmp_path, text, PEGBOARD_SHARED=str(tmp_path / "absent"))

    assert "1 passed, 1 deselected" in printed
    assert "tests marked 'shared' are deselected: no folder" in printed


def test_what_needs_the_shared_cases_runs_where_they_are(tmp_path: Path) -> None:
    text = (
        "import pytest\n@pytest.mark.shared\n"
        "def test_a(shared_definitions): assert shared_definitions.is_dir()\n"
    )
    (tmp_path / "cases/definitions").mkdir(parents=True)

    printed = pytest_over(tmp_path, text, PEGBOARD_SHARED=str(tmp_path / "cases"))

    assert "1 passed" in printed
    assert "deselected" not in printed
