"""The README is short, and its commands are those that CI runs."""

import subprocess
from pathlib import Path

from pegboard_house import blocks_of

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "README.md"


def test_the_readme_has_fewer_than_500_words() -> None:
    assert len(README.read_text().split()) < 500


def test_the_readme_has_two_commands_of_one_line() -> None:
    commands = {block.note: block.text for block in blocks_of(README) if block.kind == "sh"}

    assert sorted(commands) == ["command 1", "command 2"]
    assert [text.count("\n") for text in commands.values()] == [1, 1]


def test_ci_takes_its_commands_out_of_the_readme() -> None:
    script = (REPOSITORY / ".ci/run").read_text()
    function = script[script.index("command_of_readme()") : script.index("\nstep()")]

    for block in blocks_of(README):
        if block.kind == "sh":
            ask = f"{function}\ncommand_of_readme {block.note.split()[1]}"
            ran = subprocess.run(["bash", "-c", ask], cwd=REPOSITORY, stdout=-1, check=True)
            assert ran.stdout.decode() == block.text
