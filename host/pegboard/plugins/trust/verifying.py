"""Comparing installed files with RECORD; nothing is imported."""

from collections.abc import Iterator, Mapping

import attrs

from pegboard.plugins.discovery import Found
from pegboard.plugins.trust.files import FileProblem
from pegboard.plugins.trust.identity import inspect_installed, is_editable


@attrs.frozen
class Verified:
    """What comparing the files of one installed plugin with RECORD told.

    Attributes:
        plugin: its name.
        distribution: what pip installed it from.
        version: its version.
        files: how many files were compared.
        problems: those that aren't what they should be.
        is_editable: whether its sources are elsewhere, where no RECORD lists them.
    """

    plugin: str
    distribution: str
    version: str
    files: int
    problems: tuple[FileProblem, ...]
    is_editable: bool


def verify(found: Mapping[str, Found]) -> Iterator[Verified]:
    """Compare the files of every installed plugin with the RECORD of its distribution."""
    for name, each in found.items():
        seen = inspect_installed(each)
        yield Verified(
            name, each.distribution, each.version, seen.files, seen.problems, is_editable(each)
        )
