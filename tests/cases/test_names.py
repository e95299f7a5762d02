"""The cases of section Names, and of the same section of the bugs that others had."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    JSON,
    Board,
    CollisionError,
    Config,
    Host,
    InvalidNameError,
    NameTable,
    PluginLoadError,
    ReservedNameError,
    RunContext,
    Tool,
    ToolCall,
    formats,
)
from pegboard_cases import raw, says
from pegboard_offers import Offering, code_of, named, offer, register

ODD = ("bash ", "b\u0430sh", "bash\u200b", "", "1st", "a.b", "x" * 65)
KEYS = ("from", "class", "acct-Q", "acct_Q", "$top", "__filter", "1st", "")
SHOPS = (
    "reserveWarehouseShelfForSeasonalStockTransfers",
    "releaseWarehouseShelfForSeasonalStockTransfers",
)
SERVER = "company-wide-documentation-server"

raw_names = st.lists(
    st.text(max_size=90) | st.text("aAbB/._-1", max_size=6) | st.sampled_from(["run_code", "a_b"]),
    max_size=12,
)


def attach(side: Host | Board, table: NameTable) -> None:
    """Put a source's tools on a layer; each gives the source's own name."""
    for name, theirs in table.theirs.items():
        side.register(named(name, gives=theirs))


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


async def test_b_011_keys_that_are_no_identifiers_pass_untouched_in_both_directions() -> None:
    """The same through an MCP server belongs to the plugin for MCP."""
    properties = {key: {"type": "string"} for key in KEYS}
    sent = {key: key.upper() for key in KEYS}
    kept: list[JSON] = []
    query = raw(
        lambda arguments, context: kept.append(arguments) or arguments,
        parameters={"type": "object", "properties": properties},
    )
    async with Host(discover=False) as host:
        host.register(query)
        board = await host.board("a")

        value = (await board.call("raw", sent)).unwrap()

        assert kept == [sent] == [value]
        assert list(board.definitions()[0].parameters["properties"]) == list(KEYS)


async def test_b_012_two_long_names_that_differ_in_the_middle_stay_two_tools() -> None:
    """The server itself belongs to the plugin for MCP."""
    table = NameTable.of(SHOPS, prefix=f"{SERVER}_"[:32])
    async with Host(discover=False) as host:
        board = await host.board("a")
        attach(board, table)

        names = list(board.tools)
        values = [(await board.call(name)).unwrap() for name in names]

    assert len(set(names)) == 2
    assert all(len(name) <= 64 for name in names)
    assert sorted(values) == sorted(SHOPS)


@pytest.mark.parametrize("shape", sorted(formats.SHAPES))
async def test_b_013_a_name_on_three_layers_is_exported_once_in_every_format(shape: str) -> None:
    async with Host(discover=False) as host:
        register(host, "search", "read")
        parent = await host.board("p")
        child = await host.board("c", parent=parent)
        register(parent, "Search")
        register(child, "search")

        shown = repr(formats.SHAPES[shape](child))

    assert shown.lower().count("'do search.'") == 1
    assert shown.count("'Do read.'") == 1


@pytest.mark.parametrize("shape", sorted(formats.SHAPES))
async def test_b_014_a_dotted_name_gets_one_that_every_format_carries(shape: str) -> None:
    """That the server receives its own name belongs to the plugin for MCP."""
    table = NameTable.of(["calendar.list", "calendar_list"])
    async with Host(discover=False) as host:
        attach(host, table)
        board = await host.board("a")

        shown = repr(formats.SHAPES[shape](board))

        assert all(f"'{name}'" in shown for name in table.theirs)
        assert [await code_of(board, name) for name in table.theirs] == [None, None]


@pytest.mark.parametrize("name", ["bash", "Bash", "bash ", "BASH", "b\u0430sh", "bash\u200b"])
async def test_b_040_a_plugin_that_would_replace_another_ones_tool_fails(name: str) -> None:
    async with Host(discover=False) as host:
        await host.board("a1")
        await host.load(Offering(("bash",), reserved={"bash": "it runs commands"}), name="shell")

        for where in (None, "a1"):
            with pytest.raises(PluginLoadError):
                await host.load(offer(name), name="evil", board=where)

        assert host.plugins["evil"].state == "failed"
        assert host.plugins["shell"].tools == ("bash",)


async def test_b_040_the_owner_of_a_name_is_a_generation_and_not_the_name_of_a_type() -> None:
    async with Host(discover=False) as host:
        shell = Offering(("bash",), reserved={"bash": "it runs commands"})
        await host.load(shell, name="shell")
        board = await host.board("a1")

        with pytest.raises(PluginLoadError, match="'bash'"):
            await board.load(shell)

        assert (await board.call("bash")).unwrap() == "bash"


async def test_b_041_an_allow_list_admits_no_tool_whose_name_was_cleaned_to_it() -> None:
    """That the server sees no call belongs to the plugin for MCP."""
    table = NameTable.of(["rows/get", "rows_get", "rm"], prefix="t_")
    async with Host(discover=False) as host:
        attach(host, table)
        board = await host.board("b", allow=[table.ours["rows_get"]])
        child = await host.board("a1", parent=board, allow=[table.ours["rm"]])

        tried = (table.ours["rm"], table.ours["rm"].upper(), "rm", "t/rm", table.ours["rows/get"])

        assert [table.theirs[name] for name in board.tools] == ["rows_get"]
        assert {await code_of(child, name) for name in tried} == {"unknown_tool"}
        assert await code_of(board, table.ours["rows/get"]) == "unknown_tool"


async def test_b_041_patterns_are_anchored_when_listing_and_when_calling() -> None:
    async with Host(discover=False) as host:
        register(host, "x_read", "read", "read_all", "Read_it")
        board = await host.board("a", allow=["read*"])

        outcomes = await board.run(
            [ToolCall(str(n), name, {}) for n, name in enumerate(("x_read", "read", "Read_it"))]
        )

        assert list(board.tools) == ["read", "read_all"]
        assert [outcome.is_error for outcome in outcomes] == [True, False, True]
