"""The RECORD of an installed distribution: the list of its files, with their hashes."""

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import attrs

_OF_THE_INSTALLER = (
    "INSTALLER",
    "RECORD",
    "REQUESTED",
    "direct_url.json",
    "uv_build.json",
    "uv_cache.json",
)
_SCRIPTS = ("bin", "Scripts")


@attrs.frozen
class RecordLine:
    """One file of a distribution.

    Attributes:
        path: relative to the folder that holds the metadata, or absolute.
        hash: its kind and value, as `sha256=…`; empty where there is none.
    """

    path: str
    hash: str

    @property
    def is_cached(self) -> bool:
        """Whether it is bytecode that Python keeps beside a source."""
        return self.path.endswith(".pyc") and PurePosixPath(self.path).parent.name == "__pycache__"


def read_record(metadata: Path) -> tuple[RecordLine, ...]:
    """The lines of the RECORD in a folder of metadata.

    Raises:
        OSError: it isn't there, or can't be read.
        ValueError: it isn't what a RECORD is.
    """
    text = (metadata / "RECORD").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines(), strict=True))
    wrong = next((number for number, row in enumerate(rows, 1) if row and len(row) != 3), None)
    if wrong is not None:
        raise ValueError(f"line {wrong} of RECORD isn't of the form path,hash,size")
    lines = tuple(RecordLine(row[0].replace("\\", "/"), row[1]) for row in rows if row)
    if not lines:
        raise ValueError("RECORD is empty")
    return lines


def digest_of_record(lines: Iterable[RecordLine], metadata: Path) -> str:
    """What stands for all that the wheel brought, the same on every machine.

    What an installer adds by itself (bytecode, scripts with the path of an interpreter, notes of
    where it came from) doesn't count.
    """
    kept = sorted(f"{each.path},{each.hash}" for each in lines if _is_of_the_wheel(each, metadata))
    return f"sha256:{hashlib.sha256(chr(10).join(kept).encode()).hexdigest()}"


def _is_of_the_wheel(line: RecordLine, metadata: Path) -> bool:
    path = PurePosixPath(line.path)
    is_note = path.parent.name == metadata.name and path.name in _OF_THE_INSTALLER
    is_script = path.parent.name in _SCRIPTS and (path.is_absolute() or path.parts[0] == "..")
    return not (is_note or is_script or line.is_cached)
