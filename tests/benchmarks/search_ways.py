"""Ways of finding tools for requests: the search, and what does without an index."""

from collections.abc import Iterable, Mapping
from itertools import cycle

from pegboard import Board, Tool
from pegboard_search.texts import Texts
from pegboard_search.words import telling, words
from side_by_side import Way

LIMIT = 5


def searching(board: Board, requests: Iterable[str]) -> Way:
    """A call of the search, for one request after the other."""
    given = cycle(requests)

    async def search() -> None:
        (await board.call("tools_search", {"query": next(given)})).unwrap()

    return search


def scanning(tools: Mapping[str, Tool], requests: Iterable[str]) -> Way:
    """What does without an index: read every tool, and count the words that are in it."""
    given = cycle(requests)

    async def scan() -> list[str]:
        return _best({name: Texts.of(name, tools[name]) for name in tools}, next(given))

    return scan


def scanning_what_was_read(tools: Mapping[str, Tool], requests: Iterable[str]) -> Way:
    """The same over texts that were read before."""
    given = cycle(requests)
    texts = {name: Texts.of(name, tools[name]) for name in tools}

    async def scan() -> list[str]:
        return _best(texts, next(given))

    return scan


def _best(texts: Mapping[str, Texts], request: str) -> list[str]:
    wanted = telling(words(request))
    scores = [(_score(text, wanted), name) for name, text in texts.items()]
    return [name for _, name in sorted(scores, reverse=True)[:LIMIT]]


def _score(text: Texts, wanted: list[str]) -> int:
    return sum(
        3 * (each in text.name) + (each in text.says) + (each in text.more) + (each in text.takes)
        for each in wanted
    )
