"""The wall around cattrs: functions that build and take apart the classes of one generation."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import attrs

from pegboard.tools.forms import Field, Form, Record
from pegboard.tools.validation import Validator
from pegboard.values import JSON, Snapshot

Hook = Callable[..., Any]


@attrs.frozen
class _Attribute:
    """A field as cattrs wants to see it."""

    name: str
    alias: str
    default: Any
    converter: Any
    type: Any = None
    init: bool = True
    kw_only: bool = True


class Converter:
    """Builds and takes apart the types of one plugin generation; dropping it drops what it made."""

    def __init__(self) -> None:
        self._cattrs: Any = None
        self._validators: dict[tuple[bytes, bool], Validator] = {}

    def validator(self, schema: Snapshot, *, is_typed: bool) -> Validator:
        """The validator of a schema, one for all tools that have the same."""
        from pegboard.tools.spellings import FORMATS
        from pegboard.tools.validation import make_validator

        key = (schema.text, is_typed)
        found = self._validators.get(key)
        if found is None:
            found = make_validator(schema, formats=FORMATS if is_typed else None)
            self._validators[key] = found
        return found

    def acceptor(self, form: Form) -> Callable[[JSON], bool]:
        """Whether the schema of a form accepts a value."""
        from pegboard.tools.schemas import schema_of_part

        return self.validator(Snapshot.of(schema_of_part(form)), is_typed=True).accepts

    def structure_hook(self, record: Record, hooks: Mapping[str, Hook | None]) -> Hook:
        """A function that builds an attrs class or a dataclass, its fields through their hooks."""
        from cattrs.gen import make_dict_structure_fn_from_attrs, override

        fields = [
            _attribute(each, hook, override(rename=each.key, struct_hook=hook))
            for each in record.fields
            for hook in [hooks[each.name]]
        ]
        return make_dict_structure_fn_from_attrs(
            fields,  # type: ignore[arg-type]  # all that cattrs reads of an attribute
            record.cls,
            self._converter(),
            _variables(record.cls),
            _cattrs_forbid_extra_keys=False,
            _cattrs_use_linecache=False,
            _cattrs_prefer_attrib_converters=True,
            _cattrs_detailed_validation=False,
        )

    def unstructure_hook(self, record: Record, hooks: Mapping[str, Hook | None]) -> Hook:
        """A function that makes a dict of such a class, its fields through their hooks."""
        from cattrs.fns import identity
        from cattrs.gen import make_dict_unstructure_fn_from_attrs, override

        fields = [
            _attribute(each, hook, override(rename=each.key, unstruct_hook=hook or identity))
            for each in record.fields
            if each.is_kept
            for hook in [hooks[each.name]]
        ]
        return make_dict_unstructure_fn_from_attrs(
            fields,  # type: ignore[arg-type]  # all that cattrs reads of an attribute
            record.cls,
            self._converter(),
            _variables(record.cls),
            _cattrs_use_linecache=False,
        )

    def _converter(self) -> Any:
        if self._cattrs is None:
            from cattrs import Converter as CattrsConverter

            self._cattrs = CattrsConverter(detailed_validation=False)
        return self._cattrs


def _attribute(field: Field, hook: Hook | None, override: Any) -> _Attribute:
    """A field without a hook says that it has a converter, so that cattrs hands its value on.

    What cattrs is told of a field goes with its type: as keywords, names of fields would meet
    the names of cattrs' own arguments. The list beside it can't be hashed, so that `typing` keeps
    nothing of it, and the hook dies with its generation.
    """
    return _Attribute(
        name=field.name,
        alias=field.key,
        default=attrs.NOTHING if field.is_required else None,
        converter=None if hook else True,
        type=Annotated[str, override, []],
    )


def _variables(cls: Any) -> dict[str, Any]:
    return {each.__name__: each for each in getattr(cls, "__parameters__", ())}
