"""`call` and `run`: what comes back when tools are called."""

from collections.abc import Sequence
from pathlib import Path

import attrs

from pegboard import Board, Code, Failure, Host, Outcome
from pegboard.cli.again import again
from pegboard.cli.approving import approving
from pegboard.cli.asked import Asked, opened_board
from pegboard.cli.content import in_words
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.reading import arguments_of, message_of
from pegboard.cli.shapes import format_of
from pegboard.cli.streams import Streams, legible
from pegboard.cli.waiting import waiting
from pegboard.records import to_json


async def call(
    streams: Streams, *, asked: Asked, name: str, word: str | None, approve: str | None
) -> int:
    """Call one tool and print what it gave; its failure is a message."""
    config = asked.read_config()
    calling = Calling(name, arguments_of(word, config.limits), approve)
    async with opened_board(streams, config, asked.board) as (host, board):
        outcome = await calling.answered(host, board, streams)
    _print_outcome(outcome, streams, is_json=asked.is_json)
    if _is_unknown(outcome):
        return 2
    return int(outcome.is_error)


async def call_again(
    streams: Streams, *, asked: Asked, name: str, word: str | None, approve: str | None
) -> int:
    """The same again after each change on disk, until somebody stops it."""
    calling = Calling(name, arguments_of(word, asked.read_config().limits), approve)

    async def once(host: Host, board: Board) -> None:
        outcome = await calling.answered(host, board, streams)
        _print_outcome(outcome, streams, is_json=asked.is_json, is_one_of_many=True)

    return await again(streams, asked=asked, once=once)


@attrs.frozen
class Calling:
    """One call as somebody typed it.

    Attributes:
        name: the tool.
        arguments: the text of its arguments, if there is one.
        approve: how to answer what needs an approval.
    """

    name: str
    arguments: str | None
    approve: str | None

    async def answered(self, host: Host, board: Board, streams: Streams) -> Outcome:
        """What the call gives; where there is no such tool, what may be the reason is said."""
        async with waiting(streams, self.name) as shown:
            with approving(host, streams, shown, self.approve):
                outcome = await board.call(self.name, self.arguments, on_progress=shown.tell)
        if _is_unknown(outcome):
            warn_of_failures(host, streams)
        return outcome


def _print_outcome(
    outcome: Outcome, streams: Streams, *, is_json: bool, is_one_of_many: bool = False
) -> None:
    if is_json:
        print_json(to_json(outcome), streams, is_one_of_many=is_one_of_many)
    elif not isinstance(outcome, Failure):
        text = in_words(outcome.content)
        streams.result(legible(text, keep="\n\t") if streams.is_terminal else text)
    for note in outcome.notes:
        streams.message(note)
    if isinstance(outcome, Failure):
        message = outcome.message if _is_unknown(outcome) else f"{outcome.code}: {outcome.message}"
        streams.message(message)


async def run(
    streams: Streams, *, asked: Asked, path: Path, format_name: str | None, approve: str | None
) -> int:
    """Answer every call of a message, and print the results in its provider's shape."""
    config = asked.read_config()
    message = message_of(path, config.limits)
    shape = format_of(message, format_name)
    shape.calls(message)
    async with opened_board(streams, config, asked.board) as (host, board):
        calls = shape.calls(message, board)
        async with waiting(streams, str(path)) as shown:
            with approving(host, streams, shown, approve):
                outcomes = await board.run(calls, on_progress=shown.tell)
        if any(map(_is_unknown, outcomes)):
            warn_of_failures(host, streams)
    print_json(shape.results(outcomes), streams)
    return _say_what_failed(outcomes, streams)


def _say_what_failed(outcomes: Sequence[Outcome], streams: Streams) -> int:
    failed = [each for each in outcomes if isinstance(each, Failure)]
    if failed:
        named = ", ".join(f"{each.call_id} {each.code}" for each in failed)
        streams.message(f"{len(failed)} of {len(outcomes)} calls failed: {named}")
    return int(bool(failed))


def _is_unknown(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.code is Code.UNKNOWN_TOOL
