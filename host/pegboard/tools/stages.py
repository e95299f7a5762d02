"""What the stages of a call hand on.

What is made in every call and seen by the pipeline only isn't frozen, since a frozen class takes
twice as long to make.
"""

from typing import Any

import attrs

from pegboard.values import JSON, Content, Snapshot


@attrs.define(eq=False)
class Prepared:
    """Arguments as a tool will get them.

    Attributes:
        arguments: the very snapshot that was sent, where nothing had to change.
        notes: what was left out or coerced, in words.
        values: the same decoded, for one body alone; None where it has to be decoded again.
    """

    arguments: Snapshot
    notes: tuple[str, ...] = ()
    values: JSON = None


@attrs.define(eq=False)
class Projection:
    """What a body gave, as the outcome shows it.

    Attributes:
        value: canonical JSON.
        content: what a model reads.
        meta: what the card of a direct call may show, or None.
    """

    value: Snapshot
    content: tuple[Content, ...]
    meta: Snapshot | None = None


@attrs.frozen(eq=False)
class ToolResult:
    """What a body may return where a model should read something else than its value shows.

    For tools made by hand, and functions whose return annotation is this class, `Any` or missing.

    Attributes:
        value: lossless JSON, which the tool's output schema must accept.
        content: the content blocks that a model reads; None for what the value is rendered to.
        meta: lossless JSON for the card of a direct call; None for what the output's `meta` makes.
    """

    value: Any
    content: Any = None
    meta: Any = None
