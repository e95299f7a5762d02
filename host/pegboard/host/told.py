"""What the configuration says of the open boards: what each hides, and how it shows the rest."""

import attrs

from pegboard.board import Engine, RunCode
from pegboard.config import PRESENTATIONS, BoardConfig, Config, Place
from pegboard.errors import BoardError
from pegboard.programs import RUNTIME_WANTED
from pegboard.registry import Presentation, Registration, Restriction, Scope
from pegboard.selection import Selector

NATIVE, BOTH = "native", "both"
_RUNTIME = "code"
"""The name of the plugin that gives a code runtime, unless another one does."""


@attrs.frozen(eq=False)
class _Mask:
    """What the configuration hides on one board."""

    restriction: Restriction
    registration: Registration


@attrs.define(eq=False)
class _Seat:
    """One board.

    Attributes:
        scope: where it stands.
        said: what the configuration says of it.
        asked: how it shows its tools, where the program has said so.
        mask: what hides some of them, if anything.
    """

    scope: Scope
    said: BoardConfig | None
    asked: str | None
    mask: _Mask | None = None


class Told:
    """What a configuration says of the boards of one host, kept for those that are open.

    Attributes:
        config: the configuration.
    """

    def __init__(self, config: Config, engine: Engine) -> None:
        self.config = config
        self._engine = engine
        self._offer = RunCode(engine).offer
        self._seats: dict[str, _Seat] = {}

    def say(self, scope: Scope, said: BoardConfig | None, *, asked: str | None) -> None:
        """Hide on a new board what is said of it, and show its tools as is said; it was checked.

        Raises:
            BoardError: there is no such presentation, or nothing runs the programs that it is for.
        """
        name = str(scope.name)
        if asked is not None and asked not in PRESENTATIONS:
            known = ", ".join(map(repr, PRESENTATIONS))
            raise BoardError(f"board {name!r}: presentation is one of {known}, not {asked!r}")
        seat = _Seat(scope, said, asked)
        kind = self._kind(seat)
        if kind != NATIVE and not scope.chains().runtimes:
            raise BoardError(self._unrunnable(name, kind))
        self._seats[name] = seat
        self._present(seat)
        self._mask(name, seat)

    def _unrunnable(self, name: str, kind: str) -> str:
        place = self.config.place("boards", self._key(name), "presentation")
        where = "" if place is None else f"{place}: "
        lost = self._engine.plugins.known.failures()
        why = "".join(f"; plugin {each!r} failed: {text}" for each, text in lost.items())
        lack = "and no plugin gives a code runtime"
        if self.config.keeps_out(_RUNTIME):
            lack += f" (block or only keeps plugin {_RUNTIME!r} out)"
        return f"{where}board {name!r} has presentation {kind!r}, {lack}; {RUNTIME_WANTED}{why}"

    def forget(self, name: str) -> None:
        """Say nothing more of a board."""
        self._seats.pop(name, None)

    def _mask(self, name: str, seat: _Seat) -> None:
        seat.mask = None
        allow, deny = sides(seat.said)
        if allow is not None or deny:
            hidden = Restriction(allow, deny, self._origin(name), self._places(name, deny))
            seat.mask = _Mask(hidden, self._engine.restrict(seat.scope, hidden))

    def _kind(self, seat: _Seat) -> str:
        """How a board shows its tools: as the nearest on its chain that says something."""
        at: _Seat | None = seat
        while at is not None:
            own = at.asked or (at.said.presentation if at.said is not None else None)
            if own is not None:
                return own
            above = at.scope.parent
            at = None if above is None or above.name is None else self._seats[above.name]
        return NATIVE

    def _present(self, seat: _Seat) -> None:
        """Have a board show its tools as is said by now."""
        kind, scope = self._kind(seat), seat.scope
        if kind == NATIVE and scope.presentation is None:
            return
        shown = None if kind == NATIVE else Presentation(kind == BOTH, self._offer)
        scope.present(shown)

    def _key(self, name: str) -> str:
        return name if name in self.config.boards else "*"

    def _origin(self, name: str) -> str:
        return f"board {self._key(name)!r}"

    def _places(self, name: str, deny: tuple[Selector, ...]) -> tuple[tuple[str, Place], ...]:
        """Where each side of the mask of a board stands in the file."""
        at = ("boards", self._key(name))
        places = {
            "allow": self.config.place(*at, "allow"),
            **{f"deny:{each}": self.config.place(*at, "deny") for each in deny},
        }
        return tuple((side, place) for side, place in places.items() if place is not None)

    def differing(self, config: Config) -> tuple[str, ...]:
        """The open boards of which another configuration says something else."""
        found = (
            name
            for name, seat in self._seats.items()
            if _applied(seat.said) != _applied(self._saying(name, config))
        )
        return tuple(sorted(found))

    def _saying(self, name: str, config: Config) -> BoardConfig | None:
        """What a configuration says of an open board; what held before where it can't know it."""
        return self._seats[name].said if self.is_unknown(name, config) else config.board(name)

    @staticmethod
    def is_unknown(name: str, config: Config) -> bool:
        """Whether a configuration doesn't know a board, and no other boards than it knows."""
        return config.board(name) is None and config.unknown_boards == "refuse"

    def configure(self, config: Config) -> list[Registration]:
        """Follow another configuration from now on, each open board in one step.

        Returns:
            what hides what was hidden before, to be closed.
        """
        differing, self.config = self.differing(config), config
        lifted = [each for name in differing for each in self.say_anew(name)]
        for seat in self._seats.values():
            self._present(seat)
        for name, seat in self._seats.items():
            if seat.mask is not None and not self.is_unknown(name, config):
                seat.mask.restriction.origin = self._origin(name)
                seat.mask.restriction.places = self._places(name, seat.mask.restriction.deny)
        return lifted

    def say_anew(self, name: str) -> list[Registration]:
        """Hide on an open board what is configured now, too; gives what hides the rest."""
        seat = self._seats[name]
        before, seat.said = seat.mask, self._saying(name, self.config)
        self._mask(name, seat)
        self._present(seat)
        return [] if before is None else [before.registration]


def sides(said: BoardConfig | None) -> tuple[tuple[Selector, ...] | None, tuple[Selector, ...]]:
    """What of the inherited tools is admitted, and what is hidden."""
    return (None, ()) if said is None else (said.allow, said.deny)


def _applied(said: BoardConfig | None) -> object:
    """What an open board follows of what is said of it."""
    return *sides(said), None if said is None else said.presentation
