"""Telling hooks that what a board shows has changed: soon, once, and only where somebody looked."""

from pegboard.board import Engine
from pegboard.plugins import Observers


class Notices:
    """Calls `pegboard_tools_changed` for the boards of one host."""

    def __init__(self, engine: Engine, observers: Observers) -> None:
        self._engine = engine
        self._observers = observers
        self._is_due = False

    def start(self) -> None:
        """Follow the changes of this host on the running loop."""
        self._engine.registry.epoch.on_change = self._changed

    def stop(self) -> None:
        """Follow no more changes."""
        self._engine.registry.epoch.on_change = None

    def _changed(self) -> None:
        if not self._is_due and self._engine.readers:
            self._is_due = self._observers.soon(self._tell)

    def _tell(self) -> None:
        self._is_due = False
        readers = self._engine.readers
        for board, (scope, revision) in list(readers.items()):
            if scope.revision() != revision:
                del readers[board]
                self._observers.tell(scope.chains().changed, board)
