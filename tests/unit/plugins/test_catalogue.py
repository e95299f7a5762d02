"""What is kept on disk of installed plugins, and when it is believed."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Output, Tool, ToolAnnotations
from pegboard.cache import cache_folder, is_settled, read_own, state_of, write_whole
from pegboard.config import Config, PluginConfig
from pegboard.plugins.catalogue.catalogue import Kept, read_catalogue, write_catalogue
from pegboard.plugins.catalogue.environment import Environment
from pegboard.plugins.catalogue.record import Record, digest_of_options, placeholder, told_of
from pegboard.plugins.discovery import discover
from pegboard.registry import Generation, Owner, tool_entry
from pegboard.testing import Site, site_at
from pegboard_deferred import install, settle

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]), max_size=30)
MAYBE = st.none() | st.booleans()
JSONS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    """Tools with everything that anybody is shown of them."""
    properties = draw(st.dictionaries(NAMES, st.fixed_dictionaries({"default": JSONS}), max_size=3))
    return Tool(
        name=draw(NAMES),
        description=draw(TEXTS),
        parameters={"type": "object", "properties": properties},
        output=draw(st.none() | st.just({"type": "string"}).map(Output)),
        run=print,
        title=draw(st.none() | TEXTS),
        timeout=draw(st.none() | st.floats(min_value=0.1, max_value=1e6)),
        concurrency_safe=draw(MAYBE),
        annotations=draw(st.none() | st.builds(ToolAnnotations, MAYBE, MAYBE, MAYBE, MAYBE)),
        tags=draw(st.sets(TEXTS, max_size=3)),
        defer_loading=draw(st.booleans()),
        extra=draw(st.sampled_from(["drop", "forbid", "keep"])),
        secret_parameters=draw(st.sets(NAMES, max_size=2)),
        passthrough=draw(st.dictionaries(NAMES, JSONS, max_size=2)),
    )


@given(tools(), NAMES)
def test_whatever_is_shown_of_a_tool_comes_back_from_the_catalogue(tool: Tool, name: str) -> None:
    generation = Generation(Owner("p"))
    entry = tool_entry(tool, generation, config=Config(), layer="global", name=name)
    record = Record("mark", "options", tools=(told_of(entry),))

    with_plugin = Kept(records={"p": record}).text()
    (told,) = read_back(with_plugin).records["p"].tools
    again = tool_entry(
        placeholder(told, plugin="p"), generation, config=Config(), layer="global", name=name
    )

    assert again.digest == entry.digest
    assert told_of(again) == told
    assert (again.tool.extra, again.tool.tags) == (tool.extra, tool.tags)


def read_back(text: str) -> Kept:
    """What a catalogue of this text holds."""
    folder = cache_folder()
    assert folder is not None
    assert write_catalogue(Kept())
    (file,) = Path(folder, "catalogue").glob("*.json")
    file.write_text(text, encoding="utf-8")
    return read_catalogue()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with `greet` in it, and nothing else on the path."""
    with site_at(tmp_path / "site") as site:
        install(site)
        before = list(sys.path)
        sys.path[:] = [str(site.path)]
        yield site
        sys.path[:] = before


def kept_now() -> Kept:
    """A catalogue of what is installed now."""
    found = discover()
    environment = Environment.now().with_plugins(found.offers)
    return Kept(environment, found.offers, found.problems)


def test_a_catalogue_is_believed_as_long_as_nothing_has_changed(site: Site) -> None:
    assert write_catalogue(kept_now())

    again = read_catalogue()

    found = again.discovery(prefer=())
    assert again == kept_now()
    assert found is not None
    assert found.found == discover().found


def touch(path: Path) -> None:
    """Have a file look as if somebody had changed it just now."""
    status = path.stat()
    os.utime(path, (status.st_atime, status.st_mtime + 30))


