"""What importing pegboard costs beside starting Python."""

import subprocess
import sys
import time
from statistics import median

import pytest


def milliseconds(program: str) -> float:
    """The median of what a fresh interpreter takes."""
    rounds = []
    for _ in range(9):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", program], check=True)
        rounds.append((time.perf_counter() - begun) * 1e3)
    return median(rounds)


def test_importing_pegboard_beside_starting_python(capsys: pytest.CaptureFixture[str]) -> None:
    bare, imported = milliseconds("pass"), milliseconds("import pegboard")

    with capsys.disabled():
        print(f"\nPython {bare:.0f} ms, with pegboard {imported:.0f} ms")
