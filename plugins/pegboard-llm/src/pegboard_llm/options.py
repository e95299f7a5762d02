"""The settings of an llm plugin: a table for each of its toolboxes, with what its class takes."""

import inspect
import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

import attrs
from pegboard import PegboardError, Secret, tool

_SECRET = re.compile(r"(^|_)(key|password|passphrase|secret|token|credential)s?$", re.IGNORECASE)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def settings_class(toolboxes: Mapping[str, type]) -> type:
    """A class with a field for each toolbox: None, or what its table says."""
    fields = {
        name: attrs.field(type=options_class(name, each) | None, default=None)
        for name, each in toolboxes.items()
        if can_be_key(name)
    }
    return attrs.make_class("Settings", fields, frozen=True, kw_only=True)


def options_class(name: str, toolbox: type) -> Any:
    """A class with a field for each parameter of a toolbox; None stands for its own default."""
    hints = _hints(toolbox)
    fields = {}
    for each in parameters_of(toolbox):
        kind = _kind(each.name, hints.get(each.name, Any))
        is_required = each.default is inspect.Parameter.empty
        fields[each.name] = (
            attrs.field(type=kind)
            if is_required
            else attrs.field(type=kind if kind is Any else kind | None, default=None)
        )
    return attrs.make_class(f"{name}Options", fields, frozen=True, kw_only=True)


def arguments_of(options: Any) -> dict[str, Any]:
    """What a toolbox is made with, of its options; nothing where there are none."""
    return {
        name: value.reveal() if isinstance(value, Secret) else value
        for name, value in _given(options)
        if value is not None
    }


def has_secrets(options: Any) -> bool:
    """Whether any of its options is a secret."""
    return any(isinstance(value, Secret) for _, value in _given(options))


def _given(options: Any) -> Iterator[tuple[str, Any]]:
    if options is not None:
        for each in attrs.fields(type(options)):
            yield each.name, getattr(options, each.name)


def required_of(toolbox: type) -> list[str]:
    """The parameters without which a toolbox can't be made."""
    empty = inspect.Parameter.empty
    return [each.name for each in parameters_of(toolbox) if each.default is empty]


def parameters_of(toolbox: type) -> Iterator[inspect.Parameter]:
    """The parameters of a toolbox that can be given by name."""
    _, *others = inspect.signature(_made_by(toolbox)).parameters.values()
    return (each for each in others if each.kind in _NAMED and can_be_key(each.name))


def can_be_key(name: str) -> bool:
    """Whether a class of settings can have a field of this name."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def _made_by(toolbox: type) -> Any:
    """The constructor that its author wrote: llm wraps it."""
    return inspect.unwrap(vars(toolbox)["__init__"])


def _hints(toolbox: type) -> Mapping[str, Any]:
    try:
        return get_type_hints(_made_by(toolbox))
    except Exception:  # noqa: BLE001 - annotations are code of the plugin
        return {}


def _kind(name: str, hint: Any) -> Any:
    """What a table may hold for a parameter: what is annotated, if JSON has that, or a secret."""
    if _SECRET.search(name):
        return Secret
    return hint if _is_json(hint) else Any


def _is_json(hint: Any) -> bool:
    def probe(value: Any) -> None:
        """Ask whether pegboard knows a hint."""

    probe.__annotations__ = {"value": hint, "return": None}
    try:
        tool(probe)
    except PegboardError:
        return False
    return True
