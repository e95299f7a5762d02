"""One walk over an annotation: what form its values have in JSON."""

import collections
import enum
import types
import typing
from collections import abc
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path, PosixPath, PurePath, PurePosixPath
from typing import Any
from uuid import UUID

import attrs

from pegboard.tools import records
from pegboard.tools.constraints import Remarks, narrow, read_remarks
from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Form,
    FormError,
    Items,
    Narrowed,
    Option,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
    show,
)
from pegboard.tools.secret import Secret

_NONE = type(None)
_SCALARS: frozenset[type] = frozenset({str, int, float, bool, _NONE})
_PLAIN: Mapping[Any, Form] = {
    **{kind: Scalar(kind) for kind in _SCALARS},
    None: Scalar(_NONE),
    **{
        kind: Spelled(kind)
        for kind in (
            *(datetime, date, time, timedelta, UUID, Decimal, bytes, Secret),
            *(Path, PurePath, PosixPath, PurePosixPath),
        )
    },
    Any: Anything(),
    object: Anything(),
}
_SEQUENCES: Mapping[Any, tuple[type, tuple[type, ...]]] = {
    list: (list, (list,)),
    abc.Sequence: (list, (list, tuple)),
    abc.MutableSequence: (list, (list,)),
    abc.Collection: (list, (list, tuple, set, frozenset)),
    abc.Iterable: (list, (list, tuple, set, frozenset)),
    collections.deque: (collections.deque, (collections.deque,)),
    set: (set, (set,)),
    abc.MutableSet: (set, (set,)),
    frozenset: (frozenset, (frozenset,)),
    abc.Set: (frozenset, (set, frozenset)),
}
_TABLES: Mapping[Any, tuple[type, ...]] = {
    dict: (dict,),
    abc.Mapping: (dict, abc.Mapping),
    abc.MutableMapping: (dict, abc.MutableMapping),
}
_BARE_KINDS = frozenset({type, types.GenericAlias, types.UnionType, type(None)})
_HINTS: Mapping[Any, str] = {
    complex: "JSON has no complex numbers",
    bytearray: "use bytes",
    memoryview: "use bytes",
    abc.Callable: "a function isn't JSON",
    type: "a class isn't JSON",
}


