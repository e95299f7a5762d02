"""Editable installs that came after this process began: where their code is."""

import importlib.util
import site
from pathlib import Path

from pegboard.plugins.discovery import Found


def follow(found: Found) -> None:
    """Do what a new process would do for an editable install: put its folder on the import path.

    Nothing happens where the code can be found already.
    """
    if _is_findable(found.module.partition(".")[0]):
        return
    for file in found.files:
        if file.suffix == ".pth" and file.is_file() and file.parent == Path(found.location):
            site.addpackage(str(file.parent), file.name, None)


def _is_findable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
