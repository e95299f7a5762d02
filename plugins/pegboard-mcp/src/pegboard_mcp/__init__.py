"""Boards of pegboard as MCP servers, and MCP servers as plugins of pegboard.

Each half is imported when a name of it is first asked for; `__init__.pyi` says the same to type
checkers.
"""

import importlib
from typing import Any

_HOMES = {
    "BoardServer": "serving",
    "InputRequired": "serving",
    "McpClient": "serving",
    "McpServer": "attached",
    "McpSettings": "attached",
    "calling_client": "serving",
    "http_app": "serving",
    "serve_http": "serving",
    "serve_stdio": "serving",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the half that a name belongs to; from then on it is found without this."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    half = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    found = globals()[name] = getattr(half, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
