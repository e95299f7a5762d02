"""What the documentation shows is what happens."""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import attrs
from pegboard.testing import Site
from pegboard_beside import Beside
from pegboard_house import Block, blocks_of
from pegboard_watched import install_editable

KINDS = {"dockerfile", "python", "text", "console", "sh", "toml", "json", "toctree", "eval-rst"}
"""`text` after `python` is what it prints; `console` shows commands and their output; `sh` is for
the commands of the README that CI runs; the others are files."""


def run(command: list[str], folder: Path) -> str:
    """What a command prints, both ways."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
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


def run_watched(block: Block, folder: Path) -> str:
    """What a console shows of a command that watches an editable project while it is edited.

    The block's note names the project's plugin, its folder, the file, and what is put for what in
    it once the command has shown everything that comes before the first message.
    """
    plugin, project, file, old, new = shlex.split(block.note)[1:]
    module = Path(file).parent.name
    site = Site(folder / "site")
    install_editable(site, folder / project, module, entry_points={plugin: module})
    [(command, shown)] = commands_of(block)
    lines = shown.splitlines()
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=environment() | {"PYTHONPATH": str(site.path)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        late = threading.Timer(60, process.kill)
        late.start()
        assert process.stdout is not None
        printed = f"$ {command}\n"
        for line in lines[:-1]:
            if line.startswith("pegboard: "):
                edited = (folder / file).read_text().replace(old, new)
                (folder / file).write_text(edited)
            printed += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        printed += process.stdout.read()
        late.cancel()
    return re.sub(r" after a change of .*", "", f"{printed}^C\n")  # the system may tell late


def environment() -> dict[str, str]:
    """What commands find around them."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    for part in ("\n" + block.text).split("\n$ ")[1:]:
        command, _, output = part.partition("\n")
        yield command, output if output.endswith("\n") or not output else output + "\n"


def run_console(block: Block, folder: Path, beside: Beside) -> Iterator[tuple[str, str]]:
    """What a console block shows, and what is printed.

    Its note may say that its command `runs on` while the blocks below it run, or that it `ends:`
    the one of those whose words the note has; what that prints until then is shown below.
    """
    commands = list(commands_of(block))
    if block.note == "runs on":
        [(command, shown)] = commands
        yield shown, beside.start(command, lines=shown.count("\n"))
    elif block.note.startswith("ends: "):
        [(command, shown)] = commands
        said = run(["bash", "-c", command], folder)
        yield shown, said + beside.ended(block.note.removeprefix("ends: "))
    else:
        for command, shown in commands:
            yield shown, run(["bash", "-c", command], folder)


def differences(page: Path, folder: Path) -> Iterator[tuple[int, str, str]]:
    """Where a page shows another output than there is: line, shown, real.

    On a page with a command that runs on, what is another in each run isn't compared.
    """
    beside = Beside(folder, environment())
    blocks = blocks_of(page)
    if not any(block.note == "runs on" for block in blocks):
        yield from printed(blocks, folder, beside)
        return
    try:
        real_blocks = [attrs.evolve(block, text=beside.real(block.text)) for block in blocks]
        for line, shown, real in printed(real_blocks, folder, beside):
            yield line, beside.shown(shown), beside.shown(real)
    finally:
        beside.end()


def printed(blocks: list[Block], folder: Path, beside: Beside) -> Iterator[tuple[int, str, str]]:
    """What blocks show and what there is: line, shown, real."""
    for block, following in pairwise([*blocks, None]):
        assert block is not None
        if block.note.startswith("file: "):
            (folder / block.note.removeprefix("file: ")).write_text(block.text)
        elif block.kind == "python":
            shown = following.text if following and following.kind == "text" else ""
            yield block.line, shown, run_python(block, folder)
        elif block.note.startswith("watched: "):
            yield block.line, block.text, run_watched(block, folder)
        elif block.kind == "console":
            for shown, real in run_console(block, folder, beside):
                yield block.line, shown, real


def test_what_a_page_shows_is_what_its_blocks_print(run_page: Path, page_folder: Path) -> None:
    wrong = [
        f"{run_page.name}:{line} shows\n{shown}but there is\n{real}"
        for line, shown, real in differences(run_page, page_folder)
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
