"""A host with 500 boards under calls is operated from another process.

What is asserted of every action: no call that began after the answer was here is as before, no call
is lost, and the calls of others don't fail.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
from pegboard import ControlError
from pegboard_operated import Operated, Place, place_to_operate


@pytest.fixture
def place() -> Iterator[Place]:
    """A place with a host's configuration and plugins."""
    with place_to_operate() as made:
        yield made


@pytest.fixture
def host(place: Place) -> Iterator[Operated]:
    """A host that calls."""
    with place.started() as started:
        yield started


async def test_what_is_listed_is_what_runs_and_disturbs_nobody(host: Operated) -> None:
    boards = (await host.ask("boards")).result
    running = (await host.ask("running")).result
    plugins = (await host.ask("plugins")).result
    seen = await host.end()

    assert len(boards) == 500
    assert {each["board"] for each in running} <= {each["name"] for each in boards}
    assert {each["name"]: each["state"] for each in plugins}["weather"] == "loaded"
    assert (seen.codes(), seen.lost) == ({"ok"}, [])


async def test_a_plugin_that_was_unloaded_runs_no_call_that_begins_later(host: Operated) -> None:
    told = await host.ask("unload", name="weather")
    seen = await host.end()

    assert seen.codes("forecast", after=told) == {"unknown_tool"}
    assert (seen.others("forecast"), seen.lost) == ({"ok"}, [])
    assert (told.result["cancelled"], told.result["still_running"]) == (0, [])
    assert seen.acts == [("unload", "asked"), ("unload", "done")]


async def test_a_plugin_that_was_blocked_stays_away_from_syncs_until_it_is_loaded(
    host: Operated,
) -> None:
    blocked = await host.ask("unload", name="weather", block=True)
    await host.ask("sync")
    synced = await host.ask("plugins")
    loaded = await host.ask("load", name="weather")
    seen = await host.end()

    assert {each["name"]: each["state"] for each in synced.result}["weather"] == "blocked"
    assert seen.between("forecast", blocked, loaded) == {"unknown_tool"}
    assert seen.codes("forecast", after=loaded) == {"ok"}
    assert (seen.others("forecast"), seen.lost) == ({"ok"}, [])


async def test_long_calls_of_a_plugin_that_is_unloaded_end_by_themselves_within_the_grace(
    host: Operated,
) -> None:
    await host.until_begun("wait", "team")
    told = await host.ask("unload", name="patient", grace=10)
    seen = await host.end()

    assert told.result["drained"] > 0
    assert seen.codes("wait", after=told) == {"unknown_tool"}
    assert seen.codes("wait") == {"ok", "unknown_tool"}
    assert (seen.others("wait"), seen.lost) == ({"ok"}, [])


async def test_a_tool_that_was_denied_everywhere_runs_no_call_that_begins_later(
    host: Operated,
) -> None:
    denied = await host.ask("deny", selectors=["send_mail"])
    boards = [(await host.ask("tools", board=each)).result for each in ("team-00", "team-19-23")]
    allowed = await host.ask("allow", selectors=["send_mail"])
    seen = await host.end()

    assert not [tool for tools in boards for tool in tools if tool["name"] == "send_mail"]
    assert seen.between("send_mail", denied, allowed) <= {"unknown_tool"}
    assert seen.codes("send_mail", after=allowed) == {"ok"}
    assert (seen.others("send_mail"), seen.lost) == ({"ok"}, [])


async def test_a_tool_that_was_denied_on_one_board_runs_on_all_others(host: Operated) -> None:
    told = await host.ask("deny", selectors=["version", "slow"], board="team-03")
    seen = await host.end(after=1.5)

    assert seen.codes("version", "slow", after=told, boards="team-03") == {"unknown_tool"}
    assert (seen.others(boards="team-03"), seen.lost) == ({"ok"}, [])


async def test_the_calls_of_a_board_that_was_cancelled_end_and_no_others(host: Operated) -> None:
    await host.until_begun("wait", "team-05")
    told = await host.ask("cancel", board="team-05", reason="it runs wild")
    seen = await host.end(after=1)

    stopped = [each for each in seen.journal.calls if each.code.startswith("aborted")]
    assert 0 < len(stopped) <= told.result["cancelled"]
    assert {each.board[:7] for each in stopped} == {"team-05"}
    assert max(each.begun for each in stopped) < told.answered
    assert seen.codes(after=told) == {"ok"}
    assert (seen.others(boards="team-05"), seen.lost) == ({"ok"}, [])


async def test_a_changed_configuration_holds_for_calls_that_begin_after_its_sync(
    place: Place, host: Operated
) -> None:
    place.configure('[boards.team-07]\nallow = ["read_*"]\n', keys='deny = ["send_mail"]\n')
    told = await host.ask("sync")
    seen = await host.end(after=1.5)

    assert seen.codes("send_mail", after=told) == {"unknown_tool"}
    assert seen.codes("forecast", "version", after=told, boards="team-07") == {"unknown_tool"}
    assert seen.codes("read_mail", boards="team-07") == {"ok"}
    assert seen.others("send_mail", boards="team-07") == {"ok"}
    assert (told.result["boards"], seen.lost) == (["team-07"], [])


async def test_a_broken_configuration_changes_nothing_and_says_its_line(
    place: Place, host: Operated
) -> None:
    place.configure("[boards.team-07\n")

    with pytest.raises(ControlError, match=r"pegboard\.toml isn't TOML: .*\(at line 9,") as refused:
        await host.ask("sync")
    seen = await host.end()

    assert refused.value.kind == "ConfigError"
    assert (seen.codes(), seen.lost) == ({"ok"}, [])


@pytest.mark.parametrize("method", ["reload", "sync"])
async def test_an_upgraded_plugin_runs_its_new_code_in_calls_that_begin_later(
    place: Place, host: Operated, method: str
) -> None:
    place.install(2)
    told = await host.ask(method, **({"name": "gauge"} if method == "reload" else {}))
    seen = await host.end()

    assert seen.versions(after=told) == {2}
    assert (seen.codes(), seen.lost) == ({"ok"}, [])
    assert {each.version for each in seen.journal.calls} == {None, 1, 2}


async def test_an_upgrade_that_fails_leaves_the_old_code_running(
    place: Place, host: Operated
) -> None:
    place.install(2, more="raise OSError('no disk')\n")
    with pytest.raises(ControlError, match="no disk") as refused:
        await host.ask("reload", name="gauge")
    seen = await host.end()

    assert refused.value.kind == "PluginLoadError"
    assert {each.version for each in seen.journal.calls} == {None, 1}
    assert (seen.codes(), seen.lost) == ({"ok"}, [])
    assert seen.acts == [("reload", "asked"), ("reload", "failed")]


LIMITED = """
[[plugins.limits.rules]]
tools = ["forecast"]
per = []
calls = {calls}
"""


async def test_500_boards_together_make_exactly_as_many_calls_as_the_limit_says_now(
    place: Place,
) -> None:
    place.configure(LIMITED.format(calls=50))
    with place.started() as host:
        place.configure(LIMITED.format(calls=80))
        told = await host.ask("sync")
        seen = await host.end(after=1)

    codes = Counter(each.code for each in seen.journal.calls if each.tool == "forecast")
    assert (codes["ok"], set(codes)) == (80, {"ok", "denied"})
    assert (seen.others("forecast"), seen.lost) == ({"ok"}, [])
    assert [each["path"] for each in told.result["changes"]] == ["plugins.limits.settings"]
