"""The formats of types that JSON spells as text: what is accepted is what can be read."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta

_DECIMAL = re.compile(r"-?[0-9]{1,4300}(?:\.[0-9]{1,4300})?(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


def _is_read_as(kind: type) -> Callable[[str], bool]:
    def is_read(text: str) -> bool:
        import msgspec

        try:
            msgspec.convert(text, kind)
        except ValueError:
            return False
        return True

    return is_read


def _is_decimal(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": _is_read_as(datetime),
    "time": _is_read_as(time),
    "duration": _is_read_as(timedelta),
    "decimal": _is_decimal,
}
