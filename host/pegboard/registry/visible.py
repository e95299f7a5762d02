"""The tools that a board shows, as a mapping for programs."""

from collections.abc import Iterator, Mapping

from pegboard.registry.view import View
from pegboard.tools import Tool


class VisibleTools(Mapping[str, Tool]):
    """The visible tools by name, in order: a snapshot that later changes don't touch."""

    __slots__ = ("_view",)

    def __init__(self, view: View) -> None:
        self._view = view

    def __getitem__(self, name: str) -> Tool:
        return self._view.entries[name].shown_tool

    def brought_by(self, name: str) -> str | None:
        """The plugin that brought a tool; None for the program's own."""
        return self._view.entries[name].owner.plugin

    def __iter__(self) -> Iterator[str]:
        return iter(self._view.entries)

    def __len__(self) -> int:
        return len(self._view.entries)

    def __repr__(self) -> str:
        return f"<tools {', '.join(self)}>"
