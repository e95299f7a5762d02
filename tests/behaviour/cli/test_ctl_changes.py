"""`ctl` changes a host in another process, and says what has become of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pegboard_ctl import HOST, PATIENT, STUCK, Running, running_host

ILL = "raise RuntimeError('it is ill')\n"


@pytest.fixture
def host(bare: Any) -> Iterator[Running]:
    """A host that runs."""
    with running_host(bare) as running:
        yield running


def said(ran: Any) -> str:
    """What a command has printed, if that is all and all is well."""
    assert (ran.status, ran.err) == (0, "")
    text: str = ran.out
    return text.rstrip("\n")


def test_a_tool_that_is_denied_is_gone_from_every_board_until_it_is_allowed(
    host: Running,
) -> None:
    denied = said(host.ctl("deny", "look"))
    shown = host.tools("one"), host.tools("two")
    allowed = said(host.ctl("allow", "look"))

    assert (denied, allowed) == ("denied look on every board", "allowed look on every board")
    assert (shown, host.tools("two")) == ((["wait"], ["wait"]), ["wait", "look"])


def test_a_tool_is_denied_on_one_board(host: Running) -> None:
    assert said(host.ctl("deny", "l*", "--board", "two")) == "denied l* on board 'two'"

    assert (host.tools("one"), host.tools("two")) == (["wait", "look"], ["wait"])


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["--plugin", "patient"], []),
        (['{"plugin": "patient", "read_only": true}'], ["wait"]),
        (['{"destructive": true}', "look"], []),
    ],
    ids=["plugin", "table", "both"],
)
def test_tools_are_denied_by_what_they_are(
    host: Running, words: list[str], left: list[str]
) -> None:
    said(host.ctl("deny", *words))

    assert host.tools("two") == left


def test_a_denial_that_is_kept_is_written_down(host: Running) -> None:
    said(host.ctl("deny", "look", "--keep"))

    assert json.loads((host.desk.work / "state.json").read_text())["deny"] == ["look"]


def test_names_that_no_tool_has_yet_are_denied_only_if_that_is_meant(host: Running) -> None:
    ran = host.ctl("deny", "lok")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "pegboard: unknown tool 'lok'; did you mean 'look'?\n"
    assert said(host.ctl("deny", "lok", "--pending")) == "denied lok on every board"


def test_an_unloaded_plugin_is_loaded_again(host: Running) -> None:
    unloaded = said(host.ctl("unload", "patient", "--grace", "0"))
    left = host.tools("two")
    loaded = said(host.ctl("load", "patient"))

    assert unloaded == "unloaded 'patient': 0 calls drained, 2 cancelled"
    assert left == []
    assert loaded == "loaded 'patient' (pegboard-patient 1.0): generation 2, 2 tools"


def test_a_blocked_plugin_stays_out_of_a_sync_until_it_is_loaded_by_name(host: Running) -> None:
    host.ctl("unload", "patient", "--block", "--grace", "0")
    host.ctl("sync")
    left = host.tools("two")
    said(host.ctl("load", "patient"))

    assert (left, host.tools("two")) == ([], ["wait", "look"])


def test_a_plugin_is_reloaded_with_its_code_as_it_is_now(host: Running) -> None:
    host.ctl("cancel", "one")
    (host.desk.site / "pegboard_patient.py").write_text(PATIENT.replace("def look", "def see"))

    reloaded = said(host.ctl("reload", "patient"))

    assert reloaded == "reloaded 'patient' (pegboard-patient 1.0): generation 2, 2 tools"
    assert host.tools("two") == ["wait", "see"]


def test_a_sync_says_what_it_would_change_and_then_what_it_has_changed(host: Running) -> None:
    config = host.desk.work / "pegboard.toml"
    config.write_text(config.read_text() + '[boards.two]\ndeny = ["look"]\n')

    would, before = host.ctl("sync", "--dry-run"), host.tools("two")
    did, after = host.ctl("sync"), host.tools("two")

    assert (would.status, before, did.status, after) == (0, ["wait", "look"], 0, ["wait"])
    assert "pegboard.toml:9: boards" in would.out
    assert "would be applied anew to boards: two\n" in would.out
    assert "\napplied anew to boards: two\n" in did.out


def test_a_dry_run_says_which_settings_would_be_refused_and_where(host: Running) -> None:
    config = host.desk.work / "pegboard.toml"
    text = config.read_text().replace("only = [", 'only = ["repeats", ')
    config.write_text(text + "[plugins.repeats]\nafter = -1\n")

    would, did = host.ctl("sync", "--dry-run"), host.ctl("sync")

    assert (would.status, did.status) == (1, 1)
    assert "would fail: repeats\n" in would.out
    assert "pegboard.toml:9: settings of plugin 'repeats'" in would.out
    assert "failed: repeats\n" in did.out


def test_a_sync_with_a_broken_configuration_changes_nothing_and_names_each_line(
    host: Running,
) -> None:
    config = host.desk.work / "pegboard.toml"
    config.write_text("bolck = 1\n" + config.read_text() + "[boards.two]\ndeni = []\n")

    ran = host.ctl("sync")

    assert (ran.status, ran.out) == (2, "")
    assert [("pegboard.toml:" in line) for line in ran.err.splitlines()] == [True, True]


def test_calls_of_a_board_and_its_children_are_cancelled(host: Running) -> None:
    assert said(host.ctl("cancel", "one", "--reason", "enough")) == "cancelled 2 calls"
    host.end()

    failed = host.desk.answer("log", "--failed", "--json").out.splitlines()
    messages = [json.loads(each)["message"] for each in failed]
    assert sum("enough" in each for each in messages) == 2


def test_the_calls_of_one_id_are_cancelled(host: Running) -> None:
    assert said(host.ctl("cancel", "--call", "short")) == "cancelled 1 call"

    assert [each["call_id"] for each in host.json("ps")] == ["\x1b[2Jlong"]


def test_a_plugin_that_can_not_be_loaded_is_exit_status_1(host: Running) -> None:
    host.desk.install("ill", ILL)

    ran = host.ctl("load", "ill")

    assert (ran.status, ran.out) == (1, "")
    assert "it is ill" in ran.err


def test_who_changed_what_is_in_the_record(host: Running) -> None:
    host.ctl("deny", "look")
    host.ctl("unload", "nobody")
    host.end()

    lines = host.desk.answer("log", "--events").out.splitlines()
    acts = [line.partition("OperatorActed  -  ")[2] for line in lines if "OperatorActed" in line]
    assert [each.split(" by ")[0] for each in acts] == [
        "-  deny asked",
        "-  deny done",
        "nobody  unload asked",
        "nobody  unload failed",
    ]
    assert "unknown plugin 'nobody'" in acts[3]


def test_a_required_plugin_goes_only_by_force_and_the_host_is_not_ready_then(
    host: Running,
) -> None:
    config = host.desk.work / "pegboard.toml"
    config.write_text('required = ["patient"]\n' + config.read_text())
    host.ctl("sync")
    refused = host.ctl("unload", "patient")
    forced = host.ctl("unload", "patient", "--force", "--grace", "0")
    status = host.ctl("status")

    assert (refused.status, forced.status, status.status) == (2, 0, 1)
    assert "required" in refused.err
    assert "not ready" in status.out


def test_what_an_unloading_leaves_is_said_and_exit_status_1(bare: Any) -> None:
    bare.install("stuck", STUCK)
    holding = 'asyncio.ensure_future(one.call("hold", {"seconds": 3}, id="held"))'
    script = HOST.replace(
        "        print(", f"        {holding}\n        await asyncio.sleep(0.1)\n        print("
    )
    with running_host(bare, script=script) as host:
        ran = host.ctl("unload", "stuck", "--grace", "0")

    assert (ran.status, ran.out) == (1, "unloaded 'stuck': 0 calls drained, 1 cancelled\n")
    assert "pegboard: still running: call 'held'\n" in ran.err
