"""Plugins that pip installed, or that are a file: found, loaded, called and gone again."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    PluginLoadError,
)
from pegboard.testing import Site, site_at

TOOL = '''
from pegboard import tool

@tool
def greet(name: str) -> str:
    """Greet."""
    return "hej " + name
'''


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


async def test_an_installed_plugin_is_found_loaded_called_and_unloaded(site: Site) -> None:
    site.install("greeter", entry_points={"greet": "greeter_mod"}, files={"greeter_mod.py": TOOL})

    async with Host() as host:
        info = host.plugins["greet"]
        board = await host.board("a")
        outcome = await board.call("greet", {"name": "Ada"})
        report = await host.unload("greet")
        gone = await board.call("greet", {"name": "Ada"})

    assert (info.state, info.distribution, info.version) == ("loaded", "greeter", "1.0")
    assert outcome.unwrap() == "hej Ada"
    assert isinstance(gone, Failure)
    assert gone.code is Code.UNKNOWN_TOOL
    assert (report.errors, report.leaked, report.still_running) == ((), (), ())
    assert "greeter_mod" not in sys.modules


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import not_there", "ModuleNotFoundError"),
        ("raise SystemExit(2)", "SystemExit"),
        ("exit()", "SystemExit"),
        ("1/0", "ZeroDivisionError"),
        ("def (", "SyntaxError"),
        ("raise BaseException('odd')", "odd"),
        ("x = 1", "without hooks and without tools"),
    ],
)
async def test_a_plugin_that_cannot_be_imported_is_listed_and_costs_only_itself(
    site: Site, body: str, reason: str
) -> None:
    site.install("good", entry_points={"good": "good_mod"}, files={"good_mod.py": TOOL})
    site.install("bad", entry_points={"bad": "bad_mod"}, files={"bad_mod.py": body})

    async with Host() as host:
        bad = host.plugins["bad"]
        board = await host.board("a")
        outcome = await board.call("greet", {"name": "x"})

    assert (bad.state, bad.distribution, bad.version) == ("failed", "bad", "1.0")
    assert reason in (bad.error or "")
    assert not outcome.is_error
    assert "bad_mod" not in sys.modules


async def test_an_attribute_that_is_missing_is_the_reason(site: Site) -> None:
    site.install("bad", entry_points={"bad": "bad_mod:missing"}, files={"bad_mod.py": TOOL})

    async with Host() as host:
        error = host.plugins["bad"].error

    assert "missing" in (error or "")


@pytest.mark.parametrize(
    "text",
    [
        "[pegboard]\nno equals sign\n",
        "[pegboard]\na = b\na = c\n",
        "rubbish",
        "[pegboard]\nx = 1/2\n",
    ],
)
async def test_broken_metadata_costs_only_its_own_plugins(site: Site, text: str) -> None:
    site.install("good", entry_points={"good": "good_mod"}, files={"good_mod.py": TOOL})
    site.install("broken", entry_points=text + "\n# pegboard", files={"broken_mod.py": TOOL})

    async with Host() as host:
        names, problems = list(host.plugins), host.problems

    assert "good" in names
    assert [problem for problem in problems if "broken" in problem.path]


async def test_left_over_metadata_is_reported_and_hides_nothing(site: Site) -> None:
    site.install("up", "2.0", entry_points={"new": "up_mod"}, files={"up_mod.py": TOOL})
    (site.path / "up-0.9.dist-info").mkdir()

    async with Host() as host:
        info, problems = host.plugins["new"], host.problems

    assert (info.state, info.version) == ("loaded", "2.0")
    assert [problem for problem in problems if "up-0.9" in problem.path]


async def test_of_two_distributions_with_one_name_the_order_decides(site: Site) -> None:
    for each in ("b", "a"):
        site.install(f"vend-{each}", entry_points={"vend": f"v{each}"}, files={f"v{each}.py": TOOL})

    async with Host() as host:
        by_name = host.plugins["vend"]
    async with Host(Config(prefer=("vend-b",))) as host:
        preferred = host.plugins["vend"]

    assert (by_name.distribution, by_name.hidden) == ("vend-a", ("vend-b 1.0",))
    assert preferred.distribution == "vend-b"


async def test_what_the_configuration_blocks_is_never_imported(site: Site) -> None:
    site.install("greeter", entry_points={"greet": "greeter_mod"}, files={"greeter_mod.py": TOOL})

    async with Host(Config(block=("greet", "not_installed"))) as host:
        state = host.plugins["greet"].state

    assert state == "blocked"
    assert "greeter_mod" not in sys.modules


async def test_a_required_plugin_that_is_missing_stops_the_host(site: Site) -> None:
    with pytest.raises(PluginLoadError, match="'absent' is required"):
        async with Host(Config(required=("absent",))):
            pass


async def test_a_file_is_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "my_tools_of_mine.py").write_text(TOOL)

    async with Host(discover=False) as host:
        info = await host.load(str(tmp_path / "my_tools_of_mine.py"))
        tools = list(host.tools)
        await host.unload(info.name)

    assert (info.name, tools) == ("my_tools_of_mine", ["greet"])
    assert "my_tools_of_mine" not in sys.modules
