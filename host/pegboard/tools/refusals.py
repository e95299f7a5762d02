"""Why a type refuses a value that its schema accepts: which validator, converter or reader."""

from collections.abc import Iterator
from typing import Any

import attrs

from pegboard.errors import PegboardError
from pegboard.tools.building import Builders, parts_of
from pegboard.tools.faults import Fault, StructureError
from pegboard.tools.forms import AnyOf, Form, Kind, Record, Spelled, bare, show
from pegboard.values import JSON

Path = tuple[Any, ...]


def find_refusals(builders: Builders, form: Form, value: JSON, path: Path) -> Iterator[Fault]:
    """Every part of a value that can't be built, innermost first, with its path."""
    inner = bare(form)
    if isinstance(inner, AnyOf):
        branch = builders.branch_of(inner, value)
        if branch is not None:
            yield from find_refusals(builders, branch, value, path)
        return
    found = False
    for key, part, each in parts_of(inner, value):
        for fault in find_refusals(builders, part, each, (*path, key)):
            found = True
            yield fault
    if not found:
        yield from _refusal(builders, inner, value, path)


def _refusal(builders: Builders, form: Form, value: JSON, path: Path) -> Iterator[Fault]:
    build = builders.of(form)
    if build is None:
        return
    try:
        build(value)
    except BaseException as error:  # noqa: BLE001 - code of a plugin
        if isinstance(form, Record):
            yield from _refusal_of_record(builders, form, value, error, path)
        elif isinstance(form, Spelled):
            yield Fault.at(path, f"isn't a valid {show(form.kind)}")
        else:
            yield Fault.at(path, f"can't be built ({type(error).__name__})", _reason(error))


def _refusal_of_record(
    builders: Builders, record: Record, value: JSON, error: BaseException, path: Path
) -> Iterator[Fault]:
    found = False
    if record.kind is Kind.ATTRS:
        for fault in _refusals_of_fields(builders, record, value, path):
            found = True
            yield fault
    if found:
        return
    told = f"is refused by '{show(record.cls)}' ({type(error).__name__})"
    if isinstance(error, StructureError):
        for each in error.faults:
            other = (*path, *each.other) if each.other else ()
            yield Fault.at((*path, *each.keys), told, each.message, other)
        return
    yield Fault.at(path, told, _reason(error))


def _refusals_of_fields(
    builders: Builders, record: Record, value: JSON, path: Path
) -> Iterator[Fault]:
    """Each field's converter and validator by itself, as the class would run them."""
    trial = object.__new__(record.cls)
    fields = {each.name: each for each in record.fields}
    own = [each for each in attrs.fields(record.cls) if each.name in fields]
    for attribute in own:
        field = fields[attribute.name]
        if field.key not in value:
            continue
        build = builders.of(field.form)
        built = value[field.key] if build is None else build(value[field.key])
        refused = _converted(trial, attribute, built)
        if refused is not None:
            yield Fault.at((*path, field.key), *refused)
    for attribute in own:
        refused = _validated(trial, attribute)
        if refused is not None:
            yield Fault.at((*path, fields[attribute.name].key), *refused)


def _converted(trial: Any, attribute: Any, value: Any) -> tuple[str, str] | None:
    converter = attribute.converter
    if converter is not None:
        try:
            takes_more = isinstance(converter, attrs.Converter)
            value = converter(value, trial, attribute) if takes_more else converter(value)
        except BaseException as error:  # noqa: BLE001 - code of a plugin
            return _refused(f"the converter {_name(converter)}", error)
    object.__setattr__(trial, attribute.name, value)
    return None


def _validated(trial: Any, attribute: Any) -> tuple[str, str] | None:
    validator = attribute.validator
    if validator is None or not hasattr(trial, attribute.name):
        return None
    try:
        validator(trial, attribute, getattr(trial, attribute.name))
    except BaseException as error:  # noqa: BLE001 - code of a plugin
        return _refused(f"the validator {_name(validator)}", error)
    return None


def _refused(by: str, error: BaseException) -> tuple[str, str]:
    """What is told of it, and what it said itself."""
    return f"is refused by {by} ({type(error).__name__})", _reason(error)


def _reason(error: BaseException) -> str:
    """What was raised says, inside groups too; nothing where it can't."""
    try:
        return ", ".join(dict.fromkeys(filter(None, map(_said, _leaves(error)))))
    except BaseException:  # noqa: BLE001 - code of a plugin
        return ""


def _said(error: BaseException) -> str:
    """What it says, with its kind where that says more than that a value is refused."""
    if len(error.args) > 1 and isinstance(error.args[1], attrs.Attribute):
        return str(error.args[0])
    text = str(error)
    is_plain = isinstance(error, (PegboardError, TypeError, ValueError))
    return text if is_plain or not text else f"{type(error).__name__}: {text}"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _name(function: Any) -> str:
    return repr(getattr(function, "__name__", type(function).__name__))
