"""The fields of classes that become JSON objects."""

import dataclasses
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Protocol
from uuid import UUID

import attrs

from pegboard.tools.constraints import Remarks
from pegboard.tools.docstrings import read_docstring
from pegboard.tools.forms import (
    AnyOf,
    Choice,
    Field,
    Form,
    FormError,
    Kind,
    Record,
    Scalar,
    Spelled,
    bare,
    show,
)

_KEY_KINDS = (UUID, date)
_NAME = re.compile(r"[^A-Za-z0-9_]+")


class Reader(Protocol):
    """The part of the walk that reads the annotation of a field."""

    def names(self) -> Mapping[str, Any]:
        """What a postponed annotation may name."""

    def read_with_remarks(self, annotation: Any) -> tuple[Form, Remarks]:
        """The form of an annotation, and what `Annotated` says beside it."""


@attrs.frozen
class _Raw:
    """A field as its class has it, before its annotation is read."""

    name: str
    key: str
    annotation: Any
    default: Any
    is_required: bool = True
    is_kept: bool = True
    is_keyword: bool = True


def kind_of(cls: type) -> Kind | None:
    """What sort of record a class is, or None."""
    if attrs.has(cls):
        return Kind.ATTRS
    if dataclasses.is_dataclass(cls):
        return Kind.DATACLASS
    if issubclass(cls, dict) and hasattr(cls, "__required_keys__"):
        return Kind.TYPED_DICT
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return Kind.NAMED_TUPLE
    return None


def text_of(cls: type) -> str:
    """What a class says of itself, without the sections on its fields."""
    return read_docstring(_own_docstring(cls)).description


def _own_docstring(cls: type) -> str:
    text = cls.__dict__.get("__doc__") or ""
    is_made = text.startswith(f"{cls.__name__}(") or text == dict.__doc__
    return "" if is_made else text


def read_fields(reader: Reader, record: Record, arguments: tuple[Any, ...]) -> Iterator[Field]:
    """The fields of a class, with the type variables of a generic one filled in.

    Raises:
        FormError: a field whose annotation can't be expressed; names class and field.
    """
    cls = record.cls
    described = read_docstring(_own_docstring(cls)).parameters
    variables = _variables(cls, arguments)
    for raw in _READERS[record.kind](cls, _hints(cls, reader.names)):
        annotation = substitute(raw.annotation, variables(raw.name))
        try:
            form, remarks = reader.read_with_remarks(annotation)
        except FormError as error:
            raise FormError(f"{error} (field '{raw.name}' of '{_name(cls)}')") from error
        yield Field(
            name=raw.name,
            key=raw.key,
            form=form,
            default=raw.default,
            is_required=raw.is_required,
            is_kept=raw.is_kept,
            is_keyword=raw.is_keyword,
            is_always=record.kind is not Kind.TYPED_DICT or raw.is_required,
            description=remarks.description or described.get(raw.name, ""),
        )


