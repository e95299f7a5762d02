"""What the stages of a call hand on; made in every call and seen by the pipeline only.

Not frozen, since a frozen class takes twice as long to make.
"""

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
