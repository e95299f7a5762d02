"""Running what nests deep: a deep caller must not make a legal value illegal."""

import contextvars
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

MOST_STACKS = 8
_STACKS: contextvars.ContextVar[int] = contextvars.ContextVar("pegboard_stacks", default=0)


def run_deep(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a function gives; once more on a stack of its own where the caller's is used up.

    Raises:
        RecursionError: so many stacks inside each other that the function hardly ever ends.
    """
    try:
        return function(*args, **kwargs)
    except RecursionError:
        if _STACKS.get() >= MOST_STACKS:
            raise
        return _on_fresh_stack(lambda: function(*args, **kwargs))


def _on_fresh_stack(function: Callable[[], R]) -> R:
    found: list[Any] = []
    context = contextvars.copy_context()
    context.run(_STACKS.set, _STACKS.get() + 1)

    def run() -> None:
        try:
            found.append((context.run(function), None))
        except BaseException as error:  # noqa: BLE001 - raised again where the caller waits
            found.append((None, error))

    worker = threading.Thread(target=run, name="pegboard-deep", daemon=True)
    worker.start()
    worker.join()
    value, error = found[0]
    if error is not None:
        raise error
    return value  # type: ignore[no-any-return]  # what the function gave
