"""Tables that stand for secrets among plain values: `{ env = "NAME" }` and `{ file = "…" }`."""

from typing import Any, Protocol

import attrs

from pegboard.tools.faults import Fault
from pegboard.tools.forms import AnyOf, Form, Items, Record, Row, Scalar, Spelled, Table, bare
from pegboard.tools.secret import Secret
from pegboard.values import JSON

Keys = tuple[Any, ...]

_WANTED = 'is a secret: text, { env = "NAME" } or { file = "…" }'


class Secrets(Protocol):
    """Where secrets come from."""

    def look_up(self, kind: str, name: str) -> str:
        """The text of a secret.

        Args:
            kind: `env` or `file`.
            name: the variable or the file.

        Raises:
            LookupError: it isn't there; says so in a clause that goes on after a path.
        """

    def note_plain(self, keys: Keys) -> None:
        """Hear that a secret stands there as plain text."""


@attrs.frozen
class Revealer:
    """Puts the texts of secrets where tables stand for them.

    Attributes:
        secrets: where they come from.
        faults: what could not be looked up.
    """

    secrets: Secrets
    faults: list[Fault] = attrs.field(factory=list)

    def reveal(self, value: JSON, form: Form, at: Keys = ()) -> JSON:
        """The value with the texts of its secrets, as far as they are there."""
        match bare(form):
            case Spelled(kind=kind) if kind is Secret:
                return self._secret(value, at)
            case AnyOf(branches=branches):
                return self._union(value, branches, at)
            case Record(fields=fields) if type(value) is dict:
                forms = {each.key: each.form for each in fields}
                return {key: self._part(each, forms, key, at) for key, each in value.items()}
            case Table(value=inner) if type(value) is dict:
                return {key: self.reveal(each, inner, (*at, key)) for key, each in value.items()}
            case Items(item=inner) if type(value) is list:
                return [self.reveal(each, inner, (*at, i)) for i, each in enumerate(value)]
            case Row(items=inners) if type(value) is list and len(value) == len(inners):
                pairs = enumerate(zip(value, inners, strict=True))
                return [self.reveal(each, inner, (*at, i)) for i, (each, inner) in pairs]
        return value

    def _part(self, value: JSON, forms: dict[str, Form], key: str, at: Keys) -> JSON:
        return self.reveal(value, forms[key], (*at, key)) if key in forms else value

    def _union(self, value: JSON, branches: tuple[Form, ...], at: Keys) -> JSON:
        """The value as each branch sees it in turn; a table may be more than a secret here."""
        is_plain = type(value) is str and not any(map(_is_text, branches))
        for branch in branches:
            if not _is_secret(branch) or is_plain or _is_reference(value):
                value = self.reveal(value, branch, at)
        return value

    def _secret(self, value: JSON, at: Keys) -> JSON:
        if type(value) is str:
            self.secrets.note_plain(at)
        if type(value) is not dict:
            return value
        if not _is_reference(value):
            self.faults.append(Fault.at(at, _WANTED))
            return value
        ((kind, name),) = value.items()
        try:
            return self.secrets.look_up(kind, name)
        except LookupError as error:
            self.faults.append(Fault.at(at, str(error)))
            return value


def _is_secret(form: Form) -> bool:
    inner = bare(form)
    return isinstance(inner, Spelled) and inner.kind is Secret


def _is_text(form: Form) -> bool:
    """Whether text that may show is right too."""
    inner = bare(form)
    return isinstance(inner, Scalar) and inner.kind is str


def _is_reference(value: JSON) -> bool:
    if type(value) is not dict or len(value) != 1:
        return False
    ((kind, name),) = value.items()
    return kind in ("env", "file") and type(name) is str