@attrs.define
class Walk:
    """Reads the annotations of one tool, or of one class of settings.

    Attributes:
        given: gives what a postponed annotation may name.
        has_looked: whether that was needed.
        uses: how often each record and alias is referred to.
        recursive: the ids of those that hold themselves.
        unions: every union that was met.
        is_secret: whether a secret was met.
    """

    given: typing.Callable[[], Mapping[str, Any]] = dict
    has_looked: bool = False
    uses: dict[int, int] = attrs.field(factory=dict)
    recursive: set[int] = attrs.field(factory=set)
    unions: list[AnyOf] = attrs.field(factory=list)
    is_secret: bool = False
    _known: dict[Any, Record | Alias] = attrs.field(factory=dict)
    _open: list[int] = attrs.field(factory=list)

    def names(self) -> Mapping[str, Any]:
        """What a postponed annotation may name."""
        self.has_looked = True
        return self.given()

    def read(self, annotation: Any) -> Form:
        """The form of an annotation.

        Raises:
            FormError: it can't be expressed; nothing becomes an untyped object in silence.
        """
        return self.read_with_remarks(annotation)[0]

    def read_with_remarks(self, annotation: Any) -> tuple[Form, Remarks]:
        """The form, and what `Annotated` says beside it."""
        if type(annotation) is type and annotation in _SCALARS:
            return _PLAIN[annotation], _NO_REMARKS
        if annotation is Secret:
            self.is_secret = True
        if type(annotation) in _BARE_KINDS:
            return self._noted(self._read_bare(annotation)), _NO_REMARKS
        found = _inspected(annotation)
        remarks = read_remarks(found.metadata) if found.metadata else _NO_REMARKS
        self.is_secret |= remarks.is_secret
        form = narrow(self._read_bare(found.type), remarks.keywords)
        return self._noted(form), remarks

    def _noted(self, form: Form) -> Form:
        if isinstance(form, AnyOf):
            self.unions.append(form)
        return form

    def _read_bare(self, annotation: Any) -> Form:
        is_plain = annotation is None or isinstance(annotation, type) or annotation is Any
        if is_plain and annotation in _PLAIN:
            return _PLAIN[annotation]
        if isinstance(annotation, (str, typing.ForwardRef)):
            return self._read_postponed(annotation)
        if isinstance(annotation, typing.TypeVar):
            return self._read_type_var(annotation)
        if isinstance(annotation, typing.NewType):
            return self.read(annotation.__supertype__)
        return self._read_origin(annotation)

    def _read_origin(self, annotation: Any) -> Form:
        origin = typing.get_origin(annotation) or annotation
        arguments = typing.get_args(annotation)
        if origin is typing.Union or origin is types.UnionType:
            return self._read_union(arguments)
        if isinstance(origin, type):
            return self._read_type(annotation, origin, arguments)
        from typing_inspection import typing_objects

        if typing_objects.is_literal(origin):
            return _read_literal(arguments)
        if typing_objects.is_typealiastype(origin):
            return self._read_alias(annotation, origin, arguments)
        if typing_objects.is_literalstring(origin):
            return _PLAIN[str]
        raise FormError(f"`{show(annotation)}` can't be expressed as JSON Schema")

    def _read_type(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Form:
        if origin is tuple:
            return self._read_tuple(arguments, is_bare=annotation is tuple)
        if origin in _SEQUENCES or origin in _TABLES:
            return self._read_container(origin, arguments)
        return self._read_class(annotation, origin, arguments)

    def _read_container(self, origin: Any, arguments: tuple[Any, ...]) -> Form:
        if origin in _TABLES:
            key, value = arguments or (str, Any)
            return Table(self._read_key(key), self.read(value), _TABLES[origin])
        container, gives = _SEQUENCES[origin]
        item = self.read(arguments[0]) if arguments else _PLAIN[Any]
        if container in (set, frozenset):
            _check_hashable(item)
        return Items(item, container, gives)

    def _read_tuple(self, arguments: tuple[Any, ...], *, is_bare: bool) -> Form:
        if is_bare:
            return Items(_PLAIN[Any], tuple, (tuple,))
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return Items(self.read(arguments[0]), tuple, (tuple,))
        return Row(tuple(map(self.read, arguments)))

    def _read_key(self, annotation: Any) -> Form:
        form = self.read(annotation)
        if not records.is_key(form):
            raise FormError(f"`{show(annotation)}` can't be the keys of a JSON object")
        return form

    def _read_union(self, arguments: Iterable[Any]) -> Form:
        return AnyOf(tuple(map(self.read, arguments)))

    def _read_type_var(self, variable: Any) -> Form:
        if getattr(variable, "has_default", bool)():
            return self.read(variable.__default__)
        if variable.__constraints__:
            return self._read_union(variable.__constraints__)
        return self.read(variable.__bound__) if variable.__bound__ is not None else _PLAIN[Any]

    def _read_postponed(self, reference: Any) -> Form:
        name = reference if isinstance(reference, str) else reference.__forward_arg__
        return self._once(("name", name), name, lambda: self._evaluate(name))

    def _evaluate(self, name: str) -> Any:
        try:
            return eval(name, dict(self.names()))  # noqa: S307 - an annotation of the plugin's own code
        except Exception as error:
            raise FormError(f"`{name}` can't be resolved: {error}") from error

    def _read_alias(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Form:
        def value() -> Any:
            types = dict(zip(origin.__type_params__, arguments, strict=True)) if arguments else {}
            return records.substitute(origin.__value__, types)

        return self._once(annotation, origin.__name__, value)

    def _once(self, key: Any, name: str, value: typing.Callable[[], Any]) -> Form:
        known = self._known.get(key)
        if known is not None:
            return self._again(known)
        alias = self._known[key] = Alias(records.clean_name(name))
        self._open.append(id(alias))
        alias.form = self.read(value())
        self._open.pop()
        self._count(alias)
        if id(alias) not in self.recursive:
            return alias.form
        if bare_is_endless(alias):
            raise FormError(f"`{name}` is only itself")
        return alias

    def _count(self, form: Record | Alias) -> None:
        self.uses[id(form)] = self.uses.get(id(form), 0) + 1

    def _again(self, known: Record | Alias) -> Form:
        self._count(known)
        if id(known) in self._open:
            self.recursive.add(id(known))
        elif isinstance(known, Alias) and id(known) not in self.recursive:
            return known.form
        return known

    def _read_class(self, annotation: Any, cls: Any, arguments: tuple[Any, ...]) -> Form:
        if issubclass(cls, enum.Enum):
            return _read_enum(cls)
        kind = records.kind_of(cls)
        if kind is None:
            hint = _HINTS.get(cls, "it isn't a type that pegboard knows")
            raise FormError(f"`{show(annotation)}` can't be expressed as JSON Schema: {hint}")
        known = self._known.get(annotation)
        if known is not None:
            return self._again(known)
        record = Record(cls, kind, records.clean_name(show(annotation)), records.text_of(cls))
        self._known[annotation] = record
        self._open.append(id(record))
        record.fields = tuple(records.read_fields(self, record, arguments))
        self._open.pop()
        self._count(record)
        return record


_NO_REMARKS = Remarks()


def bare_is_endless(alias: Alias) -> bool:
    """Whether an alias is nothing but itself, so that it has no form at all."""
    form: Form = alias.form
    seen = {id(alias)}
    while isinstance(form, (Narrowed, Alias)):
        if id(form) in seen:
            return True
        seen.add(id(form))
        form = form.form
    return isinstance(form, AnyOf) and any(each is alias for each in form.branches)


def _read_literal(values: Iterable[Any]) -> Form:
    options = []
    for value in values:
        spelling = value.value if isinstance(value, enum.Enum) else value
        if type(spelling) not in (str, int, bool, _NONE):
            raise FormError(f"`Literal` of {type(spelling).__name__} isn't JSON")
        options.append(Option(spelling, value))
    return Choice(tuple(options))


def _read_enum(cls: type[enum.Enum]) -> Form:
    if issubclass(cls, enum.Flag):
        raise FormError(f"`{show(cls)}` is a set of bits: use a list of an enum, or an int")
    options = []
    for member in cls:
        spelling = _plain_value(member)
        if type(spelling) not in (str, int, float, bool, _NONE):
            raise FormError(
                f"`{show(cls)}.{member.name}` has a value of {type(spelling).__name__}, "
                "which isn't JSON"
            )
        options.append(Option(spelling, member))
    if not options:
        raise FormError(f"`{show(cls)}` has no members")
    return Choice(tuple(options))


def _plain_value(member: enum.Enum) -> Any:
    value = member.value
    for kind in (str, int, float):
        if isinstance(value, kind) and type(value) is not bool:
            return kind(value)
    return value


def _check_hashable(form: Form) -> None:
    inner = bare(form)
    is_hashable = not isinstance(inner, (Anything, Items, Row, Table, Record)) or (
        (isinstance(inner, Items) and inner.container in (tuple, frozenset))
        or isinstance(inner, Row)
        or (isinstance(inner, Record) and inner.cls.__hash__ is not None)
    )
    if not is_hashable:
        raise FormError("what is in a set must be hashable")


def _inspected(annotation: Any) -> Any:
    from typing_inspection.introspection import (
        AnnotationSource,
        ForbiddenQualifier,
        inspect_annotation,
    )

    try:
        return inspect_annotation(annotation, annotation_source=AnnotationSource.BARE)
    except ForbiddenQualifier as error:
        raise FormError(f"`{show(annotation)}` qualifies a field, not a parameter") from error
