"""From what a tool gives to JSON: values of known types become what their form says."""

import base64
import functools
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, NoReturn, Protocol

import attrs

from pegboard.errors import PegboardError
from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Form,
    Items,
    Kind,
    Narrowed,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
    show,
)
from pegboard.tools.secret import Secret
from pegboard.values import JSON, encode
from pegboard.values.checks import show_path
from pegboard.values.stack import run_deep

Path = tuple[Any, ...]
Unbuild = Callable[..., Any]


class MisfitError(PegboardError):
    """A value that isn't of the type that its annotation names."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(f"{show_path(path)} {message}")


def as_json(form: Form, value: Any, path: Path = ()) -> JSON:  # noqa: C901 - one case a form
    """The value as JSON, by its form; whether parts of any form are JSON is not looked at.

    Raises:
        MisfitError: it isn't of the type that the form was made from; names the path.
    """
    match form:
        case Anything():
            return value
        case Narrowed() | Alias():
            return run_deep(as_json, form.form, value, path)
        case Scalar():
            return _scalar_as_json(form, value, path)
        case Spelled():
            return _spelled_as_json(form, value, path)
        case Choice():
            return _choice_as_json(form, value, path)
        case AnyOf():
            return _union_as_json(form, value, path)
        case Items() | Row():
            return _items_as_json(form, value, path)
        case Table():
            return _table_as_json(form, value, path)
        case Record():
            return run_deep(_record_as_json, form, value, path)


def _misfit(path: Path, wanted: str, value: Any) -> NoReturn:
    raise MisfitError(path, f"must be {wanted}, not {show(type(value))}")


def _scalar_as_json(form: Scalar, value: Any, path: Path) -> JSON:
    if _is_of(form, value):
        return value
    _misfit(path, show(form.kind), value)


def _is_of(form: Scalar, value: Any) -> bool:
    return type(value) is form.kind or (form.kind is float and type(value) is int)


def _spelled_as_json(form: Spelled, value: Any, path: Path) -> JSON:
    if not isinstance(value, form.kind) or (form.kind is date and isinstance(value, datetime)):
        _misfit(path, show(form.kind), value)
    return spell(value)


def spell(value: Any) -> str:
    """A date, path, secret and so on as text."""
    if isinstance(value, (bytes,)):
        return base64.b64encode(value).decode()
    if isinstance(value, Secret):
        return value.reveal()
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "total_seconds"):
        import msgspec

        return str(msgspec.to_builtins(value))
    return str(value)


def _choice_as_json(form: Choice, value: Any, path: Path) -> JSON:
    for option in form.options:
        if type(option.value) is type(value) and option.value == value:
            return option.spelling
    raise MisfitError(path, "isn't one of the values of its type")


def _union_as_json(form: AnyOf, value: Any, path: Path) -> JSON:
    for branch in form.branches:
        if type(branch) is Scalar and not _is_of(branch, value):
            continue
        try:
            return as_json(branch, value, path)
        except MisfitError:
            continue
    _misfit(path, "of one of the types of a union", value)


def _items_as_json(form: Items | Row, value: Any, path: Path) -> JSON:
    kinds, name = (
        (form.gives, show(form.container)) if isinstance(form, Items) else (tuple, "tuple")
    )
    if not isinstance(value, kinds):
        _misfit(path, f"a {name}", value)
    given: Any = value
    if isinstance(form, Items):
        found = [as_json(form.item, each, (*path, at)) for at, each in enumerate(given)]
        return in_order(found) if isinstance(given, (set, frozenset)) else found
    if len(given) != len(form.items):
        raise MisfitError(path, f"must have {len(form.items)} items, not {len(given)}")
    pairs = zip(form.items, given, strict=True)
    return [as_json(item, each, (*path, at)) for at, (item, each) in enumerate(pairs)]


def in_order(found: list[JSON]) -> list[JSON]:
    """The items of a set in an order that doesn't depend on the process."""
    return sorted(found, key=encode)


def _table_as_json(form: Table, value: Any, path: Path) -> JSON:
    if not isinstance(value, form.gives):
        raise MisfitError(path, f"must be a dict, not {show(type(value))}")
    given: Any = value
    return {
        key_text(form.key, key, path): as_json(form.value, each, (*path, key))
        for key, each in given.items()
    }


def key_text(form: Form, key: Any, path: Path = ()) -> str:
    """The key of a dict as JSON has it."""
    found = as_json(form, key, path)
    return found if type(found) is str else str(found)


