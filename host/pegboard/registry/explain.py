"""Why a name is visible on a board, or isn't: every reason, in the order in which to look."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import attrs

from pegboard.errors import did_you_mean, near_names
from pegboard.names import RUN_CODE, folded
from pegboard.programs import RUNTIME_WANTED
from pegboard.registry.entry import Entry
from pegboard.registry.generation import Owner
from pegboard.registry.masks import matches
from pegboard.registry.registry import Reservation
from pegboard.registry.scope import Scope
from pegboard.registry.view import EMPTY
from pegboard.reports import QuarantinedTool, RefusedTool

_WHERE_NEEDED = "as soon as there is a tool for them to find"


@attrs.frozen
class Reason:
    """One thing that bears on whether a name is visible.

    Attributes:
        kind: `registered`, `renamed`, `shadowed`, `restricted`, `granted`, `reserved`,
            `quarantined`, `refused`, `deferred`, `presented`, `failed` or `unknown`.
        text: the same for people.
        board: the board it happens on; None for the global layer and the host.
    """

    kind: str
    text: str
    board: str | None = None


@attrs.frozen
class Explanation:
    """Why a name is visible on a board, or isn't.

    Attributes:
        name: the name that was asked for.
        board: the board.
        visible: whether the board's agent sees and may call it.
        reasons: from what stands where to what hides it.
        owner: whose tool it is, where it is visible.
        layer: where that tool stands: `global`, the name of a board, or `host` for `run_code`.
    """

    name: str
    board: str
    visible: bool
    reasons: tuple[Reason, ...]
    owner: Owner | None = None
    layer: str | None = None

    def __str__(self) -> str:
        state = "visible" if self.visible else "not visible"
        lines = (f"  - {reason.text}" for reason in self.reasons)
        return "\n".join([f"{self.name!r} is {state} on board {self.board!r}", *lines])


def explain(
    name: str,
    scope: Scope,
    *,
    reserved: Mapping[str, Reservation],
    failed: Mapping[str, str],
    quarantined: Iterable[QuarantinedTool] = (),
    refused: Iterable[RefusedTool] = (),
) -> Explanation:
    """Every reason why `name` is visible on a board or isn't.

    Args:
        name: the name of a tool.
        scope: the board.
        reserved: the reserved names, folded.
        failed: by the names of plugins that could not be loaded, why.
        quarantined: the tools that plugins bring which are quarantined as a whole.
        refused: the tools that are left out while the rest of their plugins is there.
    """
    chain = scope.ancestry
    standing = [(each, each.layer.get(name)) for each in chain]
    reasons = [_registered(entry) for _, entry in standing if entry is not None]
    reasons += _shadowed([entry for _, entry in standing if entry is not None])
    reasons += _restricted(name, chain)
    reservation = reserved.get(folded(name))
    if reservation is not None:
        reasons.append(Reason("reserved", str(reservation)))
    held = [*_quarantined(name, chain), *_waiting(name, quarantined), *_left_out(name, refused)]
    reasons += held
    found = scope.find(name)
    holders = [each.name or "global" for each, entry in standing if entry is found]
    reasons += _presented(name, scope, found)
    spelled = {entry.name for _, entry in standing if entry is not None}
    if reservation is None and not held and name not in spelled:
        reasons += _missing(name, scope, {} if spelled else failed)
    return Explanation(
        name,
        scope.name or "",
        found is not None,
        tuple(reasons),
        None if found is None else found.owner,
        None if found is None else (*holders, "host")[0],
    )


def _registered(entry: Entry) -> Reason:
    was = "" if entry.name == entry.tool.name else f", where its name is {entry.tool.name!r}"
    return Reason(
        "registered", f"{entry.name!r} is registered on {entry.layer} by {entry.owner}{was}"
    )


def _quarantined(name: str, chain: list[Scope]) -> Iterable[Reason]:
    for scope in chain:
        for entry in scope.layer.quarantined:
            tool = entry.quarantined
            if tool is not None and folded(tool.name) == folded(name):
                whose = f"{tool.name!r} of {entry.owner} on {entry.layer}"
                yield Reason("quarantined", _held(whose, tool), scope.name)


def _waiting(name: str, tools: Iterable[QuarantinedTool]) -> Iterable[Reason]:
    for tool in tools:
        if folded(tool.name) == folded(name):
            whose = f"{tool.name!r} of plugin {tool.plugin!r}"
            yield Reason("quarantined", _held(whose, tool))


def _left_out(name: str, tools: Iterable[RefusedTool]) -> Iterable[Reason]:
    for tool in tools:
        if folded(tool.name) == folded(name):
            whose = f"{tool.name!r} of plugin {tool.plugin!r}"
            yield Reason("refused", f"{whose} is left out: {tool.reason}")


def _held(whose: str, tool: QuarantinedTool) -> str:
    return "\n      ".join([f"{whose} is quarantined: {tool.reason}", *tool.diff])


def _presented(name: str, scope: Scope, found: Entry | None) -> Iterable[Reason]:
    """What the presentation of the board means for a name."""
    board = f"board {scope.name!r} has presentation {scope.presented_as!r}"
    if name != RUN_CODE:
        if found is not None and name not in scope.listed().entries:
            when = "once they have found it" if found.tool.defer_loading else _WHERE_NEEDED
            yield Reason("deferred", f"{name!r} is shown to models {when}")
        if found is not None and scope.find(name, is_direct=True) is None:
            how = f"models reach {name!r} in programs of {RUN_CODE!r} only"
            yield Reason("presented", f"{board}: {how}", scope.name)
    elif scope.presentation is None:
        yield Reason("presented", f"{board}, which doesn't offer it", scope.name)
    elif not scope.chains().runtimes:
        lack = f"no plugin gives a code runtime; {RUNTIME_WANTED}"
        yield Reason("presented", f"{board}, and {lack}", scope.name)
    elif found is not None:
        yield Reason("presented", f"{board}; {found.owner} runs its programs", scope.name)
    else:
        yield from _switched_off(scope)


def _switched_off(scope: Scope) -> Iterable[Reason]:
    """The host's own masks that hide the tool that runs programs."""
    entry = scope.offered
    for mask in scope.ancestry[0].restrictions if entry is not None else ():
        objection = None if entry is None else mask.objection(entry)
        if objection is not None:
            yield Reason("restricted", f"{RUN_CODE!r} is {objection}")


