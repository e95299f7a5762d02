"""What a user interface shows of a call and its outcome; nothing that a tool does stops it."""

import inspect
import logging
import threading
from collections.abc import Callable
from typing import Any

import attrs

from pegboard.cards import Card, DiffCard, GenericCard, OtherCard, TerminalCard
from pegboard.errors import NotJSONError
from pegboard.outcomes import Outcome, ToolCall
from pegboard.records import CARDS, card_from_json
from pegboard.registry import Entry
from pegboard.tools import Tool
from pegboard.values import DEFAULT_LIMITS, JSON, Limits, Snapshot, decode_text
from pegboard.values.content import BLOCKS
from pegboard.values.stack import run_deep

HIDDEN = "…"
"""What stands in the place of a value that must not show."""

_log = logging.getLogger("pegboard.board")
_KINDS = (GenericCard, TerminalCard, DiffCard, OtherCard)
_PATIENCE = 1.0
_LONGEST_TITLE = 80


def present(entry: Entry | None, call: ToolCall, outcome: Outcome | None = None) -> Card:
    """The card of a call, or of its outcome; a generic one where the tool gives none.

    Args:
        entry: the tool as it is now, whatever it was when the call was made; None if it is gone.
        call: the call.
        outcome: how it ended, if it has.
    """
    tool = None if entry is None else entry.tool
    limits = DEFAULT_LIMITS if entry is None else entry.generation.limits
    return run_deep(_present, tool, call, outcome, limits)


def _present(tool: Tool | None, call: ToolCall, outcome: Outcome | None, limits: Limits) -> Card:
    arguments = _arguments(call, limits)
    generic = _generic(tool, call, outcome, _shown(tool, arguments or {}, limits))
    if tool is None or arguments is None:
        return generic
    presenting = _presenting(tool, arguments, outcome, limits)
    if presenting is None:
        return generic
    try:
        return _card(run_deep(presenting), generic)
    except KeyboardInterrupt as error:
        if not _interrupts_itself(presenting):
            raise
        return _fallen_back(generic, call, error)
    except BaseException as error:  # noqa: BLE001 - code of a plugin
        return _fallen_back(generic, call, error)


def _arguments(call: ToolCall, limits: Limits) -> dict[str, JSON] | None:
    """The arguments as they were sent; None where they are no JSON object."""
    sent = call.arguments
    is_blank = sent is None or (isinstance(sent, str) and not sent.strip())
    try:
        taken = None if is_blank else _decoded(sent, limits)
    except NotJSONError:
        return None
    if taken is None:
        return {}
    return taken if isinstance(taken, dict) else None


def _decoded(sent: JSON, limits: Limits) -> JSON:
    return decode_text(sent, limits) if isinstance(sent, str) else Snapshot.of(sent, limits).read()


def _shown(tool: Tool | None, arguments: dict[str, JSON], limits: Limits) -> Snapshot:
    """The arguments without what must not show, or may be such: what the tool doesn't declare."""
    from pegboard.tools.roots import declared_keys  # late, as listing tools needs none of it

    if tool is None:
        return _snapshot(dict.fromkeys(arguments, HIDDEN), limits)
    shown = _without_secrets(tool, arguments)
    declared = None if tool.extra == "keep" else declared_keys(tool.parameters)
    unknown = () if declared is None else shown.keys() - declared
    return _snapshot(shown | dict.fromkeys(unknown, HIDDEN), limits)


def _snapshot(arguments: dict[str, JSON], limits: Limits) -> Snapshot:
    """Arguments as one value; none where hiding some has made it larger than it may be."""
    try:
        return Snapshot.of(arguments, limits)
    except NotJSONError:
        return Snapshot.of({})


def _without_secrets(tool: Tool, arguments: dict[str, JSON]) -> dict[str, JSON]:
    secret = tool.secret_parameters
    return {key: HIDDEN if key in secret else value for key, value in arguments.items()}


def _generic(
    tool: Tool | None, call: ToolCall, outcome: Outcome | None, fields: Snapshot
) -> GenericCard:
    name = call.name[:_LONGEST_TITLE].encode(errors="replace").decode()
    title = name if tool is None or not tool.title else tool.title
    if outcome is None:
        return GenericCard(title, fields=fields)
    blocks: Any = outcome.content
    content = [each for each in blocks if isinstance(each, BLOCKS)]
    return GenericCard(title, fields=fields, content=content, is_error=outcome.is_error)


def _presenting(
    tool: Tool, arguments: dict[str, JSON], outcome: Outcome | None, limits: Limits
) -> Callable[[], Any] | None:
    """Calls the tool's presenter, with copies of its own each time; None where it has none."""
    kept = _snapshot(_without_secrets(tool, arguments), limits)
    by_call, by_result = tool.present_call, tool.present_result
    if outcome is None:
        return None if by_call is None else lambda: by_call(kept.read())
    return None if by_result is None else lambda: by_result(kept.read(), attrs.evolve(outcome))


def _card(given: Any, generic: GenericCard) -> Card:
    """What a presenter gave, as a card.

    Raises:
        TypeError: it is none.
        RecordError: it is a table that lacks something.
    """
    if inspect.iscoroutine(given):
        given.close()
    if given is None:
        return generic
    if type(given) in _KINDS:
        card: Card = given
        return card if card.title else attrs.evolve(card, title=generic.title)
    if not isinstance(given, dict):
        raise TypeError(f"a presenter gave {type(given).__name__}, which is no card")
    kept = Snapshot.of(given).read()
    if kept.get("kind") in CARDS:
        return card_from_json({"title": generic.title, **kept})
    return OtherCard(
        generic.title,
        fields=generic.fields,
        content=generic.content,
        is_error=generic.is_error,
        given=kept,
    )


def _fallen_back(generic: GenericCard, call: ToolCall, error: BaseException) -> GenericCard:
    _log.info("the card of call %r could not be made", call.id, exc_info=error)
    return generic


def _interrupts_itself(presenting: Callable[[], Any]) -> bool:
    """Whether a presenter raises `KeyboardInterrupt` where nobody can have pressed Ctrl-C."""
    found: list[bool] = []

    def run() -> None:
        try:
            presenting()
        except KeyboardInterrupt:
            found.append(True)
        except BaseException:  # noqa: BLE001 - code of a plugin
            return

    thread = threading.Thread(target=run, name="pegboard-present", daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return bool(found)
