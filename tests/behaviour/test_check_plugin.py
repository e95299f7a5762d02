"""`check_plugin` as authors use it: in a test module that pytest collects."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = '''
from pegboard import ToolAnnotations, hookimpl, tool
from pegboard.testing import check_plugin

@tool(annotations=ToolAnnotations(read_only=True))
def say(value: str) -> str:
    """Say it.

    Args:
        value: What.
    """
    return value

class Voice:
    @hookimpl
    def pegboard_tools(self):
        return [say]
'''
CHECKS = 13


def pytest_over(folder: Path, text: str, *options: str) -> str:
    """What pytest prints of one test module, under an author's strictest settings."""
    (folder / "test_voice.py").write_text(PLUGIN + text)
    command = [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [*command, "--rootdir", folder, *options, folder / "test_voice.py"],
        text=True,
        capture_output=True,
        cwd=folder,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("name", ["TestVoice", "test_voice", "voice"])
def test_checks_are_collected_under_any_name(tmp_path: Path, name: str) -> None:
    printed = pytest_over(tmp_path, f"{name} = check_plugin(Voice())\n")

    assert f"{CHECKS} passed in" in printed, printed


def test_an_author_s_own_tests_may_stand_beside_the_checks(tmp_path: Path) -> None:
    text = "class TestVoice(check_plugin(Voice())):\n    def test_more(self): pass\n"

    assert f"{CHECKS + 1} passed in" in pytest_over(tmp_path, text)


def test_what_fails_is_told_without_the_insides_of_the_kit(tmp_path: Path) -> None:
    text = (
        "from pegboard import Tool\nsay = Tool(name='say', parameters=say.parameters, run=print)\n"
    )

    printed = pytest_over(tmp_path, f"{text}TestVoice = check_plugin(Voice())\n", "--tb=short")

    assert "E   AssertionError: tool 'say' of plugin 'Voice' has no description" in printed
    assert [word for word in ("asyncio", "checks.py", "life.py") if word in printed] == []


def test_checks_that_are_made_inside_a_test_fail_there(tmp_path: Path) -> None:
    printed = pytest_over(tmp_path, "def test_it():\n    check_plugin(Voice())\n")

    assert "PegboardError: check_plugin gives a class of tests" in printed
    assert "1 failed in" in printed


def test_the_kit_does_not_import_pytest() -> None:
    script = "import sys, pegboard.testing; sys.exit('pytest' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
