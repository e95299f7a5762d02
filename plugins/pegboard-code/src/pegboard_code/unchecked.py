"""What the sandbox has as builtins and its type checker doesn't know."""

import re

from pegboard import Sdk

UNCHECKED = (
    "FileExistsError",
    "FileNotFoundError",
    "ImportError",
    "IsADirectoryError",
    "ModuleNotFoundError",
    "NotADirectoryError",
    "PermissionError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "filter",
    "format",
    "getattr",
    "hasattr",
    "map",
    "setattr",
)
"""All of them but `open`, which is there and can open nothing."""

_DECLARED = re.compile(r"^(?:class |(?:async )?def )?([^\W\d]\w*)\b(?:\(| =|:)", re.MULTILINE)
_IS_LISTED = re.compile(r"^__all__\b", re.MULTILINE)


def checked_against(sdk: Sdk) -> str:
    """What the type checker reads: the declarations, and these names as what may be anything."""
    declared = set(_DECLARED.findall(sdk.text))
    names = [each for each in UNCHECKED if each not in declared]
    lines = ["from typing import Any as _pegboard_Any", *(f"{n}: _pegboard_Any" for n in names)]
    if _IS_LISTED.search(sdk.text):
        lines.append(f"__all__ += {names!r}")
    return "\n".join([sdk.text, *lines, ""])
