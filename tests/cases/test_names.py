"""The cases of section Names."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    JSON,
    CollisionError,
    Config,
    Host,
    InvalidNameError,
    NameTable,
    PluginLoadError,
    ReservedNameError,
    RunContext,
    Tool,
)
from pegboard_cases import says
from pegboard_offers import Offering, attach, named, offer, register

ODD = ("bash ", "b\u0430sh", "bash\u200b", "", "1st", "a.b", "x" * 65)

raw_names = st.lists(
    st.text(max_size=90) | st.text("aAbB/._-1", max_size=6) | st.sampled_from(["run_code", "a_b"]),
    max_size=12,
)


async def test_p_196_a_twin_in_case_on_one_layer_is_refused_with_both_names() -> None:
    async with Host(discover=False) as host:
        host.register(named("search"))

        with pytest.raises(CollisionError) as caught:
            host.register(named("Search"))

    assert says(str(caught.value), "'search'", "'Search'")


async def test_p_196_a_boards_own_twin_hides_the_inherited_one_and_explain_says_so() -> None:
    async with Host(discover=False) as host:
        host.register(named("search"))
        board = await host.board("a")
        board.register(named("Search"))

        explained = board.explain("search")

        assert list(board.tools) == ["Search"]
        assert not explained.visible
        assert says(str(explained), "'search'", "is shadowed by 'Search'", "board 'a'")


@pytest.mark.parametrize("name", ["bash", "Bash"])
@pytest.mark.parametrize("where", [None, "a"])
async def test_p_197_another_plugin_cannot_register_a_reserved_name(
    name: str, where: str | None
) -> None:
    async with Host(discover=False) as host:
        await host.board("a")
        await host.load(Offering(reserved={"bash": "it runs commands"}), name="shell")

        with pytest.raises(PluginLoadError) as caught:
            await host.load(offer(name), name="evil", board=where)

    assert says(str(caught.value), "'bash'", "'shell'", "it runs commands")


async def test_p_197_a_reserved_name_cannot_be_restricted_on_a_board_or_on_all() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        await host.load(Offering(("bash",), reserved={"bash": "it runs commands"}), name="shell")

        for side in (board, host):
            with pytest.raises(ReservedNameError) as caught:
                side.restrict(deny=["bash"])

            assert says(str(caught.value), "'bash'", "'shell'", "it runs commands")


async def test_p_197_a_name_that_is_taken_on_some_board_cannot_be_reserved() -> None:
    async with Host(discover=False) as host:
        register(await host.board("a"), "Bash")

        with pytest.raises(PluginLoadError) as caught:
            await host.load(Offering(reserved={"bash": "mine"}), name="shell")

    assert says(str(caught.value), "'bash'", "'Bash'", "board 'a'", "the program")


async def test_p_198_a_name_is_free_once_the_plugin_that_reserved_it_is_unloaded() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering(reserved={"bash": "mine"}), name="shell")
        await host.unload("shell")

        host.register(named("bash"))

        assert list(host.tools) == ["bash"]


async def test_p_199_a_plugin_that_brings_a_name_of_the_configuration_fails_with_its_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pegboard.toml"
    path.write_text('[reserved]\n\nbash = "kept for later"\n')
    async with Host(path, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(offer("bash"), name="shell")

        info = host.plugins["shell"]

    assert info.state == "failed"
    assert says(info.error or "", "pegboard.toml:3", "kept for later")


@pytest.mark.parametrize("name", ODD)
async def test_p_200_a_name_outside_the_rule_is_refused_and_nothing_is_mapped(name: str) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(InvalidNameError):
            host.register(named(name))

        assert list(host.tools) == []


async def test_p_201_run_code_cannot_be_registered_restricted_or_reserved() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")

        for side in (board, host):
            with pytest.raises(ReservedNameError, match="run_code"):
                side.register(named("Run_Code"))
            with pytest.raises(ReservedNameError, match="run_code"):
                side.restrict(deny=["run_code"])
        with pytest.raises(PluginLoadError, match="run_code"):
            await host.load(Offering(reserved={"run_code": "mine"}), name="evil")


def test_p_201_the_configuration_cannot_reserve_run_code_either() -> None:
    with pytest.raises(ReservedNameError, match="run_code"):
        Host(Config(reserved={"run_code": "mine"}), discover=False)


@pytest.mark.parametrize("names", [("rows/get", "rows.get"), ("rows.get", "rows/get")])
async def test_p_202_names_that_are_equal_once_cleaned_stay_two_and_call_their_own(
    names: tuple[str, ...],
) -> None:
    """The servers themselves belong to the plugin for MCP; the mapping is what it will use."""
    table = NameTable.of(names)
    async with Host(discover=False) as host:
        attach(host, table)
        board = await host.board("a")

        values = {name: (await board.call(name)).unwrap() for name in board.tools}

    assert values == dict(table.theirs)
    assert set(table.ours) == {"rows/get", "rows.get"}
    assert all(name.startswith("rows_get_") for name in values)


@given(raw_names, st.randoms(), st.sampled_from(["", "t_"]))
def test_p_202_names_are_one_to_one_and_the_same_in_any_order(
    names: list[str], random: Any, prefix: str
) -> None:
    shuffled = random.sample(names, len(names))

    table = NameTable.of(names, prefix=prefix)

    assert table == NameTable.of(shuffled, prefix=prefix)
    assert set(table.ours) == set(names)
    assert len({each.casefold() for each in table.theirs}) == len(set(names))
    assert {ours: theirs for theirs, ours in table.ours.items()} == table.theirs


@given(raw_names, raw_names)
def test_p_202_a_name_of_ours_never_comes_to_mean_another_tool(
    names: list[str], more: list[str]
) -> None:
    before, after = NameTable.of(names), NameTable.of([*names, *more])

    assert all(after.theirs.get(ours, theirs) == theirs for ours, theirs in before.theirs.items())


@given(raw_names, st.sampled_from(["", "t_"]))
def test_p_202_every_name_of_ours_can_be_registered(names: list[str], prefix: str) -> None:
    async def run(arguments: JSON, context: RunContext) -> None:
        """Do nothing."""

    host = Host(discover=False)
    for name in NameTable.of(names, prefix=prefix).theirs:
        host.register(Tool(name=name, parameters={"type": "object"}, run=run))


def test_p_203_a_long_name_is_shortened_to_a_readable_prefix_and_a_digest() -> None:
    long = "list_" * 16

    table = NameTable.of([long], prefix="docs_")

    (name,) = table.theirs
    assert len(long) == 80
    assert len(name) <= 64
    assert name.startswith("docs_list_list_")
    assert table.theirs[name] == long


def test_p_203_names_are_the_same_after_a_restart() -> None:
    table = NameTable.of(["rows/get", "rows_get", "Search", "search", "Only"])

    assert dict(table.ours) == {
        "rows/get": "rows_get_3323dd745c",
        "rows_get": "rows_get",
        "Search": "Search_38e54e3af7",
        "search": "search_d3b45a1d4d",
        "Only": "Only",
    }


def test_p_203_a_name_that_looks_digested_gets_a_digest_of_its_own() -> None:
    table = NameTable.of(["rows/get", "rows_get_3323dd745c"])

    assert table.ours["rows/get"] == "rows_get_3323dd745c"
    assert table.ours["rows_get_3323dd745c"] != "rows_get_3323dd745c"


@pytest.mark.parametrize("prefix", ["1_", "a.b_", "x" * 33])
def test_p_203_a_prefix_that_no_name_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidNameError):
        NameTable.of(["get"], prefix=prefix)
