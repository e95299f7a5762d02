"""What the documentation shows is what happens."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pegboard_house import Block, blocks_of

KINDS = {"python", "text", "console", "sh", "toml", "json", "toctree", "eval-rst"}
"""`text` after `python` is what it prints; `console` shows commands and their output; `sh` is for
the commands of the README that CI runs; the others are files."""


def run(command: list[str], folder: Path) -> str:
    """What a command prints, both ways."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    return ran.stdout


def run_python(block: Block, folder: Path) -> str:
    """What a Python block prints."""
    (folder / "_block.py").write_text(block.text)
    printed = run([sys.executable, "_block.py"], folder)
    (folder / "_block.py").unlink()
    return printed


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    for part in ("\n" + block.text).split("\n$ ")[1:]:
        command, _, output = part.partition("\n")
        yield command, output if output.endswith("\n") or not output else output + "\n"


def differences(page: Path, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Where a page shows another output than there is: line, shown, real."""
    for block, following in pairwise([*blocks_of(page), None]):
        assert block is not None
        if block.note.startswith("file: "):
            (folder / block.note.removeprefix("file: ")).write_text(block.text)
        elif block.kind == "python":
            shown = following.text if following and following.kind == "text" else ""
            yield block.line, shown, run_python(block, folder)
        elif block.kind == "console":
            for command, shown in commands_of(block):
                yield block.line, shown, run(["bash", "-c", command], folder)


def test_what_a_page_shows_is_what_its_blocks_print(page: Path, tmp_path: Path) -> None:
    wrong = [
        f"{page.name}:{line} shows\n{shown}but there is\n{real}"
        for line, shown, real in differences(page, tmp_path)
        if shown != real
    ]

    assert not wrong, "\n".join(wrong)


def test_every_block_of_a_page_is_of_a_kind_that_is_run_or_used(page: Path) -> None:
    unknown = {
        f"{page.name}:{block.line} {block.kind!r}"
        for block in blocks_of(page)
        if block.kind.strip("{}") not in KINDS
        or (block.kind == "sh" and not block.note.startswith("command"))
    }

    assert unknown == set()


def test_a_page_speaks_of_no_place_that_a_reader_has_not(page: Path) -> None:
    text = page.read_text()

    assert not [word for word in ("/tmp/", "/home/", "/root/", "TODO") if word in text]
