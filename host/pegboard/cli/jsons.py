"""Results as JSON text."""

import json
import re
from typing import Any

from pegboard.cli.streams import Streams

_UNPRINTED = re.compile(r"[^\n -~]")


def print_json(value: Any, streams: Streams, *, is_one_of_many: bool = False) -> str:
    """Print a value as JSON, never wrapped and never cut; on a terminal nothing can steer it.

    Where it is one of many, it takes one line.

    Returns:
        what was printed, without the end of the last line.
    """
    indent = None if is_one_of_many else 2
    text = json.dumps(value, indent=indent, ensure_ascii=not streams.is_unicode)
    if streams.is_terminal:
        text = _UNPRINTED.sub(lambda found: _escaped(found.group()), text)
    streams.result(text)
    return text


def _escaped(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]