def _shadowed(entries: list[Entry]) -> Iterable[Reason]:
    for farther, nearer in pairwise(entries):
        yield Reason(
            "shadowed",
            f"{farther.name!r} of {farther.owner} on {farther.layer} is shadowed by "
            f"{nearer.name!r} of {nearer.owner} on {nearer.layer}",
        )


def _restricted(name: str, chain: list[Scope]) -> Iterable[Reason]:
    view = EMPTY
    for depth, scope in enumerate(chain):
        inherited = view.entries.get(name)
        view = scope.unswitched(view)
        if inherited is not None:
            yield from _objections(inherited, chain[depth : depth + 1])
        standing = scope.layer.entries.get(name)
        if standing is not None:
            yield from _objections(standing, chain[depth + 1 - standing.masked_by : depth + 1])
    switched = view.entries.get(name)
    for mask in chain[0].restrictions if switched is not None else ():
        objection = mask.objection(switched) if switched is not None else None
        if objection is not None:
            yield Reason("restricted", f"{name!r} is {objection}")


def _objections(entry: Entry, masking: Iterable[Scope]) -> Iterable[Reason]:
    """What the masks of these boards have against a tool that they reach."""
    for scope in masking:
        if scope.parent is None:
            continue
        granted = next((each for each in scope.grants if matches(each, entry)), None)
        for mask in scope.restrictions:
            objection = mask.objection(entry)
            if objection is None:
                continue
            said = f"{entry.name!r} is {objection}"
            if granted is None:
                yield Reason("restricted", said, scope.name)
            else:
                lifted = f"{said}, which a grant for {str(granted)!r} lifts"
                yield Reason("granted", lifted, scope.name)


def _missing(name: str, scope: Scope, failed: Mapping[str, str]) -> Iterable[Reason]:
    known = {each for ancestor in scope.ancestry for each in ancestor.layer.entries}
    near = did_you_mean(near_names(name, known))
    yield Reason("unknown", f"no plugin and no program registered {name!r}{near}")
    for plugin, error in failed.items():
        yield Reason("failed", f"plugin {plugin!r} could bring it, but it isn't loaded: {error}")
