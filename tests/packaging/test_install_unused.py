"""`pegboard install` of what isn't in use afterwards, with real pip: it is said, and no success."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard_desks import OFFLINE, Desk, desk_in
from pegboard_watched import code
from pegboard_wheels import write_wheel


@pytest.fixture(scope="module")
def shared(serving_environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that the tests of this file share; each has plugins of its own."""
    folder = tmp_path_factory.mktemp("unused") / "venv"
    shutil.copytree(serving_environment, folder, symlinks=True, copy_function=os.link)
    return folder


@pytest.fixture
def desk(shared: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk of the test's own."""
    names = ["gauge", "dice", "evil", "first", "clash", "odd"]
    with desk_in(shared, tmp_path, only=json.dumps(names)) as made:
        yield made


def wheel(desk: Desk, name: str, version: str, plugin: str = "", **files: str) -> Path:
    """A wheel with one plugin."""
    files = {f"{each}.py": text for each, text in files.items()}
    files.setdefault(f"{name}.py", code(int(version[0]), name=name))
    plugin = plugin or f"{name} = {name}"
    return write_wheel(desk.work / "wheels", name, version, files=files, plugin=plugin)


def test_with_a_host_that_watches_what_is_not_in_use_is_said_each_time(desk: Desk) -> None:
    desk.pegboard("install", desk.wheel("1"), *OFFLINE)
    desk.lock()
    with desk.serving("--watch"):
        newer = desk.wheel("2")
        told = [
            desk.pegboard("install", newer, *OFFLINE, expect=1, anywhere=True) for _ in range(2)
        ]

    assert [each.stdout.partition(": plugin")[0] for each in told] == ["quarantined: gauge"] * 2


def test_what_breaks_another_plugin_is_said_without_a_host(desk: Desk) -> None:
    desk.pegboard("install", wheel(desk, "dice", "1.0"), *OFFLINE)
    desk.lock()
    ran = desk.pegboard("install", wheel(desk, "evil", "1.0", dice="x = 1\n"), *OFFLINE, expect=1)
    again = desk.pegboard("install", "evil", *OFFLINE, expect=1)

    starts = [each.partition(": plugin")[0] for each in ran.stdout.splitlines()]
    assert {"quarantined: dice", "quarantined: evil"} <= set(starts)
    assert again.stdout.startswith("quarantined: evil: ")


def test_what_is_kept_out_and_what_is_hidden_is_said(desk: Desk) -> None:
    cube, odd = wheel(desk, "cube", "1.0"), wheel(desk, "odd", "1.0")
    rival = wheel(desk, "zodd", "1.0", "odd = zodd")

    kept = desk.pegboard("install", cube, *OFFLINE, expect=1)
    hidden = desk.pegboard("install", odd, rival, *OFFLINE, expect=1)
    told = desk.pegboard("install", "--json", cube, rival, *OFFLINE, expect=1)

    assert kept.stdout == "cube: kept out by 'only' (pegboard.toml:1)\n"
    assert "odd: zodd 1.0 is hidden by odd 1.0; `prefer` chooses\n" in hidden.stdout
    read = json.loads(told.stdout)
    assert (list(read["kept_out"]), list(read["hidden"])) == (["cube"], ["odd"])


@pytest.mark.parametrize("is_json", [True, False])
def test_what_pip_leaves_when_it_fails_is_followed(desk: Desk, shared: Path, is_json: bool) -> None:
    packages = next(shared.glob("lib/python*/site-packages"))
    with (desk.work / "pegboard.toml").open("a") as file:
        file.write('lock = "pegboard.lock"\n')
    name = "first" if is_json else "gauge"
    (packages / "taken.py").mkdir(exist_ok=True)
    wheels = (wheel(desk, name, "3.0"), wheel(desk, "clash", "1.0", taken="x = 1\n"))

    ran: Any = desk.pegboard("install", *["--json"][:is_json], *wheels, *OFFLINE, expect=1)

    assert f"pegboard: pip ended with 1, and has installed {name} 3.0" in ran.stderr
    if is_json:
        told = json.loads(ran.stdout)
        assert (told["ended"], told["came"][0]) == (1, "first 3.0")
        assert "first" in told["quarantined"]
    else:
        assert f"quarantined: {name}: " in ran.stdout
