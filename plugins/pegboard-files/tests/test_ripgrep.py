"""ripgrep, the real one: it finds what the search without it finds, and sees no path."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pegboard import Outcome, PluginLoadError, ToolCall
from pegboard_files import sifting
from pegboard_files.dialects import Dialect

Call = Callable[..., Outcome]
Calls = Callable[[list[ToolCall]], list[Outcome]]
Program = Callable[[str], Path]

LONG = "x" * 10_000
PIECES = [
    *(
        "a",
        "B",
        "é",
        "☕",
        "k",
        "\u212a",
        "\u017f",
        "_",
        "0",
        "5",
        " ",
        "\t",
        ".",
        "-",
        "{",
        "}",
        "]",
    ),
    *("\\.", "\\d", "\\w", "\\s", "\\S", "\\W", "\\b", "\\(", "[ab]", "[^a]", "[a-f]", "[é☕]"),
    *("[^\\w]", "(", ")", "(?:", "|", "*", "+", "?", "{2}", "{1,3}", "^", "$", "a{0,1}", "\\r"),
]
patterns = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)
bytes_of_lines = st.lists(
    st.sampled_from(
        [b"a", b"B", b"0", b"5_", b" ", b"\t", b"-.{}]", b"k", b"S", b"\r", b"\n", b"\r\n", b"\xff"]
        + [each.encode() for each in ("é", "☕", "\u212a", "\u017f")]
        + [b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\0", LONG.encode()]
    ),
    max_size=12,
).map(b"".join)
starts = st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])


@pytest.fixture
def watched(program: Program, ripgrep: str, tmp_path: Path) -> Path:
    """The real ripgrep, whose arguments are kept in `calls`."""
    return program(f'printf "%s\\n" "$@" end >>{tmp_path}/calls\nexec {ripgrep} "$@"')


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    pattern=patterns,
    files=st.lists(st.tuples(starts, bytes_of_lines), min_size=1, max_size=4),
    plain=st.booleans(),
    ignore_case=st.booleans(),
)
@example(pattern="a$", files=[(b"", b"a\r\r\n")], plain=False, ignore_case=False)
@example(pattern="a.B", files=[(b"", b"a\xed\xa0\x80B")], plain=False, ignore_case=False)
@example(pattern="a[^a]B", files=[(b"", b"a\xe0\x80\x80B")], plain=False, ignore_case=False)
@example(pattern="\\W", files=[(b"", "\u017f".encode())], plain=False, ignore_case=True)
@example(pattern="k", files=[(b"", "\u212a".encode())], plain=True, ignore_case=True)
def test_with_and_without_ripgrep_a_search_finds_the_same(
    hosted: Callable[..., Calls],
    engines: list[Calls],
    root: Path,
    *,
    pattern: str,
    files: list[tuple[bytes, bytes]],
    plain: bool,
    ignore_case: bool,
) -> None:
    for each in root.glob("file*"):
        each.unlink()
    for number, parts in enumerate(files):
        (root / f"file{number}").write_bytes(b"".join(parts))
    arguments = {"pattern": pattern, "plain": plain, "ignore_case": ignore_case}

    own, other = (calls([ToolCall("1", "files_search", arguments)])[0] for calls in engines)

    assert own.is_error == other.is_error
    assert own.is_error or essence(own) == essence(other)


def essence(outcome: Outcome) -> object:
    """What a search found; without the count of long lines, of which ripgrep leaves some out."""
    value = outcome.unwrap()
    notes = [each for each in value["notes"] if not each.startswith("lines searched only")]
    return value["matches"], value["files_searched"], notes


@pytest.fixture
def engines(hosted: Callable[..., Calls], ripgrep: str) -> list[Calls]:
    """A host that searches without ripgrep, and one that does with it."""
    return [hosted(search_with="own"), hosted(search_with="ripgrep", ripgrep=ripgrep)]


def test_ripgrep_is_used_and_is_given_no_path_and_no_option_of_a_model(
    call: Call, root: Path, watched: Path, tmp_path: Path
) -> None:
    (root / "--pre=sh").write_text("one --files\n")

    found = call("files_search", {"pattern": "--files", "plain": True}, ripgrep=str(watched))

    assert [each["path"] for each in found.unwrap()["matches"]] == ["--pre=sh"]
    *given_, last = (tmp_path / "calls").read_text().split("\n")[:-1]
    assert (last, "--regexp=--files" in given_) == ("end", True)
    names = given_[given_.index("--") + 1 :]
    assert len(names) == 2
    assert all(re.fullmatch(r"/dev/fd/\d+", each) for each in names)


OPTIONS = ["-e", "--", "--files", "--pre=sh", "-f/etc/passwd", "--follow", "-", "--no-config"]


@pytest.mark.parametrize("plain", [True, False])
def test_no_pattern_is_an_option(engines: list[Calls], root: Path, *, plain: bool) -> None:
    (root / "file").write_text("-e -- --files --pre=sh -f/etc/passwd --follow --no-config $(id)\n")
    batch = [
        ToolCall(each, "files_search", {"pattern": each, "plain": plain})
        for each in (*OPTIONS, "$(id)")
    ]

    own, other = (calls(batch) for calls in engines)

    assert list(map(essence, own)) == list(map(essence, other))


def test_files_are_looked_at_in_their_order_and_few_at_a_time(
    call: Call, root: Path, watched: Path, tmp_path: Path
) -> None:
    count = 2 * sifting.MOST_FILES + 5
    for number in range(count):
        (root / f"{number:04}").write_text("one\n" if number % 3 == 0 else "two\n")
    before = len(list(Path("/dev/fd").iterdir()))

    value = call("files_search", {"pattern": "^one"}, ripgrep=str(watched)).unwrap()

    assert [each["path"] for each in value["matches"]] == [f"{n:04}" for n in range(0, count, 3)]
    assert value["files_searched"] == count + 1
    assert (tmp_path / "calls").read_text().count("\nend\n") == 3
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.parametrize("more", [{"max_matches": 7}, {"max_bytes": 200}, {"max_file_bytes": 100}])
def test_limits_hold_with_ripgrep_as_without(
    call: Call, root: Path, ripgrep: str, more: dict[str, int]
) -> None:
    for number in range(100):
        (root / f"{number:02}").write_text("padding\n" * number + "one\n")

    own, other = (
        call("files_search", {"pattern": "one"}, search_with=engine, ripgrep=ripgrep, **more)
        for engine in ("own", "ripgrep")
    )

    assert own.unwrap() == other.unwrap()


def test_a_configuration_of_ripgrep_is_not_read(
    call: Call, root: Path, ripgrep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "config").write_text("--invert-match\n")
    (root / ".ignore").write_text("*\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(root / "config"))

    value = call("files_search", {"pattern": "^- one"}, ripgrep=ripgrep).unwrap()

    assert [each["path"] for each in value["matches"]] == ["notes/overview.md"]


@pytest.mark.parametrize("name", ["rg-that-is-missing", "/nowhere/rg", "./rg", "bin/rg", ""])
def test_ripgrep_that_is_missing_is_an_error_where_it_is_asked_for_only(
    call: Call, name: str
) -> None:
    found = call("files_search", {"pattern": "one"}, ripgrep=name).unwrap()

    assert len(found["matches"]) == 1
    with pytest.raises(PluginLoadError, match="search_with asks for ripgrep, and no program"):
        call("files_list", {}, search_with="ripgrep", ripgrep=name)


@pytest.mark.parametrize(
    ("pattern", "is_known"),
    [
        *(
            (each, True)
            for each in ("one", "a.b*", "^\\s*def \\w+\\(", "[A-Za-z_]+$", "a|b", "\\bx")
        ),
        *((each, False) for each in ("(?i)a", "(?P<n>a)", "\\pL", "[[:alpha:]]", "\\x41", "a$b")),
        *(
            (each, False)
            for each in ("\\Aa", "a\\z", "\\Qa\\E", "[a&&b]", "\\n", "a\0", "\\B", "[]a]")
        ),
    ],
)
def test_what_two_programs_may_read_in_two_ways_is_searched_without_ripgrep(
    pattern: str, is_known: bool
) -> None:
    options = Dialect(pattern, is_plain=False, ignores_case=False).options()

    assert (options is not None) is is_known
