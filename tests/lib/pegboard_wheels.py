"""Wheels written by hand, for pip to install without an index; it needs nothing but Python."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

_BACKEND = """
from pathlib import Path
from pegboard_wheels import write_wheel

def build_editable(folder, config_settings=None, metadata_directory=None):
    files = {{"_{name}.pth": f"{{Path(__file__).parent / 'src'}}\\n"}}
    made = write_wheel(
        Path(folder), "{name}", "{version}", files=files, plugin="{name} = {name}"
    )
    return made.name
"""
_PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "{name}"
version = "{version}"
"""


def write_project(folder: Path, name: str, version: str, *, files: Mapping[str, str]) -> Path:
    """A project with one plugin of its name, which pip can install as editable without an index.

    Args:
        folder: where it is written.
        name: the name of its distribution, of its plugin and of its module.
        version: its version.
        files: text by path below its `src`.
    """
    for path, text in files.items():
        (folder / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "src" / path).write_text(text)
    (folder / "backend.py").write_text(_BACKEND.format(name=name, version=version))
    (folder / "pegboard_wheels.py").write_text(Path(__file__).read_text())
    (folder / "pyproject.toml").write_text(_PROJECT.format(name=name, version=version))
    return folder


def write_wheel(
    folder: Path, name: str, version: str, *, files: Mapping[str, str], plugin: str
) -> Path:
    """A wheel of text files, with one plugin.

    Args:
        folder: where it is written.
        name: the name of its distribution.
        version: its version.
        files: text by path.
        plugin: the line of its entry point.
    """
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    texts = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[pegboard]\n{plugin}\n",
    }
    record = [*map(_line, texts, texts.values()), f"{info}/RECORD,,"]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in texts.items():
            archive.writestr(file, text)
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return path


def _line(file: str, text: str) -> str:
    content = text.encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{file},sha256={digest},{len(content)}"
