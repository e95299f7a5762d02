"""The rules of `limits`: which calls each one counts together, and what it says of too many."""

import math
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Literal, TypeAlias

import attrs
from annotated_types import Ge, Le

from pegboard.names import is_name
from pegboard.plugins.builtin.limits_counts import Sheet, Tally
from pegboard.registry import Entry, Scope
from pegboard.registry.masks import Selectors
from pegboard.selection import Select, can_match
from pegboard.tools import Fault, StructureError

Count: TypeAlias = Annotated[int, Ge(1), Le(2**53)]


def _match_tools(_rule: object, _field: object, tools: list[str | Select] | None) -> None:
    if tools == []:
        raise ValueError("no call could match; leave it out for all tools")
    for tool in tools or ():
        if tool == Select():
            raise ValueError('a table says nothing of the tools it means; for all, write "*"')
        if isinstance(tool, str) and not can_match(tool):
            raise ValueError(f"{tool!a} matches no name that a tool can have")


def _match_boards(_rule: object, _field: object, boards: list[str] | None) -> None:
    if boards == []:
        raise ValueError("no call could match; leave it out for all boards")
    for board in boards or ():
        if not can_match(board, is_name=is_name):
            raise ValueError(f"{board!a} matches no name that a board can have")


@attrs.frozen
class LimitRule:
    """One rule, as the operator writes it.

    Attributes:
        tools: selectors of the tools whose calls count; all of them if left out.
        boards: names and patterns of the boards whose calls count; all of them if left out.
        per: what has a count of its own: each `board`, each `tool`, or each of both; all calls are
            counted together if empty.
        calls: how many calls there may be in the whole life of what is counted.
        per_minute: how many may begin within any 60 seconds.
        running: how many may run at once.
    """

    tools: list[str | Select] | None = attrs.field(default=None, validator=_match_tools)
    boards: list[str] | None = attrs.field(default=None, validator=_match_boards)
    per: list[Literal["board", "tool"]] = attrs.Factory(lambda: ["board"])
    calls: Count | None = None
    per_minute: Count | None = None
    running: Count | None = None

    def __attrs_post_init__(self) -> None:
        if all(each is None for each in (self.calls, self.per_minute, self.running)):
            raise ValueError("it limits nothing; say calls, per_minute, running, or several")

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from rules that count other calls; its figures don't matter."""
        named = (self.tools, self.boards, self.per)
        return tuple(None if each is None else frozenset(each) for each in named)


@attrs.frozen
class LimitsSettings:
    """The settings of the plugin.

    Attributes:
        rules: the rules; every one that means a call must let it pass.
    """

    rules: list[LimitRule] = attrs.Factory(list)

    def __attrs_post_init__(self) -> None:
        keys = [each.key for each in self.rules]
        text = "it counts the same calls; make one rule of it and rules[{}]"
        faults = [
            Fault.at(("rules", at), text.format(first), other=("rules", first))
            for at, key in enumerate(keys)
            for first in [keys.index(key)]
            if first != at
        ]
        if faults:
            raise StructureError(faults)


@attrs.frozen
class Refusal:
    """Why one more call would be too many.

    Attributes:
        message: what the model reads.
        wait: seconds until it may be tried again; infinite where it can't be.
    """

    message: str
    wait: float


@attrs.frozen(eq=False)
class Rule:
    """One rule at work.

    Attributes:
        said: what the operator wrote.
        sheet: what was counted so far.
    """

    said: LimitRule
    sheet: Sheet
    _selectors: Selectors | None = attrs.field(init=False)

    @_selectors.default
    def _compiled(self) -> Selectors | None:
        return None if self.said.tools is None else Selectors(self.said.tools)

    def concerns(self, entry: Entry) -> bool:
        """Whether calls of a tool may count."""
        return self._selectors is None or self._selectors.match(entry)

    def covers(self, entry: Entry, board: str) -> bool:
        """Whether the calls of a tool on a board count."""
        boards = self.said.boards
        is_meant = boards is None or any(fnmatchcase(board, each) for each in boards)
        return is_meant and self.concerns(entry)

    def tally(self, tool: str, scope: Scope, now: float) -> Tally:
        """Where the calls of a tool on a board are counted."""
        said = self.said
        return self.sheet.tally(
            scope if "board" in said.per else None,
            tool if "tool" in said.per else "",
            now,
            is_kept=said.calls is not None,
        )

    def excess(self, tally: Tally, tool: str, now: float) -> Iterator[Refusal]:
        """Why one more call of a tool would be one too many."""
        said = self.said
        if said.calls is not None and tally.calls >= said.calls:
            text = f"at most {_calls(said.calls)}{self._of(tool)} may be made{self._where}"
            yield Refusal(f"{text}; {self._again(tally, said.calls)}", math.inf)
        if said.per_minute is not None:
            wait = tally.wait(said.per_minute, now)
            if wait > 0:
                text = f"at most {_calls(said.per_minute)}{self._of(tool)} may be made in a minute"
                is_held = tally.coming() >= said.per_minute
                sooner = ", or once one of them is cancelled before it begins" if is_held else ""
                seconds = math.ceil(wait)
                yield Refusal(f"{text}{self._where}; try again in {seconds} s{sooner}", wait)

    def _again(self, tally: Tally, most: int) -> str:
        """Whether one more call may ever be tried: one that has not begun may be given back."""
        if tally.calls - tally.coming() < most:
            return "try again only if one of them is cancelled before it begins"
        again = (
            "on this board any more" if "board" in self.said.per else "as long as this host runs"
        )
        return f"don't try again, not {again}"

    def crowding(self, tally: Tally, tool: str) -> Iterator[Refusal]:
        """Why one more call of a tool could have no place."""
        most = self.said.running
        if most is not None and tally.running >= most:
            text = f"at most {_calls(most)}{self._of(tool)} may run at once{self._where}"
            yield Refusal(f"{text}; try again once one of them has ended", 0)

    def _of(self, tool: str) -> str:
        if "tool" in self.said.per:
            return f" of {tool!r}"
        return "" if self.said.tools is None else f" of {_listed(map(_shown, self.said.tools))}"

    @property
    def _where(self) -> str:
        if "board" in self.said.per:
            return " on this board"
        if self.said.boards is None:
            return " on all boards together"
        return f" on the boards {_listed(map(repr, self.said.boards))} together"


def most_lasting(refusals: Iterable[Refusal]) -> Refusal | None:
    """Of several, the one that lasts longest; None if there is none."""
    return max(refusals, key=lambda each: each.wait, default=None)


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"


def _shown(tool: str | Select) -> str:
    if isinstance(tool, str):
        return repr(tool)
    said = attrs.asdict(tool, filter=lambda _, value: value not in (None, frozenset()))
    parts = (f"{key} = {_value(value)}" for key, value in said.items())
    return f"tools with {', '.join(parts)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
