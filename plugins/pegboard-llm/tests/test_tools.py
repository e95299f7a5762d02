"""Functions and tools that llm plugins register."""

import sys
from typing import Any

import pytest
from pegboard import Code, Failure, Host

FUNCTIONS = '''
import llm


def shout(text: str, times: int = 1) -> str:
    """Say it loudly."""
    return text.upper() * times


async def later(text: str) -> str:
    """Say it later."""
    return text


def fails() -> str:
    raise ValueError("no such thing")


def told(text: str, llm_tool_call) -> dict:
    """Say which call this is."""
    return {"name": llm_tool_call.name, "id": llm_tool_call.tool_call_id, "text": text}


@llm.hookimpl
def register_tools(register):
    register(shout)
    register(later)
    register(fails)
    register(told)
    register(llm.Tool(name="bare", implementation=lambda: "bare"))
    register(llm.Tool.function(shout), name="cry")
'''
MODELS = """
import llm
raise OSError("a large framework is imported")
@llm.hookimpl
def register_models(register):
    pass
"""
SINGLES = '''
import llm


def good() -> str:
    """Fine."""
    return "fine"


def unknown(value: "Nowhere") -> str:
    return ""


@llm.hookimpl
def register_tools(register):
    for name in (None, "not a name", "good", "run_code"):
        register(good, name=name)
    register(unknown)
    register(llm.ServerSideTool({"type": "web_search"}))
    register(3)
'''


async def call(host: Host, tool: str, **arguments: Any) -> Any:
    """What a call gives."""
    outcome = await (await host.board("a")).call(tool, arguments, id="call-7")
    return outcome.message if isinstance(outcome, Failure) else outcome.value


async def test_a_function_is_a_tool_as_llm_describes_it(plugins: Any) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        shout = host.tools["shout"]

        assert host.plugins["mine"].distribution == "llm-mine"
        assert shout.description == "Say it loudly."
        assert shout.parameters == {
            "type": "object",
            "properties": {"text": {"type": "string"}, "times": {"default": 1, "type": "integer"}},
            "required": ["text"],
        }
        assert await call(host, "shout", text="a", times=2) == "AA"


async def test_a_default_is_the_function_s_own(plugins: Any) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        assert await call(host, "shout", text="a") == "A"


async def test_an_async_function_is_awaited(plugins: Any) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        assert await call(host, "later", text="a") == "a"


async def test_a_tool_of_llm_keeps_its_name_or_the_one_it_is_registered_under(
    plugins: Any,
) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        assert host.tools["bare"].parameters == {"type": "object", "properties": {}}
        assert (await call(host, "bare"), await call(host, "cry", text="a")) == ("bare", "A")


async def test_a_function_that_asks_for_its_call_gets_it_and_no_model_sees_that(
    plugins: Any,
) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        assert list(host.tools["told"].parameters["properties"]) == ["text"]
        assert await call(host, "told", text="a") == {"name": "told", "id": "call-7", "text": "a"}


async def test_what_a_tool_raises_is_a_crash_with_its_text(plugins: Any) -> None:
    plugins.install(FUNCTIONS)
    async with plugins.hosted() as host:
        outcome = await (await host.board("a")).call("fails")

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == (Code.CRASHED, "no such thing")


async def test_what_cannot_be_offered_is_left_out_one_by_one_with_its_reason(
    plugins: Any,
) -> None:
    plugins.install(SINGLES)
    async with plugins.hosted() as host:
        info = host.plugins["mine"]
        reasons = {each.name: each.reason for each in info.refused}

    assert info.tools == ("good",)
    assert sorted(reasons) == [
        "good",
        "int",
        "not a name",
        "run_code",
        "server_side_tool",
        "unknown",
    ]
    assert "NameError: name 'Nowhere' is not defined" in reasons["unknown"]
    assert "no function, llm.Tool or llm.Toolbox" in reasons["int"]


async def test_a_plugin_of_models_is_not_even_imported(plugins: Any) -> None:
    plugins.install(MODELS)
    async with plugins.hosted() as host:
        info = host.plugins["mine"]

        assert (info.state, info.tools, info.error) == ("loaded", (), None)
        assert "mine" not in sys.modules


async def test_a_plugin_that_only_names_the_hook_has_nothing_to_offer(plugins: Any) -> None:
    plugins.install("# register_tools comes later\n")
    async with plugins.hosted() as host:
        assert (host.plugins["mine"].state, host.plugins["mine"].tools) == ("loaded", ())


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise OSError('no disk')  # register_tools", "mine.py:1"),
        ("exit('bye')  # register_tools", "raised SystemExit: bye"),
        (
            "import llm\n@llm.hookimpl\ndef register_tools(register):\n    raise OSError('no')",
            "OSError: no",
        ),
    ],
)
async def test_a_broken_plugin_costs_only_itself(plugins: Any, code: str, why: str) -> None:
    plugins.install(code)
    plugins.install(FUNCTIONS, "other")
    async with plugins.hosted() as host:
        info = host.plugins["mine"]

        assert (info.state, info.distribution) == ("failed", "llm-mine")
        assert why in (info.error or "")
        assert await call(host, "shout", text="a") == "A"


async def test_an_object_with_a_hook_of_another_name_is_a_plugin_too(plugins: Any) -> None:
    code = """
import llm
class Plugin:
    @llm.hookimpl(specname="register_tools")
    def more(self, register):
        register(llm.Tool(name="bare", implementation=lambda: "bare"))
it = Plugin()
"""
    plugins.install(code, entry="mine:it")
    async with plugins.hosted() as host:
        assert await call(host, "bare") == "bare"


async def test_tools_of_two_plugins_with_one_name_cost_one_tool(plugins: Any) -> None:
    plugins.install(FUNCTIONS)
    plugins.install(FUNCTIONS.replace("def told", "def also").replace("(told", "(also"), "other")
    async with plugins.hosted() as host:
        [also] = host.plugins["other"].tools

        assert also == "also"
        assert "already registered by plugin 'mine'" in host.plugins["other"].refused[0].reason


async def test_llm_is_not_asked_to_load_its_plugins(plugins: Any) -> None:
    plugins.install(f"{FUNCTIONS}\nimport llm.plugins\nregister_models = None\n")
    async with plugins.hosted():
        import llm.plugins

        assert not llm.plugins.pm.get_plugins()


async def test_unloading_leaves_nothing_though_llm_had_loaded_it_too(plugins: Any) -> None:
    code = "\n\ndef known() -> str:\n    import sys, llm.plugins\n"
    code += "    llm.plugins.pm.register(sys.modules[__name__])\n    return 'known'\n"
    plugins.install(FUNCTIONS.replace("\n\n@llm", f"{code}\n\n@llm") + "    register(known)\n")
    async with plugins.hosted() as host:
        await call(host, "known")
        report = await host.unload("mine")

        assert (report.errors, report.leaked) == ((), ())
        assert "mine" not in sys.modules
