"""The exceptions that a program makes, as its text tells."""

import ast
import builtins
import re
import warnings

_FAILURE = "ToolCallError"
_RAISES = re.compile(r"\b(?:raise|except)\b")
_MAKES = re.compile(r"\braise\s+ToolCallError\b")


def is_own_failure(program: str, source: str) -> bool:
    """Whether a line of the program raises what the program calls a `ToolCallError`.

    Args:
        program: its text.
        source: the line.
    """
    if _MAKES.search(source):
        return True
    is_told = _FAILURE in program and "RuntimeError" not in program
    return is_told and _RAISES.search(source) is not None


def badly_made(program: str) -> list[tuple[str, int]]:
    """The exceptions that are made with other things than one text, with their lines."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(program.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    return [
        (each.func.id, each.lineno)
        for each in calls
        if isinstance(each.func, ast.Name) and _is_exception(each.func.id) and not _fits(each)
    ]


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return name == _FAILURE or (isinstance(kind, type) and issubclass(kind, BaseException))


def _fits(call: ast.Call) -> bool:
    """Whether it is made with nothing, or with what is certainly text."""
    match call.args:
        case []:
            return not call.keywords
        case [ast.JoinedStr() | ast.Constant(value=str())]:
            return not call.keywords
        case _:
            return False