def _record_as_json(form: Record, value: Any, path: Path) -> JSON:
    if form.kind is Kind.TYPED_DICT:
        return _typed_dict_as_json(form, value, path)
    if not isinstance(value, form.cls):
        _misfit(path, show(form.cls), value)
    return {
        field.key: as_json(field.form, getattr(value, field.name), (*path, field.key))
        for field in form.fields
        if field.is_kept
    }


def _typed_dict_as_json(form: Record, value: Any, path: Path) -> JSON:
    if not isinstance(value, Mapping):
        _misfit(path, show(form.cls), value)
    forms = {field.key: field.form for field in form.fields}
    for key in value:
        if key not in forms:
            raise MisfitError((*path, key), "isn't declared")
    for field in form.fields:
        if field.is_required and field.key not in value:
            raise MisfitError((*path, field.key), "is missing")
    return {key: as_json(forms[key], each, (*path, key)) for key, each in value.items()}


def is_plain(form: Form, seen: Iterable[int] = ()) -> bool:  # noqa: C901 - one case a form
    """Whether every value of this form is plain JSON in Python already."""
    if id(form) in seen:
        return True
    inside = {*seen, id(form)}
    match form:
        case Anything() | Scalar():
            return True
        case Spelled() | Row():
            return False
        case Narrowed() | Alias():
            return is_plain(form.form, inside)
        case Choice():
            return all(each.value is each.spelling for each in form.options)
        case AnyOf():
            return all(is_plain(each, inside) for each in form.branches)
        case Items():
            return form.gives == (list,) and is_plain(form.item, inside)
        case Table():
            is_text = is_plain(form.key, inside) and not _is_number(form.key)
            return is_text and form.gives == (dict,) and is_plain(form.value, inside)
        case Record():
            fields = (is_plain(each.form, inside) for each in form.fields)
            return form.kind is Kind.TYPED_DICT and all(fields)


def _is_number(form: Form) -> bool:
    return isinstance(form, Scalar) and form.kind is int


class Hooks(Protocol):
    """What the converter gives for taking apart."""

    def unstructure_hook(
        self, record: Record, hooks: Mapping[str, Callable[..., Any] | None]
    ) -> Callable[..., Any]:
        """A function that makes a dict of an attrs class or a dataclass."""


@attrs.define(eq=False)
class Unbuilders:
    """The functions that do the same at speed, one for each form; None for what is plain JSON.

    They raise `MisfitError`, or what the type raised, without a path; `as_json` then finds it.
    """

    _hooks: Hooks
    _made: dict[int, Unbuild | None] = attrs.field(factory=dict)

    def of(self, form: Form) -> Unbuild | None:
        """The function for a form."""
        if is_plain(form):
            return None
        match form:
            case Narrowed():
                return self.of(form.form)
            case Items():
                return self._items(form)
            case Record() if form.kind in (Kind.ATTRS, Kind.DATACLASS):
                return self._record(form)
            case AnyOf():
                return self._union(form)
            case _:
                return functools.partial(as_json, form)

    def _items(self, form: Items) -> Unbuild:
        hook, gives = self.of(form.item), form.gives
        sets = (set, frozenset)

        def unbuild(value: Any) -> list[JSON]:
            if not isinstance(value, gives):
                raise MisfitError((), "must be a list")
            given: Any = value
            found = list(given) if hook is None else [hook(each) for each in given]
            return in_order(found) if isinstance(given, sets) else found

        return unbuild

    def _record(self, record: Record) -> Unbuild:
        made, key = self._made, id(record)
        if key not in made:
            made[key] = lambda value: run_deep(made[key], value)  # type: ignore[arg-type]
            hooks = {each.name: self.of(each.form) for each in record.fields if each.is_kept}
            unstructure, cls = self._hooks.unstructure_hook(record, hooks), record.cls

            def unbuild(value: Any) -> JSON:
                if not isinstance(value, cls):
                    _misfit((), show(cls), value)
                return unstructure(value)

            made[key] = unbuild
        return made[key]  # type: ignore[return-value]  # set above

    def _union(self, form: AnyOf) -> Unbuild:
        """By class where each branch has one of its own, else by trying."""
        table: dict[type, Unbuild | None] = {}
        for branch in form.branches:
            inner = bare(branch)
            if isinstance(inner, Scalar) or (
                isinstance(inner, Record) and inner.kind in (Kind.ATTRS, Kind.DATACLASS)
            ):
                kind = inner.kind if isinstance(inner, Scalar) else inner.cls
                table.setdefault(kind, self.of(branch))

        def unbuild(value: Any) -> JSON:
            if type(value) not in table:
                return as_json(form, value)
            hook = table[type(value)]
            return value if hook is None else hook(value)

        return unbuild
