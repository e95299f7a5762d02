"""The cases of the bugs about names, replaced built-ins and allow lists."""

import pytest
from pegboard import JSON, Host, NameTable, PluginLoadError, ToolCall, formats
from pegboard_cases import raw
from pegboard_offers import Offering, attach, code_of, offer, register

KEYS = ("from", "class", "acct-Q", "acct_Q", "$top", "__filter", "1st", "")
SHOPS = (
    "reserveWarehouseShelfForSeasonalStockTransfers",
    "releaseWarehouseShelfForSeasonalStockTransfers",
)
SERVER = "company-wide-documentation-server"


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
