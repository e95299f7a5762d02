"""A board's tools, a model's calls and their results in the shapes of providers."""

from pegboard.formats import anthropic, gemini, mcp, openai, openai_responses, pi
from pegboard.formats._board import Board, Loss

__all__ = [
    "Board",
    "Loss",
    "anthropic",
    "gemini",
    "mcp",
    "openai",
    "openai_responses",
    "pi",
]
