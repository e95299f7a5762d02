"""What a plugin is before any of its code runs, and what is wrong with its files."""

import hashlib
from pathlib import Path

import attrs

from pegboard.plugins.discovery import Found
from pegboard.plugins.modules import editable_folders
from pegboard.plugins.trust.files import FileProblem, file_problems, module_problem
from pegboard.plugins.trust.lockfile import Identity
from pegboard.plugins.trust.record import RecordLine, digest_of_record, read_record


@attrs.frozen
class Inspected:
    """What reading the files of a plugin told; none of its code has run.

    Attributes:
        identity: what it is.
        files: how many files were compared with RECORD.
        problems: what is wrong with them.
    """

    identity: Identity
    files: int = 0
    problems: tuple[FileProblem, ...] = ()


def inspect_installed(found: Found) -> Inspected:
    """An installed plugin: every file against RECORD, and the module of its entry point.

    The files of its adapter too, where it has one; what it is says nothing of that.
    """
    own = _inspected(found)
    if found.adapter is None:
        return own
    shared = _inspected(found.adapter)
    problems = tuple(dict.fromkeys((*own.problems, *shared.problems)))
    return Inspected(own.identity, own.files + shared.files, problems)


def _inspected(found: Found) -> Inspected:
    """The same of one distribution."""
    identity = Identity(found.distribution, found.version)
    metadata = found.metadata or found.location
    try:
        lines = read_record(metadata)
    except FileNotFoundError:
        return Inspected(identity, problems=(FileProblem(metadata.name, "has no RECORD"),))
    except (OSError, ValueError) as error:
        wrong = FileProblem(f"{metadata.name}/RECORD", f"can't be read: {error}")
        return Inspected(identity, problems=(wrong,))
    record = digest_of_record(lines, metadata)
    problems = (*file_problems(metadata, lines), *_of_module(found, metadata, lines))
    identity = attrs.evolve(identity, record=record)
    return Inspected(identity, len(lines), tuple(dict.fromkeys(problems)))


def is_editable(found: Found) -> bool:
    """Whether the sources of a plugin are elsewhere, where no RECORD lists them."""
    return bool(editable_folders(found))


def _of_module(
    found: Found, metadata: Path, lines: tuple[RecordLine, ...]
) -> tuple[FileProblem, ...]:
    """Nothing for an editable install, whose sources no RECORD lists."""
    if is_editable(found):
        return ()
    problem = module_problem(metadata.parent, found.module, lines)
    return () if problem is None else (problem,)


def inspect_file(path: Path) -> Inspected:
    """A plugin that is one file."""
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return Inspected(
            Identity(), problems=(FileProblem(str(path), f"can't be read: {error.strerror}"),)
        )
    return Inspected(Identity(file=f"sha256:{digest}"), 1)
