"""Whole processes, timed in turns within one run, so that only ratios have to be trusted."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

import attrs

BARE = "starting Python"


@attrs.frozen
class Command:
    """What one process runs.

    Attributes:
        words: the command line.
        environment: what it gets beside the environment of all.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = attrs.field(factory=dict)

    @classmethod
    def of(cls, program: str, *words: str, **environment: str) -> "Command":
        """The interpreter of this process with the text of a program."""
        return cls((sys.executable, "-c", program, *words), environment)


@attrs.frozen
class Room:
    """A folder in which processes run, with nothing of the user's in their environment.

    Attributes:
        folder: the folder.
        path: what is on their import path beside the usual.
    """

    folder: Path
    path: str = ""

    def output(self, command: Command) -> bytes:
        """What a command prints; it must end well, and say nothing."""
        ran = self._run(command, self._all(command))
        assert ran.stderr == b"", ran.stderr.decode()
        return ran.stdout

    def imported(self, command: Command) -> set[str]:
        """The modules that a command imports."""
        said = self._run(command, self._all(command) | {"PYTHONPROFILEIMPORTTIME": "1"}).stderr
        return {line.rpartition("|")[2].strip() for line in said.decode().splitlines()}

    def milliseconds(self, command: Command) -> float:
        """The time from starting a command to its end."""
        environment = self._all(command)
        begun = time.perf_counter()
        subprocess.run(
            command.words, cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL
        )
        return (time.perf_counter() - begun) * 1e3

    def _run(
        self, command: Command, environment: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            command.words, cwd=self.folder, env=environment, check=True, capture_output=True
        )

    def _all(self, command: Command) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PEGBOARD_"))}
        own = {
            "HOME": str(self.folder),
            "PYTHONPATH": self.path,
            "PYTHONPYCACHEPREFIX": str(self.folder.parent / "bytecode"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
        return kept | own | command.environment


@attrs.frozen
class Figures:
    """Milliseconds of every command, in the order of the rounds.

    Attributes:
        rounds: of each command, and of `starting Python`.
    """

    rounds: Mapping[str, Sequence[float]]

    def wall(self, name: str) -> float:
        """The median of a command's rounds."""
        return median(self.rounds[name])

    def net(self, name: str) -> float:
        """The same without what starting Python takes: the median of the differences."""
        return median(self._net(name))

    def ratio(self, name: str, beside: str) -> float:
        """How many times `beside` a command takes, both without starting Python."""
        pairs = zip(self._net(name), self._net(beside), strict=True)
        return median(one / other for one, other in pairs)

    def wall_ratio(self, name: str, beside: str) -> float:
        """How many times `beside` a command takes, both with starting Python."""
        pairs = zip(self.rounds[name], self.rounds[beside], strict=True)
        return median(one / other for one, other in pairs)

    def table(self, title: str, *besides: str) -> str:
        """A table in Markdown, every command beside some of them."""
        columns = "".join(f" × {beside} |" for beside in besides)
        head = f"| {title} | wall ms | p10–p90 | net ms |{columns}"
        rule = f"|---|---:|---:|---:|{'---:|' * len(besides)}"
        return "\n".join([head, rule, *(self._row(name, besides) for name in self.rounds)])

    def _row(self, name: str, besides: Sequence[str]) -> str:
        tenths = quantiles(self.rounds[name], n=10)
        row = f"| {name} | {self.wall(name):.1f} | {tenths[0]:.1f}–{tenths[-1]:.1f} |"
        if name == BARE:
            return f"{row} |{' |' * len(besides)}"
        ratios = "".join(f" {self.ratio(name, beside):.3g} |" for beside in besides)
        return f"{row} {self.net(name):.1f} |{ratios}"

    def _net(self, name: str) -> list[float]:
        pairs = zip(self.rounds[name], self.rounds[BARE], strict=True)
        return [max(whole - bare, 0.01) for whole, bare in pairs]


def measure(commands: Mapping[str, Command], room: Room, *, rounds: int) -> Figures:
    """Run each command once in every round, in a new order each time; once before isn't counted."""
    all_commands = {BARE: Command.of("pass"), **commands}
    taken: dict[str, list[float]] = {name: [] for name in all_commands}
    order, dice = list(all_commands), random.Random(1)
    for command in all_commands.values():
        room.milliseconds(command)
    for _ in range(rounds):
        dice.shuffle(order)
        for name in order:
            taken[name].append(room.milliseconds(all_commands[name]))
    return Figures(taken)
