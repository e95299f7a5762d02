"""An interpreter with packages as an image of a container has it, and users that nobody knows."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

NOBODY = 54321
"""A user without an entry in any list; only a test that runs as root can be one."""
_VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
_LEFT_OUT = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "config-*")


@attrs.frozen
class Image:
    """A folder that everybody may read, and nobody but its owner may write.

    Attributes:
        folder: the folder.
        python: the interpreter in it, or one that everybody reaches.
    """

    folder: Path
    python: Path

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        return next(self.folder.glob("*/lib/python*/site-packages"))

    @property
    def cache(self) -> Path:
        """Where its catalogue is, if it has one."""
        return self.folder / "cache"

    def pegboard(self, *words: str, expect: int = 0, umask: int = 0o022, **variables: str) -> Any:
        """What the command leaves to the owner of the image."""
        how = {"umask": umask}
        return _ran(self, words, {"HOME": str(self.folder)} | variables, expect, how)

    def stranger(self, *words: str, expect: int = 0, **variables: str) -> Any:
        """The same to somebody without a home folder who may write nowhere."""
        is_root = os.geteuid() == 0
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root else {}
        return _ran(self, words, variables, expect, who)

    def close(self) -> None:
        """Let nobody write there any more, and keep whole seconds, as layers of images do."""
        for path in (self.folder, *self.folder.rglob("*")):
            if not path.is_symlink():
                second = int(path.stat().st_mtime)
                os.utime(path, (second, second))
        for path in (self.folder, *(each for each in self.folder.rglob("*") if each.is_dir())):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)


@contextmanager
def image_of(environment: Path) -> Iterator[Image]:
    """An image with the packages of a virtual environment; files are linked, not copied."""
    folder = Path(tempfile.mkdtemp(prefix="pb-image-"))
    folder.chmod(0o755)
    try:
        yield Image(folder, _python_in(folder, environment))
    finally:
        for path in (folder, *folder.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)


def _python_in(folder: Path, environment: Path) -> Path:
    base = Path(sys.base_prefix).resolve()
    if _is_reached(base / "lib" / _VERSION):
        shutil.copytree(environment, folder / "python", symlinks=True, copy_function=_link)
        return folder / "python" / "bin" / "python"
    own = folder / "python"
    (own / "bin").mkdir(parents=True)
    left_out = shutil.ignore_patterns(*_LEFT_OUT)
    library = own / "lib" / _VERSION
    shutil.copytree(base / "lib" / _VERSION, library, ignore=left_out, copy_function=_link)
    packages = next(environment.glob("lib/python*/site-packages"))
    shutil.copytree(packages, library / "site-packages", copy_function=_link)
    for shared in (base / "lib").glob("libpython*"):
        _link(str(shared.resolve()), str(own / "lib" / shared.name))
    _link(str(Path(sys.executable).resolve()), str(own / "bin" / _VERSION))
    return own / "bin" / _VERSION


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _is_reached(path: Path) -> bool:
    """Whether everybody may go into a folder and all around it."""
    return all(each.stat().st_mode & 0o005 == 0o005 for each in (path, *path.parents))


def _ran(
    image: Image, words: tuple[str, ...], variables: dict[str, str], expect: int, who: Any
) -> Any:
    usual = {"PATH": "/usr/bin:/bin", "PEGBOARD_CACHE": str(image.cache)}
    library = {"LD_LIBRARY_PATH": str(image.folder / "python" / "lib")}
    environment = {**usual, **library, **variables}
    command = [str(image.python), "-m", "pegboard", *words]
    ran = subprocess.run(
        command,
        cwd=image.folder,
        env={key: each for key, each in environment.items() if each != "unset"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **who,
    )
    assert ran.returncode == expect, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran
