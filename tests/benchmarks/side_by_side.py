"""Ways of doing the same, timed in turns within one run, so that only ratios have to be trusted."""

import asyncio
import gc
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median, quantiles

import attrs

Way = Callable[[], Awaitable[object]]
Clock = Callable[[], int]

ROUNDS = 41
BLOCK = 2_000_000
"""Nanoseconds of one block: shorter than a scheduler's slice, so that few blocks are torn."""

WARMING = 10
"""Calls before each block that aren't counted, so that nobody pays for what went before."""


@attrs.frozen
class Figures:
    """Microseconds a call, of every way and in the order of the rounds."""

    rounds: Mapping[str, Sequence[float]]

    def microseconds(self, way: str) -> float:
        """The median of a way's rounds."""
        return median(self.rounds[way])

    def per(self, count: int) -> "Figures":
        """The same for one of `count` equal parts of each way."""
        return Figures({way: [each / count for each in self.rounds[way]] for way in self.rounds})

    def ratio(self, way: str, beside: str) -> float:
        """How many times `beside` a way takes: the median of the ratios within each round."""
        pairs = zip(self.rounds[way], self.rounds[beside], strict=True)
        return median(one / other for one, other in pairs)

    def added(self, way: str, over: str, *, beside: str) -> float:
        """How many times `beside` a way takes more than another."""
        rounds = zip(self.rounds[way], self.rounds[over], self.rounds[beside], strict=True)
        return median((one - other) / unit for one, other, unit in rounds)

    def table(self, title: str, beside: str, *, unit: str = "µs") -> str:
        """A table in Markdown, every way beside one of them."""
        head = f"| {title} | median {unit} | p10–p90 | × {beside} |"
        return "\n".join([head, "|---|---:|---:|---:|", *map(self._row(beside), self.rounds)])

    def _row(self, beside: str) -> Callable[[str], str]:
        def row(way: str) -> str:
            tenths = quantiles(self.rounds[way], n=10)
            spread = f"{tenths[0]:.3g}–{tenths[-1]:.3g}"
            ratio = self.ratio(way, beside)
            return f"| {way} | {self.microseconds(way):.3g} | {spread} | {ratio:.3g} |"

        return row


async def measure(
    ways: Mapping[str, Way],
    *,
    rounds: int = ROUNDS,
    warming: int = WARMING,
    pause: float = 0.0,
    clock: Clock = time.process_time_ns,
) -> Figures:
    """Time each way once in every round, in a new order each time.

    Args:
        ways: what to time, by its name in the table.
        rounds: how many rounds.
        warming: calls before each block that aren't counted.
        pause: seconds between those and the block, for ways that leave something to be done.
        clock: nanoseconds; by default processor time of this process, so that what others run
            beside it hardly counts.
    """
    counts = {name: await _calls_of_a_block(way, clock) for name, way in ways.items()}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    order, dice = list(ways), random.Random(1)
    with _settled_memory():
        for _ in range(rounds):
            dice.shuffle(order)
            for name in order:
                block = await _block(ways[name], counts[name], clock, warming, pause)
                taken[name].append(block / 1000)
    return Figures(taken)


async def _block(
    way: Way, count: int, clock: Clock, warming: int = WARMING, pause: float = 0.0
) -> float:
    for _ in range(warming):
        await way()
    if pause:
        await asyncio.sleep(pause)
    begun = clock()
    for _ in range(count):
        await way()
    return (clock() - begun) / count


async def _calls_of_a_block(way: Way, clock: Clock) -> int:
    if await _block(way, 1, clock, warming=1) >= BLOCK:
        return 1
    taken = min([await _block(way, 20, clock) for _ in range(5)])
    return max(1, round(BLOCK / taken))


@contextmanager
def _settled_memory() -> Iterator[None]:
    """Keep what stands already out of the collector's way."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
