"""What was printed is found again by its command line, and only while everything still holds."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.cache import state_of
from pegboard.cli import app, listing
from pegboard.cli.listed import asked_in, is_unicode, kept_text, key_of, path_of, text_in

WORDS = (
    "--board",
    "--board=one",
    "--config",
    "--config=a.toml",
    "--json",
    "--json=1",
    "--matrix",
    "--sdk",
    "--watch",
    "-v",
    "one",
    "",
)


@given(st.lists(st.sampled_from(WORDS), max_size=5))
def test_a_command_line_that_is_recognised_means_the_same_to_typer(words: list[str]) -> None:
    asked = asked_in(("tools", "--json", *words))

    if asked is not None:
        plan = app._read(["tools", "--json", *words])
        assert plan is not None
        config = None if plan.asked.config is None else str(plan.asked.config)
        shape = (True, False)
        assert key_of(plan.asked.board, config, shape=shape) == key_of(*asked, shape=shape)
        assert (plan.asked.is_json, plan.asked.is_verbose) == (True, False)
        assert plan.work.func is listing.tools


@pytest.mark.parametrize(
    "words",
    [
        ("tools", "--json"),
        ("tools", "--json", "--board", "b", "--config", "c"),
        ("tools", "--config", "c", "--json", "--board", "b"),
        ("tools", "--board=b", "--config=c", "--json"),
    ],
)
def test_options_are_recognised_in_any_order(words: tuple[str, ...]) -> None:
    assert asked_in(words) == ((None, None) if len(words) == 2 else ("b", "c"))


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("tools",),
        ("plugins", "--json"),
        ("--json", "tools"),
        ("tools", "--json", "--json"),
        ("tools", "--json", "--board"),
        ("tools", "--json", "--verbose"),
        ("tools", "--board", "--json"),
        ("tools", "--json", "more"),
    ],
)
def test_any_other_command_line_is_left_to_typer(words: tuple[str, ...]) -> None:
    assert asked_in(words) is None


def test_what_is_kept_is_given_back() -> None:
    kept = kept_text("key", {}, "☕\n\n[]\n")

    assert text_in(kept, "key") == "☕\n\n[]\n"


def test_another_key_of_the_same_file_gives_nothing() -> None:
    assert text_in(kept_text("key", {}, "[]\n"), "another") is None


@given(st.text(max_size=40), st.data())
def test_a_text_that_is_cut_or_full_of_zeros_gives_nothing(text: str, data: st.DataObject) -> None:
    kept = kept_text("key", {"/absent": "-"}, f"{text.replace(chr(0), '')}[]\n")
    at = data.draw(st.integers(0, len(kept) - 1))

    assert text_in(kept[:at], "key") is None
    zeros = f"{kept[:at]}{chr(0) * (len(kept) - at)}"
    assert zeros == kept or text_in(zeros, "key") is None


@pytest.mark.parametrize("before", ["-", "1796000000", "1796000000 3"])
def test_a_file_in_another_state_gives_nothing(tmp_path: Path, before: str) -> None:
    file = tmp_path / "file"
    file.write_text("text")

    assert text_in(kept_text("key", {str(file): before}, "[]\n"), "key") is None
    assert text_in(kept_text("key", {str(file): state_of(str(file))}, "[]\n"), "key") == "[]\n"


def test_a_state_that_is_missing_gives_nothing() -> None:
    kept = kept_text("key", {"/absent": "-"}, "[]\n").replace("/absent\0-", "/absent")

    assert text_in(kept, "key") is None


def test_the_key_tells_apart_what_may_be_printed_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [(True, True), (True, False), (False, False)]
    keys = {key_of(board, None, shape=shape) for board in (None, "b") for shape in shapes}
    keys |= {key_of(None, config, shape=shapes[0]) for config in ("c", "d")}
    monkeypatch.setattr(sys, "path", [*sys.path, "/more"])
    keys.add(key_of(None, None, shape=shapes[0]))

    assert len(keys) == 9
    assert None not in keys


def test_one_configuration_file_has_one_key_however_it_is_written() -> None:
    written = ("c.toml", "./c.toml", ".//c.toml", str(Path("c.toml").absolute()))

    assert len({key_of(None, each, shape=(True, False)) for each in written}) == 1


def test_a_configuration_above_has_no_key_since_links_may_lead_there() -> None:
    assert key_of(None, "../c.toml", shape=(True, False)) is None


def test_a_working_folder_that_is_gone_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "getcwd", (tmp_path / "gone").stat)

    assert key_of(None, None, shape=(True, False)) is None


def test_different_keys_lie_in_different_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", "/cache")
    places = {path_of(f"a long key that ends with {number}") for number in range(1000)}

    assert len(places) == 1000
    assert all(str(each).startswith("/cache/listings/") for each in places)


def test_without_a_cache_folder_there_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", "")

    assert path_of("key") is None


@pytest.mark.parametrize(
    ("encoding", "has_all"),
    [(None, True), ("utf-8", True), ("UTF8", True), ("ascii", False), ("utf-16", False)],
)
def test_only_utf_8_is_taken_for_an_encoding_of_every_character(
    encoding: str | None, *, has_all: bool
) -> None:
    assert is_unicode(encoding) is has_all
