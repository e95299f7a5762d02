"""`plugins`, `tools` and `explain` say what there is, and why."""

from typing import Any

import pytest

NARROW = """
[boards.narrow]
allow = ["say"]
"""


def one(listed: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The one object of that name."""
    (found,) = (each for each in listed if each["name"] == name)
    return found


def test_tools_as_json_are_an_array_of_objects_with_five_fields(desk: Any) -> None:
    ran = desk.answer("tools", "--json")

    said = one(ran.json, "say")
    assert (ran.status, ran.err) == (0, "")
    assert list(said) == ["name", "description", "parameters", "plugin", "layer"]
    assert (said["description"], said["plugin"], said["layer"]) == (
        "Say one value.",
        "voice",
        "global",
    )
    assert said["parameters"]["required"] == ["value"]


def test_a_piped_list_of_tools_has_one_line_a_tool(desk: Any) -> None:
    lines = desk.answer("tools").out.splitlines()

    (line,) = (line for line in lines if line.startswith("say "))
    assert lines[0].split() == ["name", "description", "plugin", "layer", "annotations"]
    assert " ".join(line.split()) == "say Say one value. voice global read_only open_world"


def test_a_board_shows_only_what_its_configuration_allows(desk: Any) -> None:
    desk.write("pegboard.toml", NARROW)

    listed = desk.answer("tools", "--board", "narrow", "--json").json

    assert [each["name"] for each in listed] == ["say"]


def test_a_configuration_is_read_from_the_working_folder_or_where_it_is_named(desk: Any) -> None:
    desk.write("pegboard.toml", 'block = ["voice"]')
    desk.write("other.toml", "")

    by_default = desk.answer("plugins", "--json").json
    named = desk.answer("plugins", "--json", "--config", "other.toml").json

    assert one(by_default, "voice")["state"] == "blocked"
    assert one(named, "voice")["state"] == "loaded"


def test_plugins_are_listed_with_distribution_version_and_tools(desk: Any) -> None:
    voice = one(desk.answer("plugins", "--json").json, "voice")

    assert (voice["distribution"], voice["version"]) == ("pegboard-voice", "1.0")
    assert (voice["state"], voice["tools"], voice["error"]) == ("loaded", ["say", "shout"], None)


def test_plugins_of_a_board_are_listed_with_the_tools_that_it_shows(desk: Any) -> None:
    desk.write("pegboard.toml", NARROW)

    listed = desk.answer("plugins", "--board", "narrow", "--json").json

    assert one(listed, "voice")["tools"] == ["say"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [("raise OSError('no such luck')", "no such luck"), ("exit(3)", "3"), ("", "without hooks")],
    ids=["raises", "exits", "is empty"],
)
def test_a_plugin_that_fails_is_listed_with_the_reason_and_the_rest_works(
    desk: Any, source: str, reason: str
) -> None:
    desk.install("broken", source)

    ran = desk.answer("plugins", "--json")

    broken = one(ran.json, "broken")
    assert ran.status == 0
    assert broken["state"] == "failed"
    assert reason in broken["error"]
    assert desk.answer("call", "say", '{"value": "Pi"}').out == "Pi\n"


def test_a_malformed_entry_points_file_is_listed_as_failed_with_the_reason(desk: Any) -> None:
    desk.install("garbled", "", entry="[pegboard]\ngarbled = = nothing\n")

    ran = desk.answer("plugins")

    (line,) = (line for line in ran.out.splitlines() if "garbled" in line)
    assert "failed" in line
    assert "entry_points.txt" in line


def test_tools_say_on_the_side_which_plugins_could_not_be_loaded(desk: Any) -> None:
    desk.install("broken", "raise OSError('no such luck')")

    ran = desk.answer("tools", "--json")

    assert one(ran.json, "say")
    assert ran.err.count("\n") == 1
    assert "no such luck" in ran.err


def test_explain_says_by_whom_a_tool_is_registered(desk: Any) -> None:
    ran = desk.answer("explain", "say")

    assert ran.status == 0
    assert "'say' is visible on board 'default'" in ran.out
    assert "pegboard-voice 1.0" in ran.out


def test_explain_names_the_line_that_hides_a_tool(desk: Any) -> None:
    desk.write("pegboard.toml", NARROW)

    ran = desk.answer("explain", "shout", "--board", "narrow", "--json")

    assert (ran.status, ran.json["visible"]) == (0, False)
    assert "pegboard.toml:3" in " ".join(reason["text"] for reason in ran.json["reasons"])


def test_explaining_a_tool_that_nobody_has_names_the_plugin_that_could_bring_it(desk: Any) -> None:
    desk.install("broken", "raise OSError('no such luck')")

    ran = desk.answer("explain", "whisper")

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "unknown tool 'whisper'" in ran.err
    assert "no such luck" in ran.err


def test_explain_says_by_whom_a_name_is_reserved(desk: Any) -> None:
    desk.write("pegboard.toml", '[reserved]\nwhisper = "kept for later"\n')

    ran = desk.answer("explain", "whisper")

    assert ran.status == 0
    assert "kept for later" in ran.out


@pytest.mark.parametrize("board", ["base", "any"])
def test_the_parent_of_all_other_boards_is_a_board_itself(desk: Any, board: str) -> None:
    desk.write("pegboard.toml", '[boards."*"]\nparent = "base"\ndeny = ["shout"]\n')

    ran = desk.answer("tools", "--board", board, "--json")

    assert ran.status == 0
    assert "shout" not in ran.out
