"""Asking a plugin one question of `check_plugin`, outside of pytest's own collection."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard.testing import check_plugin

for _library in ("importlib_metadata", "jsonschema_rs"):
    __import__(_library)  # the first test that needs one would seem to have left it behind


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., None]:
    """`ask(requirement, plugin, **options)` runs one check."""
    folder = tmp_path / "of the check"
    folder.mkdir()

    def ask(requirement: str, plugin: object, **options: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("PYTEST_CURRENT_TEST")
            checks = check_plugin(plugin, **options)
        getattr(checks(), f"test_{requirement}")(folder)

    return ask


@pytest.fixture
def answer(ask: Callable[..., None]) -> Callable[..., str]:
    """`answer(requirement, plugin, **options)` gives why the check fails."""

    def answer(requirement: str, plugin: object, **options: Any) -> str:
        with pytest.raises(AssertionError) as caught:
            ask(requirement, plugin, **options)
        return str(caught.value)

    return answer
