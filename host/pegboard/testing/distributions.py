"""Installed distributions that are written by hand, for tests of discovery."""

import base64
import hashlib
import importlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs


@attrs.frozen
class Site:
    """A folder on `sys.path` into which distributions are written as pip would install them.

    Attributes:
        path: the folder.
    """

    path: Path

    def install(
        self,
        name: str,
        version: str = "1.0",
        *,
        entry_points: Mapping[str, str] | str = "",
        files: Mapping[str, str] | None = None,
        metadata: str | None = None,
    ) -> Path:
        """Write a distribution.

        Args:
            name: its name.
            version: its version.
            entry_points: plugins by name, or the whole text of its `entry_points.txt`.
            files: text by path inside the site.
            metadata: the whole text of its METADATA; what is right if None.

        Returns:
            its dist-info folder.
        """
        info = self.path / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        written = [self._write(path, text) for path, text in (files or {}).items()]
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        written.append(self._write(f"{info.name}/METADATA", text if metadata is None else metadata))
        if entry_points:
            written.append(self._write(f"{info.name}/entry_points.txt", _text_of(entry_points)))
        lines = [*(_record_line(self.path, each) for each in written), f"{info.name}/RECORD,,"]
        (info / "RECORD").write_text("\n".join(lines) + "\n", encoding="utf-8")
        importlib.invalidate_caches()
        return info

    def uninstall(self, name: str) -> None:
        """Remove a distribution and the files that its RECORD lists."""
        for info in self.path.glob(f"{name.replace('-', '_')}-*.dist-info"):
            for line in (info / "RECORD").read_text(encoding="utf-8").splitlines():
                (self.path / line.split(",")[0]).unlink(missing_ok=True)
            shutil.rmtree(info, ignore_errors=True)
        importlib.invalidate_caches()

    def _write(self, path: str, text: str) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


@contextmanager
def site_at(path: Path) -> Iterator[Site]:
    """A site in a folder, first on `sys.path` until the block is left.

    Modules that came from it leave `sys.modules` with it.
    """
    path.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(path))
    importlib.invalidate_caches()
    try:
        yield Site(path)
    finally:
        sys.path.remove(str(path))
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(f"{path}/"):
                del sys.modules[name]
        importlib.invalidate_caches()


def _text_of(entry_points: Mapping[str, str] | str) -> str:
    if isinstance(entry_points, str):
        return entry_points
    lines = [f"{name} = {value}" for name, value in entry_points.items()]
    return "\n".join(["[pegboard]", *lines, ""])


def _record_line(site: Path, file: Path) -> str:
    content = file.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{file.relative_to(site).as_posix()},sha256={digest},{len(content)}"
