"""The value of a program's last expression, looked at before it leaves the sandbox."""

from collections.abc import Callable
from typing import Any

from pegboard import JSON, Limits

from pegboard_code.prelude import FIND, MEASURE
from pegboard_code.results import NotLosslessError, found_odd, lossless
from pegboard_code.steps import RaisedError
from pegboard_code.tails import KEPT

_ABSURD = 2**63


def kept_value(evaluate: Callable[[str], Any], returned: Callable[[], Any]) -> JSON:
    """The value, lossless.

    Args:
        evaluate: gives the value of an expression in the program's worker.
        returned: gives what the program gave where it ended before its last line.

    Raises:
        NotLosslessError: it isn't JSON, or too large.
        MishapError: looking at it was too much.
    """
    try:
        size = evaluate(f"{MEASURE}({KEPT})")
    except RaisedError as error:
        if error.kind == "NameError":
            return lossless(returned())
        raise _refused(evaluate, error) from error
    if type(size) is not int or not 0 <= size < _ABSURD:
        raise NotLosslessError(f"the result can't be looked at: the program redefined {MEASURE}")
    if size > 4 * Limits().max_bytes:
        raise NotLosslessError(f"the result is {size} characters of JSON: give back less of it")
    return lossless(evaluate(KEPT))


def _refused(evaluate: Callable[[str], Any], error: RaisedError) -> Exception:
    """Why the value isn't JSON; what was raised, where that is no answer."""
    if error.kind not in {"TypeError", "ValueError", "RecursionError"}:
        return error
    return found_odd(evaluate(f"{FIND}({KEPT})"), root="the result")
