"""A board's tools, a model's calls and their results in the shapes of providers."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pegboard.formats import anthropic, gemini, mcp, openai, openai_responses, pi
from pegboard.formats._board import Board, Loss

SHAPES: Mapping[str, Callable[[Board], list[dict[str, Any]]]] = MappingProxyType(
    {
        "anthropic": anthropic.definitions,
        "gemini": gemini.definitions,
        "mcp": mcp.definitions,
        "openai": openai.definitions,
        "openai_responses": openai_responses.definitions,
        "pi": pi.definitions,
    }
)
"""What gives a board's definitions in each shape, by the shape's name."""

__all__ = [
    "SHAPES",
    "Board",
    "Loss",
    "anthropic",
    "gemini",
    "mcp",
    "openai",
    "openai_responses",
    "pi",
]
