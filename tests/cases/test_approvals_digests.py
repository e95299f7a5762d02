"""The cases of section Approvals: what an approval is for."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import ApprovalRequest, Ask, Host, Output, ToolAnnotations, ToolCall
from pegboard.testing import site_at
from pegboard_cases import raw
from pegboard_policies import plugin_with, shown

OTHER = {"type": "object", "properties": {"c": {}}}


async def digest(
    *, arguments: Any = None, call_id: str = "a", board: str = "case", **options: Any
) -> str:
    """The digest of what an approver is asked on a host of its own."""
    owner = options.pop("owner", "p")
    given = attrs.evolve(raw(lambda *_: 1, extra="keep"), **options)
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> None:
        asked.append(request)

    async with Host(discover=False) as host:
        host.hook(before_call=lambda: Ask("sure?"), approve=approve)
        await host.load(plugin_with(given), name=owner)
        where = await host.board(board)
        sent = {"a": 1, "b": {}} if arguments is None else arguments
        await where.call(ToolCall(call_id, given.name, sent))
    return asked[0].digest


async def test_p_090_the_order_of_keys_does_not_count() -> None:
    first = await digest(arguments={"a": 1, "b": {"x": 1, "y": [2.5]}})

    assert first == await digest(arguments={"b": {"y": [2.5], "x": 1}, "a": 1})
    assert first == await digest(arguments='{"b": {"y":[2.5], "x":1},  "a": 1}')


OTHERS: list[dict[str, Any]] = [
    {"arguments": {"a": 1, "b": []}},
    {"arguments": {"a": 2, "b": {}}},
    {"arguments": {"a": True, "b": {}}},
    {"arguments": {"a": "1", "b": {}}},
    {"arguments": {}},
    {"call_id": "b"},
    {"board": "other"},
    {"owner": "q"},
    {"name": "other"},
    {"parameters": OTHER},
    {"output": Output({"type": "integer"})},
    {"annotations": ToolAnnotations(read_only=True)},
    {"description": "Do something else."},
]


@pytest.mark.parametrize("other", OTHERS, ids=shown)
async def test_p_091_a_digest_of_something_else_is_another(other: dict[str, Any]) -> None:
    assert await digest() != await digest(**other)


PLUGIN = """
from pegboard import tool

@tool
def greet() -> str:
    return "hello"
"""


async def test_p_091_a_digest_names_the_version_of_the_distribution(tmp_path: Path) -> None:
    asked: list[str] = []
    for number, version in enumerate(["1.0", "1.0", "2.0"]):
        with site_at(tmp_path / str(number)) as site:
            files = {"greeter_plugin.py": PLUGIN}
            site.install("greeter", version, entry_points={"p": "greeter_plugin"}, files=files)
            async with Host() as host:
                host.hook(
                    before_call=lambda: Ask("sure?"),
                    approve=lambda request: asked.append(request.digest),
                )
                await (await host.board("a")).call("greet", id="a1")

    assert asked[0] == asked[1] != asked[2]


async def test_p_091_a_digest_of_the_same_is_the_same_on_another_host() -> None:
    assert await digest() == await digest()
