"""The rule for names: what a tool, a board or a plugin may be called; nothing is ever repaired."""

import re

from pegboard.errors import InvalidNameError

_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_OTHER = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._@:-]{0,126}[A-Za-z0-9_])?")

RUN_CODE = "run_code"


def is_tool_name(name: str) -> bool:
    """Whether a tool can have this name."""
    return _TOOL.fullmatch(name) is not None


def check_tool_name(name: object, *, owner: str) -> str:
    """Give the name back, if a tool can have it.

    Args:
        name: what the author wrote.
        owner: who brings it, for the message.

    Raises:
        InvalidNameError: it isn't text, or not of the form `[A-Za-z_][A-Za-z0-9_-]{0,63}`.
    """
    if isinstance(name, str) and is_tool_name(name):
        return str(name)
    raise InvalidNameError(
        f"{name!a} of {owner} can't be the name of a tool: a name starts with a letter or _, "
        "goes on with letters, digits, _ and -, and has at most 64 characters"
    )


def is_name(name: str) -> bool:
    """Whether a board or a plugin can have this name."""
    return _OTHER.fullmatch(name) is not None


def check_name(name: object, *, kind: str) -> str:
    """Give the name back, if a board or a plugin can have it.

    Raises:
        InvalidNameError: it isn't text, is empty, too long, or holds other characters than
            letters, digits and `._@:-`.
    """
    if isinstance(name, str) and _OTHER.fullmatch(name):
        return str(name)
    raise InvalidNameError(
        f"{name!a} can't be the name of a {kind}: use letters, digits, and . _ @ : - inside, "
        "at most 128 characters"
    )


def folded(name: str) -> str:
    """The form in which two names that differ in case only are one."""
    return name.casefold()
