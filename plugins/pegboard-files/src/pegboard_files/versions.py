"""The version of a file: the same for the same bytes, another one once it has changed."""

from hashlib import sha256

import attrs
from pegboard import ToolError

from pegboard_files.paths import shown
from pegboard_files.reach import Place
from pegboard_files.regular import Bytes, read_place
from pegboard_files.settings import Settings

DIGITS = 16


def version_of(read: Bytes) -> str:
    """The version of a file that was read; of a too large one, its size and time count too."""
    if read.is_whole:
        return version_of_bytes(read.data)
    rest = f"{read.size} {read.state.st_mtime_ns}".encode()
    return version_of_bytes(read.data + rest)


def version_of_bytes(data: bytes) -> str:
    """The version of a file with these bytes."""
    return sha256(data).hexdigest()[:DIGITS]


@attrs.frozen
class Claim:
    """What a call says of the file that it is about to change.

    Attributes:
        version: the version that was read, if the call names one.
        is_needed: whether the settings ask for one.
    """

    version: str | None
    is_needed: bool

    @classmethod
    def of(cls, version: str | None, settings: Settings) -> "Claim":
        """The claim of a call."""
        return cls(version, settings.require_version)

    def check_named(self, place: Place) -> None:
        """Let a call pass that names a version where it has to, and a file that is there for it.

        Raises:
            ToolError: it names none, or none of a file that exists.
        """
        if self.version is None and self.is_needed and place.found is not None:
            raise ToolError(
                f"{shown(place.path)} exists, and the settings ask for its version; read it with "
                "files_read, and give the version that it shows",
                code="version_needed",
            )
        if self.version is not None and place.found is None:
            raise ToolError(
                f"{shown(place.path)} isn't there any more, and nothing was written; leave version "
                "out to make a new file",
                code="changed",
            )

    def check(self, read: Bytes, *, path: str) -> None:
        """Let the version pass that the call names, if it names one.

        Raises:
            ToolError: the file has another one.
        """
        if self.version is not None and self.version != version_of(read):
            raise ToolError(
                f"{shown(path)} has changed since that version was read, and nothing was written; "
                "read it again, and make the change to what is there now",
                code="changed",
            )


def read_if_possible(place: Place, *, most: int) -> Bytes | None:
    """The file to which a path leads; None where there is none that can be read."""
    if place.found is None:
        return None
    try:
        return read_place(place, most=most)
    except ToolError:
        return None
