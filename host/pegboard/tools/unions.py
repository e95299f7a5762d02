"""Telling the branches of a union apart, and the order in which they are tried."""

from collections.abc import Iterable

from pegboard.tools.forms import Alias, AnyOf, Form, FormError, Items, Record, Scalar, Spelled, bare
from pegboard.tools.overlaps import agrees, covers, is_any_text


def in_order(branches: Iterable[Form]) -> tuple[Form, ...]:
    """The branches in the order in which they are tried: the narrower before the wider."""
    ordered: list[Form] = []
    for branch in branches:
        places = (at for at, each in enumerate(ordered) if covers(each, branch))
        ordered.insert(next(places, len(ordered)), branch)
    return tuple(ordered)


def check_union(form: AnyOf) -> None:
    """Refuse a union whose answer would depend on the order of its branches.

    Raises:
        FormError: two branches that a value can't be told to belong to.
    """
    for at, one in enumerate(form.branches):
        for other in form.branches[at + 1 :]:
            if not _is_told_apart(one, other):
                raise FormError(
                    f"a union of {name_of(one)} and {name_of(other)}, which can't be told apart "
                    "in JSON; give each a required field of its own, or a Literal field"
                )


def name_of(form: Form) -> str:
    """A form in a few words."""
    inner = bare(form)
    if isinstance(inner, (Record, Alias)):
        return inner.name
    if isinstance(inner, (Scalar, Spelled)):
        return inner.kind.__name__
    if isinstance(inner, Items):
        return f"{inner.container.__name__}[{name_of(inner.item)}]"
    return type(inner).__name__.lower()


def _is_told_apart(one: Form, other: Form) -> bool:
    if (isinstance(one, Scalar) and isinstance(other, Scalar)) or agrees(one, other):
        return True
    if is_any_text(bare(one)) and is_any_text(bare(other)):
        return False
    return covers(one, other) != covers(other, one)
