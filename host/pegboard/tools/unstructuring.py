"""From an instance of a class of settings to the plain values that it can be built from again."""

from typing import Any

from pegboard.values import JSON


def unstructure(value: Any) -> JSON:
    """What `structure` builds an equal value of its class from; secrets stand in it as text.

    Args:
        value: an instance of an attrs class or a dataclass.

    Raises:
        PegboardError: the class can't be expressed, or the value isn't what its class says.
    """
    from pegboard.tools.unbuilding import as_json
    from pegboard.tools.walk import Walk

    return as_json(Walk().read(type(value)), value)
