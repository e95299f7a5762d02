"""Toolboxes that have to be made for telling their tools, and what can go wrong in that."""

from typing import Any

import pytest
from pegboard import Failure, Host

GROWING = '''
import llm

steps = []


class Growing(llm.Toolbox):
    def prepare(self):
        steps.append("prepare")
        self.add_tool(self.extra_tool)

    async def prepare_async(self):
        steps.append("prepare_async")
        self.add_tool(llm.Tool(name="awaited", implementation=lambda: "awaited"))

    def extra_tool(self) -> list:
        """Say what happened."""
        return steps


class Added(llm.Toolbox):
    def __init__(self):
        def inner(text: str) -> str:
            return text * 2
        self.add_tool(inner)


class Broken(llm.Toolbox):
    def prepare(self):
        raise OSError("no server")


class Leaving(llm.Toolbox):
    def prepare(self):
        raise SystemExit("bye")


class Stopping(llm.Toolbox):
    async def prepare_async(self):
        import asyncio
        raise asyncio.CancelledError("stopped")


class Held(llm.Toolbox):
    def __init__(self):
        self.n = 0

    def next(self) -> int:
        self.n += 1
        return self.n


@llm.hookimpl
def register_tools(register):
    register(Growing)
    register(Added)
    for each in (Broken, Leaving, Stopping):
        register(each)
    register(Held())
'''
VAULT = """
import llm


class Vault(llm.Toolbox):
    def __init__(self, api_key: str, step: str):
        self.api_key = api_key
        if step == "__init__":
            self.fail()

    def fail(self):
        raise ValueError(f"401 for {self.api_key}")

    def get(self) -> str:
        return "got"


@llm.hookimpl
def register_tools(register):
    register(Vault)
"""


async def call(host: Host, tool: str, board: str = "a", **arguments: Any) -> Any:
    """What a call gives."""
    outcome = await (await host.board(board)).call(tool, arguments)
    return outcome.message if isinstance(outcome, Failure) else outcome.value


@pytest.mark.parametrize("step", ["__init__", "prepare", "prepare_async"])
async def test_no_error_of_making_one_tells_a_secret_of_its_table(
    plugins: Any, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    own = {
        "prepare": "    def prepare(self):",
        "prepare_async": "    async def prepare_async(self):",
    }
    method = f"{own[step]}\n        self.fail()\n\n" if step in own else ""
    plugins.install(VAULT.replace("    def get", f"{method}    def get"))
    table = {"Vault": {"api_key": "sesame", "step": step}}
    async with plugins.hosted(mine=table) as host:
        refused = [each.reason for each in host.plugins["mine"].refused]
        told = refused or [await call(host, "Vault_get")]

    assert "ValueError; its text may hold a secret" in told[0]
    assert "sesame" not in told[0] + caplog.text


async def test_one_that_prepares_itself_is_prepared_once_and_tells_its_further_tools(
    plugins: Any,
) -> None:
    plugins.install(GROWING)
    async with plugins.hosted() as host:
        names = ("Growing_extra_tool", "extra_tool", "awaited", "inner", "Held_next")

        assert host.plugins["mine"].tools == names
        assert await call(host, "extra_tool") == ["prepare", "prepare_async"]
        assert await call(host, "awaited") == "awaited"
        assert await call(host, "inner", text="a") == "aa"


async def test_one_that_can_not_be_prepared_costs_only_itself(plugins: Any) -> None:
    plugins.install(GROWING)
    async with plugins.hosted() as host:
        info = host.plugins["mine"]

    assert "Growing_extra_tool" in info.tools
    assert {each.name: each.reason for each in info.refused} == {
        "Broken": "it can't be made: OSError: no server",
        "Leaving": "it can't be made: SystemExit: bye",
        "Stopping": "it can't be made: RuntimeError: CancelledError: stopped",
    }


async def test_one_that_the_plugin_made_itself_is_taken_as_it_is(plugins: Any) -> None:
    plugins.install(GROWING)
    async with plugins.hosted() as host:
        assert [await call(host, "Held_next") for _ in range(2)] == [1, 2]
