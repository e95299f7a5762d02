"""Installed files are compared with RECORD; what could run and isn't listed is found."""

import importlib.util
import marshal
import os
import py_compile
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard.plugins.discovery import Found, discover
from pegboard.plugins.trust.identity import Inspected, inspect_installed
from pegboard.plugins.trust.record import digest_of_record, read_record
from pegboard.testing import Site, site_at

INNER = """
def answer():
    try:
        return 1
    except OSError:
        return 2
"""
FILES = {
    "trusty/__init__.py": "from trusty import inner\n",
    "trusty/inner.py": INNER,
    "trusty/data/words.txt": "a b c\n",
    "single.py": "x = 1\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder with one installed distribution, of a package and a module."""
    with site_at(tmp_path / "site") as made:
        made.install("trusty", entry_points={"trusty": "trusty.inner"}, files=FILES)
        yield made


def found_in(site: Site, name: str = "trusty") -> Found:
    """What discovery says of the plugin."""
    return discover(path=[str(site.path)]).found[name]


def problems_of(site: Site) -> list[str]:
    """What is wrong with the files of the plugin."""
    return [str(each) for each in inspect_installed(found_in(site)).problems]


def test_files_as_they_were_installed_are_right_and_nothing_is_imported(site: Site) -> None:
    inspected = inspect_installed(found_in(site))

    assert inspected.problems == ()
    assert inspected.files == 7
    assert (inspected.identity.distribution, inspected.identity.version) == ("trusty", "1.0")
    assert "trusty" not in __import__("sys").modules


def alter(site: Site) -> None:
    (site.path / "trusty/inner.py").write_text("def answer(): return 3\n")


def alter_data(site: Site) -> None:
    (site.path / "trusty/data/words.txt").write_text("d\n")


def alter_metadata(site: Site) -> None:
    (site.path / "trusty-1.0.dist-info/entry_points.txt").write_text("[pegboard]\ntrusty=os\n")


def remove(site: Site) -> None:
    (site.path / "trusty/data/words.txt").unlink()


def replace_by_folder(site: Site) -> None:
    (site.path / "single.py").unlink()
    (site.path / "single.py").mkdir()


def replace_by_pipe(site: Site) -> None:
    (site.path / "single.py").unlink()
    os.mkfifo(site.path / "single.py")


def add_module(site: Site) -> None:
    (site.path / "trusty/data/more.py").write_text("")


def add_extension(site: Site) -> None:
    (site.path / "trusty/inner.abi3.so").write_text("")


def add_bytecode(site: Site) -> None:
    (site.path / "trusty/other.pyc").write_bytes(b"")


def add_link(site: Site) -> None:
    (site.path / "elsewhere").mkdir()
    (site.path / "trusty/sub").symlink_to(site.path / "elsewhere")


def add_package_before_module(site: Site) -> None:
    (site.path / "single").mkdir()
    (site.path / "single/__init__.py").write_text("")


def add_extension_before_module(site: Site) -> None:
    (site.path / "single.so").write_text("")


def empty_record(site: Site) -> None:
    (site.path / "trusty-1.0.dist-info/RECORD").write_text("")


def garble_record(site: Site) -> None:
    (site.path / "trusty-1.0.dist-info/RECORD").write_text("single.py,sha256=x\n")


def remove_record(site: Site) -> None:
    (site.path / "trusty-1.0.dist-info/RECORD").unlink()


def unhash(site: Site) -> None:
    _change_record(site, "single.py,", lambda line: "single.py,,")


def hash_weakly(site: Site) -> None:
    _change_record(site, "single.py,", lambda line: line.replace("sha256", "md5"))


def unlist(site: Site) -> None:
    _change_record(site, "trusty/inner.py,", lambda line: "")


def _change_record(site: Site, start: str, change: Any) -> None:
    record = site.path / "trusty-1.0.dist-info/RECORD"
    lines = record.read_text().splitlines()
    changed = [change(each) if each.startswith(start) else each for each in lines]
    record.write_text("\n".join(filter(None, changed)))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (alter, ["trusty/inner.py differs from RECORD"]),
        (alter_data, ["trusty/data/words.txt differs from RECORD"]),
        (remove, ["trusty/data/words.txt is missing"]),
        (replace_by_folder, ["single.py is no file"]),
        (replace_by_pipe, ["single.py is no file"]),
        (add_module, ["trusty/data/more.py can be imported, and isn't in RECORD"]),
        (add_bytecode, ["trusty/other.pyc can be imported, and isn't in RECORD"]),
        (add_link, ["trusty/sub leads out of the package"]),
        (add_package_before_module, ["single/__init__.py would be imported in the place of"]),
        (add_extension_before_module, ["single.so would be imported in the place of single.py"]),
        (remove_record, ["trusty-1.0.dist-info has no RECORD"]),
        (empty_record, ["RECORD can't be read"]),
        (garble_record, ["RECORD can't be read: line 1"]),
        (unhash, ["single.py has no hash in RECORD"]),
        (hash_weakly, ["single.py has a hash in RECORD that proves nothing: md5"]),
        (add_extension, ["inner.abi3.so can be imported, and isn't", "imported as 'trusty.inner'"]),
        (unlist, ["inner.py can be imported, and isn't", "would be imported as 'trusty.inner'"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_as_it_was_installed_is_named(
    site: Site, damage: Any, words: list[str]
) -> None:
    damage(site)

    found = problems_of(site)

    assert len(found) == len(words), found
    assert all(word in line for word, line in zip(words, found, strict=True)), found


def test_an_altered_entry_point_is_named(site: Site) -> None:
    alter_metadata(site)

    found = problems_of(site)

    assert "trusty-1.0.dist-info/entry_points.txt differs from RECORD" in found
    assert [each for each in found if "would be imported as 'os'" in each]


def test_a_module_that_comes_earlier_on_the_path_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "first/trusty").mkdir(parents=True)
    (tmp_path / "first/trusty/__init__.py").write_text("")
    (tmp_path / "first/trusty/inner.py").write_text("")

    with site_at(tmp_path / "first"):
        (found,) = problems_of(site)

    assert f"{tmp_path}/first/trusty/inner.py would be imported as 'trusty.inner'" in found


def test_a_module_that_nobody_has_is_named(tmp_path: Path) -> None:
    with site_at(tmp_path / "site") as site:
        site.install("odd", entry_points={"odd": "odd.not_there"}, files={"odd.py": ""})

        (found,) = inspect_installed(found_in(site, "odd")).problems

    assert str(found) == "odd.not_there is the module of the entry point, and can't be found"


def test_files_of_others_in_a_namespace_package_are_not_ours_to_judge(tmp_path: Path) -> None:
    with site_at(tmp_path / "site") as site:
        for name in ("one", "two"):
            site.install(name, entry_points={name: f"ns.{name}"}, files={f"ns/{name}.py": "x = 1"})

        seen = [inspect_installed(found_in(site, name)) for name in ("one", "two")]

    assert [each.problems for each in seen] == [(), ()]


def compiled(site: Site, text: str, **options: Any) -> Path:
    """Bytecode that Python would take for that of `trusty/inner.py`, made of another text."""
    source = site.path / "trusty/inner.py"
    before, stat = source.read_text(), source.stat()
    source.write_text(text.ljust(len(before)))
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    kept = Path(str(py_compile.compile(str(source), doraise=True, **options)))
    source.write_text(before)
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return kept


UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


@pytest.mark.parametrize(
    "options",
    [{}, {"optimize": 1}, {"optimize": 2}, {"invalidation_mode": UNCHECKED}],
    ids=["by time and size", "optimised", "without docstrings", "by an unchecked hash"],
)
def test_bytecode_that_is_not_of_its_source_is_named(site: Site, options: Any) -> None:
    kept = compiled(site, "def answer(): return 'evil'", **options)

    (found,) = problems_of(site)

    assert found.startswith(f"trusty/__pycache__/{kept.name} isn't what its source compiles to")


@pytest.mark.parametrize("optimize", [0, 1, 2])
def test_bytecode_of_the_source_is_right(site: Site, optimize: int) -> None:
    for file in ("trusty/inner.py", "single.py"):
        py_compile.compile(str(site.path / file), optimize=optimize)

    assert problems_of(site) == []


def test_bytecode_from_another_place_is_right(site: Site, tmp_path: Path) -> None:
    shutil.copytree(site.path, tmp_path / "moved", dirs_exist_ok=True)
    moved = tmp_path / "moved/trusty/inner.py"
    kept = Path(str(py_compile.compile(str(moved))))
    target = Path(importlib.util.cache_from_source(str(site.path / "trusty/inner.py")))
    target.parent.mkdir()
    stat = (site.path / "trusty/inner.py").stat()
    header = kept.read_bytes()[:8] + int(stat.st_mtime).to_bytes(4, "little")
    target.write_bytes(header + kept.read_bytes()[12:])

    assert problems_of(site) == []


def test_stale_bytecode_is_not_run_and_is_right(site: Site) -> None:
    compiled(site, "def answer(): return 'old'")
    source = site.path / "trusty/inner.py"
    os.utime(source, (1, 1))

    assert problems_of(site) == []


def test_code_that_differs_in_its_handlers_only_is_named(site: Site) -> None:
    source = site.path / "trusty/inner.py"
    kept = Path(str(py_compile.compile(str(source))))
    code = marshal.loads(kept.read_bytes()[16:])
    answer = next(each for each in code.co_consts if hasattr(each, "co_code"))
    bare = answer.replace(co_exceptiontable=b"")
    consts = tuple(bare if each is answer else each for each in code.co_consts)
    kept.write_bytes(kept.read_bytes()[:16] + marshal.dumps(code.replace(co_consts=consts)))

    assert len(problems_of(site)) == 1


@pytest.mark.parametrize("rest", [b"", b"rubbish", marshal.dumps(3)])
def test_bytecode_that_cannot_be_read_is_named(site: Site, rest: bytes) -> None:
    kept = compiled(site, "")
    kept.write_bytes(kept.read_bytes()[:16] + rest)

    assert len(problems_of(site)) == 1


def _identity(site: Site) -> Inspected:
    return inspect_installed(found_in(site))


def test_the_digest_of_a_record_is_the_same_on_every_machine(site: Site) -> None:
    info = site.path / "trusty-1.0.dist-info"
    before = digest_of_record(read_record(info), info)
    added = (
        "../../../bin/trusty,sha256=aaa,1\r\ntrusty/__pycache__/inner.cpython-311.pyc,,\n"
        f"{info.name}/INSTALLER,sha256=bbb,4\n{info.name}/REQUESTED,sha256=ccc,0\n"
        f"{info.name}/direct_url.json,sha256=ddd,9\n"
    )
    lines = (info / "RECORD").read_text().splitlines(keepends=True)
    (info / "RECORD").write_text(added + "".join(reversed(lines)))

    assert digest_of_record(read_record(info), info) == before


@pytest.mark.parametrize("line", ["trusty/new.py,sha256=abc,3", "bin/tool.py,sha256=abc,3"])
def test_another_file_in_a_record_is_another_digest(site: Site, line: str) -> None:
    before = _identity(site).identity.record
    record = site.path / "trusty-1.0.dist-info/RECORD"
    record.write_text(f"{record.read_text()}{line}\n")

    assert _identity(site).identity.record != before