INFO = "greet-1.0.dist-info"
EDITS = {
    "an edited entry point": lambda site: touch(site.path / INFO / "entry_points.txt"),
    "an edited METADATA": lambda site: touch(site.path / INFO / "METADATA"),
    "an edited RECORD": lambda site: touch(site.path / INFO / "RECORD"),
    "a new distribution": lambda site: site.install("new"),
    "one that is gone": lambda site: site.uninstall("greet"),
    "an upgrade": lambda site: install(site, version="2.0"),
    "metadata that came": lambda site: (site.path / INFO / "direct_url.json").write_text("{}"),
    "a folder on the path": lambda site: sys.path.append(str(site.path.parent)),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_catalogue_is_not_believed_after(edit: str, site: Site) -> None:
    write_catalogue(kept_now())

    EDITS[edit](site)

    kept = read_catalogue()
    assert kept.discovery(prefer=()) is None


EDITABLE = {
    "an edit": lambda folder: touch(folder / "src/mine/__init__.py"),
    "a new module": lambda folder: (folder / "src/mine/more.py").write_text(""),
    "a module that is gone": lambda folder: (folder / "src/mine/part.py").unlink(),
}


@pytest.mark.parametrize("edit", EDITABLE)
def test_a_catalogue_is_not_believed_after_a_change_of_an_editable_install(
    edit: str, site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    for name in ("__init__.py", "part.py"):
        (folder / "src/mine").mkdir(parents=True, exist_ok=True)
        (folder / "src/mine" / name).write_text("")
    told = f'{{"url": "file://{folder}", "dir_info": {{"editable": true}}}}'
    site.install(
        "mine", entry_points={"mine": "mine"}, files={"mine-1.0.dist-info/direct_url.json": told}
    )
    settle(site.path)
    settle(folder)
    kept = kept_now()
    assert kept.environment is not None
    assert (kept.environment.is_settled, kept.environment.is_current) == (True, True)

    EDITABLE[edit](folder)

    assert not kept.environment.is_current


def test_what_was_changed_a_moment_ago_is_not_settled(site: Site) -> None:
    (site.path / INFO / "RECORD").write_text("")

    assert not Environment.now().with_plugins(discover().offers).is_settled


@pytest.mark.parametrize("states", [(), ("-",), ("100",), ("100 5", "-")])
def test_what_has_not_changed_for_two_seconds_is_settled(states: tuple[str, ...]) -> None:
    assert is_settled(states, now=102.0)
    assert not is_settled((*states, "101 7"), now=102.0)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"key": []}', "\x00", "{}" * 5])
def test_a_catalogue_that_is_damaged_is_an_empty_one(text: str) -> None:
    assert read_back(text) == Kept()


@given(st.data())
def test_no_damage_to_a_catalogue_raises(data: st.DataObject) -> None:
    text = Kept(records={"p": Record("m", "o")}, environment=Environment({"a": "-"}, True)).text()
    start, end = (data.draw(st.integers(0, len(text))) for _ in range(2))

    read_back(text[:start] + data.draw(TEXTS) + text[end:])


def test_without_a_folder_nothing_is_kept_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", "")
    assert (cache_folder(), write_catalogue(Kept()), read_catalogue()) == (None, False, Kept())

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path / "file"))
    assert (write_catalogue(Kept()), read_catalogue()) == (False, Kept())


def test_the_folder_is_the_variables_or_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    usual = f"{os.environ['XDG_CACHE_HOME']}/pegboard"
    assert cache_folder() == usual
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path))
    named = cache_folder()
    monkeypatch.delenv("PEGBOARD_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert (named, cache_folder()) == (str(tmp_path), str(tmp_path / ".cache/pegboard"))


@pytest.mark.parametrize("home", ["", "/", "relative"])
def test_without_a_home_there_is_no_folder(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", home)

    assert cache_folder() is None


def test_a_file_that_others_can_write_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert write_whole(str(path), "text\r\n")
    own = read_own(str(path))
    path.chmod(0o666)

    assert (own, read_own(str(path))) == ("text\r\n", None)


def test_the_state_of_a_file_tells_its_time_and_size(tmp_path: Path) -> None:
    file = tmp_path / "file"
    missing = state_of(str(file))
    file.write_text("abc")
    os.utime(file, (7, 7))

    assert (missing, state_of(str(file))) == ("-", "7 3")
    assert state_of("a\0b") == "-"


def test_the_digest_of_options_tells_settings_and_names_apart() -> None:
    options = [
        PluginConfig(),
        PluginConfig({"root": "a"}),
        PluginConfig({"root": "b"}),
        PluginConfig(prefix="x_"),
        PluginConfig(rename={"a": "b"}),
    ]

    assert len({digest_of_options(each) for each in options}) == len(options)
    assert digest_of_options(PluginConfig(eager=True)) == digest_of_options(PluginConfig())
