"""Tools as a company's agent has them: ten for each of twenty kinds of things it keeps."""

from typing import Any

from pegboard import Tool, tool

KINDS = {
    "account": ("plan", "seats"),
    "booking": ("room", "guests"),
    "campaign": ("channel", "budget"),
    "contract": ("party", "months"),
    "customer": ("company", "employees"),
    "delivery": ("carrier", "parcels"),
    "device": ("model", "battery"),
    "document": ("author", "pages"),
    "employee": ("team", "days_off"),
    "event": ("venue", "visitors"),
    "incident": ("service", "severity"),
    "invoice": ("customer", "total_cents"),
    "order": ("customer", "items"),
    "payment": ("method", "amount_cents"),
    "product": ("category", "price_cents"),
    "project": ("owner", "milestones"),
    "refund": ("reason", "amount_cents"),
    "report": ("period", "rows"),
    "supplier": ("country", "rating"),
    "ticket": ("requester", "priority"),
}

SOURCE = '''
class {Kind}(TypedDict):
    id: Annotated[str, Doc("What the other tools know it by.")]
    title: str
    status: Literal["open", "waiting", "closed"]
    {text}: str
    {number}: int
    changed: Annotated[datetime, Doc("When somebody last changed it.")]


class {Kind}Page(TypedDict):
    found: list[{Kind}]
    next: Annotated[str | None, Doc("Where the next page begins; null on the last one.")]


async def {kind}_find(
    words: str,
    status: Literal["open", "waiting", "closed"] | None = None,
    limit: Annotated[int, Interval(ge=1, le=100)] = 20,
    after: str | None = None,
) -> {Kind}Page:
    """Find {kind}s by words in their title and their {text}, newest first.

    Args:
        words: What to look for; several words must all be there.
        status: Only those with this status.
        limit: How many to give at most.
        after: Where to go on, as `next` of the page before says.
    """


async def {kind}_read(id: str) -> {Kind}:
    """Read one {kind}.

    Args:
        id: Which {kind}.
    """


async def {kind}_create(title: str, {text}: str, {number}: int = 0, notify: bool = True) -> {Kind}:
    """Create one {kind}. It is open, and belongs to whoever asked for it.

    Args:
        title: A few words by which people recognise it.
        {text}: Its {text}.
        {number}: Its {number}.
        notify: Whether those who follow {kind}s are told.
    """


async def {kind}_update(
    id: str,
    title: str | None = None,
    status: Literal["open", "waiting", "closed"] | None = None,
    {text}: str | None = None,
    {number}: int | None = None,
) -> {Kind}:
    """Change one {kind}; what isn't given stays as it is.

    Args:
        id: Which {kind}.
        title: A new title.
        status: A new status.
        {text}: A new {text}.
        {number}: A new {number}.
    """


async def {kind}_delete(id: str, reason: str) -> bool:
    """Delete one {kind} for good. Ask before you do, since it can't be undone.

    Args:
        id: Which {kind}.
        reason: Why, for the record.
    """


async def {kind}_comment(id: str, text: str, internal: bool = False) -> str:
    """Write a comment below one {kind}, and give the comment's id.

    Args:
        id: Which {kind}.
        text: The comment, in Markdown.
        internal: Whether only the team sees it.
    """


async def {kind}_history(id: str, since: date | None = None) -> list[dict[str, str]]:
    """List who changed what of one {kind}, newest first.

    Args:
        id: Which {kind}.
        since: Only what has changed since this day.
    """


async def {kind}_assign(id: str, to: list[str]) -> {Kind}:
    """Make people responsible for one {kind}; others are responsible no more.

    Args:
        id: Which {kind}.
        to: Their user names.
    """


async def {kind}_count(by: Literal["status", "{text}", "month"] = "status") -> dict[str, int]:
    """Count {kind}s.

    Args:
        by: What to count them by.
    """


async def {kind}_export(ids: list[str], form: Literal["csv", "json", "pdf"] = "csv") -> str:
    """Write {kind}s to a file, and give the address from which it can be had for an hour.

    Args:
        ids: Which {kind}s.
        form: The form of the file.
    """
'''

NAMES = """
from datetime import date, datetime
from typing import Annotated, Literal, TypedDict
from annotated_types import Interval
from pegboard import Doc
"""


def plausible(count: int) -> list[Tool]:
    """The first so many of two hundred tools, all of one kind of thing before those of the next."""
    return [tool(each) for kind in KINDS for each in _functions(kind)][:count]


def _functions(kind: str) -> list[Any]:
    names: dict[str, Any] = {"__name__": "company"}
    text, number = KINDS[kind]
    source = SOURCE.format(kind=kind, Kind=kind.title(), text=text, number=number)
    exec(NAMES + source, names)
    return [each for name, each in names.items() if name.startswith(f"{kind}_")]