def _hints(cls: type, names: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """The annotations of a class, postponed ones resolved where the class was written."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:
        return _hints_elsewhere(cls, names())
    except Exception as error:
        raise FormError(f"the annotations of '{_name(cls)}' can't be read: {error}") from error


def _hints_elsewhere(cls: type, names: Mapping[str, Any]) -> dict[str, Any]:
    """The same, for a class written inside a function."""
    try:
        local = {**names, **_module_names(cls)}
        return typing.get_type_hints(cls, localns=local, include_extras=True)
    except NameError as error:
        raise FormError(f"an annotation of '{_name(cls)}' can't be resolved: {error}") from error


def _module_names(cls: type) -> Mapping[str, Any]:
    return vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}


def _name(cls: type) -> str:
    return show(cls)


def _attrs_fields(cls: type, hints: Mapping[str, Any]) -> Iterator[_Raw]:
    for field in attrs.fields(cls):
        if not field.init:
            continue
        annotation = hints.get(field.name, field.type)
        if annotation is None and field.name not in hints:
            raise FormError(f"field '{field.name}' of '{_name(cls)}' has no annotation")
        has_default = field.default is not attrs.NOTHING
        default = attrs.NOTHING if isinstance(field.default, attrs.Factory) else field.default  # type: ignore[arg-type]  # a class at run time
        yield _Raw(
            field.name,
            field.alias,
            annotation,
            default,
            is_required=not has_default,
            is_keyword=field.kw_only,
        )


def _dataclass_fields(cls: Any, hints: Mapping[str, Any]) -> Iterator[_Raw]:
    for name, field in cls.__dataclass_fields__.items():
        annotation = hints.get(name, field.type)
        is_kept = not isinstance(annotation, dataclasses.InitVar)
        if not field.init or typing.get_origin(annotation) is typing.ClassVar:
            continue
        has_default = field.default is not dataclasses.MISSING
        yield _Raw(
            name,
            name,
            annotation if is_kept else annotation.type,
            field.default if has_default else attrs.NOTHING,
            is_required=not has_default and field.default_factory is dataclasses.MISSING,
            is_kept=is_kept,
            is_keyword=field.kw_only,
        )


def _typed_dict_fields(cls: Any, hints: Mapping[str, Any]) -> Iterator[_Raw]:
    from typing_inspection.introspection import AnnotationSource, inspect_annotation

    for key, hint in hints.items():
        found = inspect_annotation(hint, annotation_source=AnnotationSource.TYPED_DICT)
        is_required = key in cls.__required_keys__
        if found.qualifiers & {"required", "not_required"}:
            is_required = "required" in found.qualifiers
        annotation = found.type
        for each in found.metadata:
            annotation = typing.Annotated[annotation, each]
        yield _Raw(key, key, annotation, attrs.NOTHING, is_required=is_required)


def _named_tuple_fields(cls: Any, hints: Mapping[str, Any]) -> Iterator[_Raw]:
    for name in cls._fields:
        if name not in hints:
            raise FormError(f"field '{name}' of '{_name(cls)}' has no annotation")
        default = cls._field_defaults.get(name, attrs.NOTHING)
        yield _Raw(name, name, hints[name], default, is_required=default is attrs.NOTHING)


_READERS: Mapping[Kind, Callable[[Any, Mapping[str, Any]], Iterator[_Raw]]] = {
    Kind.ATTRS: _attrs_fields,
    Kind.DATACLASS: _dataclass_fields,
    Kind.TYPED_DICT: _typed_dict_fields,
    Kind.NAMED_TUPLE: _named_tuple_fields,
}


def _variables(cls: Any, arguments: tuple[Any, ...]) -> Callable[[str], Mapping[Any, Any]]:
    """For a field what the type variables mean in the class that declares it."""
    found: dict[str, dict[Any, Any]] = {}
    every: dict[Any, Any] = {}
    pending = [(cls, dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False)))]
    while pending:
        owner, types = pending.pop()
        every = {**types, **every}
        for name in inspect.get_annotations(owner) if types else ():
            found.setdefault(name, types)
        for each in getattr(owner, "__orig_bases__", ()):
            base = typing.get_origin(each)
            if base is not None and base is not typing.Generic:
                given = [substitute(argument, types) for argument in typing.get_args(each)]
                pending.append((base, dict(zip(base.__parameters__, given, strict=False))))
    return lambda name: {**every, **found.get(name, {})}


def substitute(annotation: Any, types: Mapping[Any, Any]) -> Any:
    """The annotation with type variables replaced."""
    if not types:
        return annotation
    if isinstance(annotation, typing.TypeVar):
        return types.get(annotation, annotation)
    parameters = () if isinstance(annotation, type) else getattr(annotation, "__parameters__", ())
    if not parameters:
        return annotation
    return annotation[tuple(types.get(each, each) for each in parameters)]


def is_key(form: Form) -> bool:
    """Whether values of this form can be the keys of a JSON object."""
    inner = bare(form)
    if isinstance(inner, Choice):
        return all(type(each.spelling) is str for each in inner.options)
    if isinstance(inner, AnyOf):
        return all(map(is_key, inner.branches))
    if isinstance(inner, Spelled):
        return inner.kind in _KEY_KINDS
    return isinstance(inner, Scalar) and inner.kind in (str, int)


def clean_name(name: str) -> str:
    """A name for the `$defs` of a schema."""
    return _NAME.sub("_", name).strip("_") or "type"
