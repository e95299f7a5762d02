"""The list of a server's tools on disk, so that they can be shown before it was started."""

import json
import os
import stat
from pathlib import Path

import attrs

from pegboard_mcp.attached.definitions import Listing

_VERSION = 2
_MOST = 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@attrs.frozen
class KeptList:
    """Where the list of one target is kept.

    Attributes:
        path: the file; None where nothing is kept.
    """

    path: Path | None

    @classmethod
    def of(cls, folder: Path | None, digest: str | None) -> "KeptList":
        """The place for a target.

        Args:
            folder: the plugin's own cache folder, if there is one.
            digest: what tells the target from others; None where nothing does.
        """
        return cls(None if folder is None or digest is None else folder / f"{digest}.json")

    def read(self) -> Listing | None:
        """The tools as they were listed last; None where that isn't known."""
        if self.path is None:
            return None
        try:
            with self.path.open(encoding="utf-8") as file:
                if not _is_own(os.fstat(file.fileno())):
                    return None
                found = json.load(file)
        except (OSError, ValueError, RecursionError):
            return None
        match found:
            case {"version": 2, "tools": [*tools]}:
                listing = Listing.of(tools)
                return None if listing.unsound else listing
            case _:
                return None

    def write(self, listing: Listing) -> None:
        """Keep what can be read of a list; if that fails, the server is asked next time."""
        if self.path is None:
            return
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            text = json.dumps({"version": _VERSION, "tools": listing.tools})
            beside.write_text(text, encoding="utf-8")
            beside.chmod(0o600)
            beside.replace(self.path)
            _keep_newest(self.path.parent)
        except (OSError, ValueError):
            beside.unlink(missing_ok=True)


def _keep_newest(folder: Path) -> None:
    """Leave the lists that were kept last."""
    files = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)
    for each in files[:-_MOST]:
        each.unlink(missing_ok=True)


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody else could have written it; systems without users are trusted."""
    if os.name != "posix":
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & _OTHERS_WRITE
