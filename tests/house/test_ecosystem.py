"""Without what its tests need, the ecosystem's folder is left alone, and that is said."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_without_a_prepared_folder_nothing_is_collected_and_the_way_is_named() -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/ecosystem"]
    bare = {key: text for key, text in os.environ.items() if key != "PEGBOARD_ECOSYSTEM"}

    ran = subprocess.run(
        command, cwd=REPOSITORY, env=bare, text=True, capture_output=True, check=False
    )

    assert ran.returncode == 5, ran.stdout + ran.stderr
    assert "tests/ecosystem isn't collected" in ran.stdout
    assert "tox run -e ecosystem" in ran.stdout
