"""Items of a list, and how models and people see them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import attrs
from pegboard import JSON, Failure, GenericCard, Outcome, Text

Status: TypeAlias = Literal["open", "doing", "done"]

_MARKS: Mapping[str, str] = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


@attrs.frozen
class Item:
    """Something to do.

    Attributes:
        id: its number, which never changes and is never given again on this board.
        text: what is to be done.
        status: how far it is.
    """

    id: int
    text: str
    status: Status


@attrs.frozen
class Listing:
    """A list as it is now.

    Attributes:
        items: in their order.
        open: how many are open.
        doing: how many are being done.
        done: how many are done.
        notes: what was left out, or should be known.
    """

    items: list[Item]
    open: int
    doing: int
    done: int
    notes: list[str]

    @classmethod
    def of(cls, items: Iterable[Item], counts: Mapping[str, int], *, cut: int) -> "Listing":
        """A list of which some items are shown, and all are counted.

        Args:
            items: those that are shown.
            counts: how many there are of each status.
            cut: how many of the texts are not whole.
        """
        shown = list(items)
        left = sum(counts.values()) - len(shown)
        notes = [f"items that are not shown: {left}"] if left else []
        if cut:
            notes.append(f"texts that were cut: {cut}")
        if shown and counts.get("done", 0) == len(shown):
            notes.append("everything is done")
        found = {status: counts.get(status, 0) for status in _MARKS}
        return cls(shown, **found, notes=notes)


def rendered(_arguments: Any, value: Any) -> list[Text]:
    """A list for a model, a line each item."""
    return [Text("\n".join(lines_of(value)))]


def lines_of(value: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a list."""
    for item in value["items"]:
        yield f"{_MARKS[item['status']]} {item['id']}: {_line(item['text'])}"
    yield f"({value['open']} open, {value['doing']} doing, {value['done']} done)"
    yield from (f"({note})" for note in value["notes"])


def shown_result(_arguments: dict[str, JSON], outcome: Outcome) -> GenericCard | None:
    """The card of a list; of a failure, the usual one."""
    if isinstance(outcome, Failure):
        return None
    value: Any = outcome.value
    counts = {status: value[status] for status in _MARKS}
    return GenericCard("To do", fields=counts, content="\n".join(lines_of(value)))


def _line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
