"""`pegboard new`: the package of a plugin that works at once."""

from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from string import Template

import pegboard
from pegboard.cli.jsons import print_json
from pegboard.cli.mistakes import UsageError
from pegboard.cli.naming import Names, names_of
from pegboard.cli.streams import Streams, legible


async def new(streams: Streams, *, name: str, directory: Path | None, is_json: bool) -> int:
    """Write a package with one tool and its tests, all of it or nothing."""
    names = names_of(name)
    folder = Path(names.distribution) if directory is None else directory
    texts = _texts(names)
    _check_free(folder)
    try:
        _write(folder, texts)
    except OSError as error:
        raise UsageError(f"{str(folder)!r} can't be written: {error.strerror}") from None
    if is_json:
        told = {"plugin": names.plugin, "distribution": names.distribution}
        print_json({**told, "directory": str(folder), "files": list(texts)}, streams)
    else:
        streams.result("\n".join(legible(str(folder / path)) for path in texts))
    streams.message(f"now, in {str(folder)!r}: pip install -e '.[test]', and pytest")
    return 0


def _texts(names: Names) -> dict[str, str]:
    """The files of the package: their text by path."""
    words = {
        "plugin": names.plugin,
        "distribution": names.distribution,
        "module": names.module,
        "prefix": names.prefix,
        "least": ".".join(pegboard.__version__.split(".")[:2]),
    }
    places = {
        ".gitignore": "gitignore",
        "README.md": "README.md",
        "pyproject.toml": "pyproject.toml",
        f"src/{names.module}/__init__.py": "plugin.py",
        f"tests/test_{names.prefix}.py": "tests.py",
    }
    folder = files("pegboard.cli") / "template"
    texts = {
        path: Template((folder / f"{source}.txt").read_text(encoding="utf-8")).substitute(words)
        for path, source in places.items()
    }
    return texts | {f"src/{names.module}/py.typed": ""}


def _check_free(folder: Path) -> None:
    """Refuse a place where something is."""
    try:
        is_free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    except OSError as error:
        raise UsageError(f"{str(folder)!r} can't be read: {error.strerror}") from None
    if not is_free:
        what = "a folder that isn't empty" if folder.is_dir() else "a file"
        raise UsageError(f"{str(folder)!r} is {what}; choose another place with --directory")


def _write(folder: Path, texts: dict[str, str]) -> None:
    with ExitStack() as stack:
        for path, text in texts.items():
            _make_folders((folder / path).parent, stack)
            with (folder / path).open("x", encoding="utf-8", newline="\n") as file:
                stack.callback((folder / path).unlink)
                file.write(text)
        stack.pop_all()


def _make_folders(folder: Path, stack: ExitStack) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir()
        stack.callback(each.rmdir)
