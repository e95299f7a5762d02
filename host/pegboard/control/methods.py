"""From the name of a method and its params to what is done."""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import attrs

from pegboard.control.asking import Boards, Explain, Plugins, Running, Served, Status, Tools
from pegboard.control.bounds import MOST_ITEMS, MOST_KEYS
from pegboard.control.changing import Allow, Cancel, Deny, Load, Reload, Sync, Unload
from pegboard.control.frames import Request, check_keys, near, shown
from pegboard.control.peers import Peer
from pegboard.errors import ControlError, PegboardError
from pegboard.events import OperatorActed
from pegboard.tools import Converter, StructureError, structure
from pegboard.values import JSON

_LONGEST = 64
_NAMES = ("name", "board", "plugin", "distribution")
_CUT_OFF = "the host has ended meanwhile; it may have been done"


class Method(Protocol):
    """A request whose params are right."""

    @property
    def is_changing(self) -> bool:
        """Whether it changes something."""

    async def answer(self, served: Served) -> JSON:
        """Do it, and give the result."""


METHODS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "allow": Allow,
        "boards": Boards,
        "cancel": Cancel,
        "deny": Deny,
        "explain": Explain,
        "load": Load,
        "plugins": Plugins,
        "reload": Reload,
        "running": Running,
        "status": Status,
        "sync": Sync,
        "tools": Tools,
        "unload": Unload,
    }
)
"""Each takes its params as its fields."""


@attrs.frozen(eq=False)
class Desk:
    """Does what peers ask for.

    Attributes:
        served: what it is done with.
        tell: gets every event.
    """

    served: Served
    tell: Callable[[object], None]
    _converter: Converter = attrs.field(factory=Converter)

    async def perform(self, request: Request, peer: Peer) -> JSON:
        """Do what was asked for; gives the result.

        Raises:
            PegboardError: it can't be done, or there is no such method; `unfinished` where nobody
                can say what becomes of it.
        """
        method = self._read(request)
        if not method.is_changing:
            return await method.answer(self.served)
        acts = OperatorActed(request.method, request.params, peer.user, peer.pid, "asked")
        self.tell(acts)
        try:
            result = await method.answer(self.served)
        except asyncio.CancelledError:
            self.tell(attrs.evolve(acts, stage="unknown", error=_CUT_OFF))
            raise ControlError(f"{request.method}: {_CUT_OFF}", kind="unfinished") from None
        except BaseException as error:
            self.tell(attrs.evolve(acts, stage="failed", error=_why(error)))
            raise
        self.tell(attrs.evolve(acts, stage="done"))
        return result

    def warm(self) -> None:
        """Import and make what the first request would have to wait for."""
        self._read(Request(0, "status", {}))

    def _read(self, request: Request) -> Method:
        cls = METHODS.get(request.method)
        if cls is None:
            name = request.method
            message = f"unknown method {shown(name)}{near(name, tuple(METHODS))}"
            raise ControlError(message, kind="unknown_method")
        known = tuple(each.name for each in attrs.fields(cls))
        check_keys(request.params, known, request.method)
        _check_small(request.params)
        _check_names(request)
        try:
            method: Method = structure(request.params, cls, converter=self._converter)
        except StructureError as error:
            message = "; ".join(str(each).removeprefix("$.") for each in error.faults)
            raise _wrong(f"{request.method}: {message}") from None
        return method


def _check_small(params: dict[str, JSON]) -> None:
    """Refuse tables of which telling what is wrong would take long."""
    left: list[Any] = [params]
    while left:
        value = left.pop()
        if type(value) is dict:
            if len(value) > MOST_KEYS or any(len(key) > _LONGEST for key in value):
                raise _wrong(f"a table has at most {MOST_KEYS} keys of {_LONGEST} characters")
            left += value.values()
        elif type(value) is list:
            if len(value) > MOST_ITEMS:
                raise _wrong(f"a list has at most {MOST_ITEMS} items")
            left += value


def _check_names(request: Request) -> None:
    """Refuse a name that nobody can have, and that a reader would take for another."""
    selectors: Any = request.params.get("selectors")
    tables = [each for each in selectors if type(each) is dict] if type(selectors) is list else []
    for table in (request.params, *tables):
        for key in _NAMES:
            name = table.get(key)
            if isinstance(name, str) and not name.isprintable():
                message = f"{key} holds a character that no name has: {shown(name)}"
                raise _wrong(f"{request.method}: {message}")


def _wrong(message: str) -> ControlError:
    return ControlError(message, kind="invalid_request")


def _why(error: BaseException) -> str:
    if isinstance(error, PegboardError):
        return str(error)
    return type(error).__name__
