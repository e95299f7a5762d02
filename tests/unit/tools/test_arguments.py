"""What a tool gets of what a model sent, by the ids of the shared cases where there is one."""

import enum
from typing import Any, Literal, TypedDict

import attrs
import pytest
from pegboard.tools import Faults, Prepared, Tool
from pegboard.values import Snapshot
from pegboard.values.checks import show_path


@attrs.frozen
class Size:
    width: int
    unit: str = "cm"


@attrs.frozen
class Crate:
    size: Size
    label: str | None = "none"
    tags: list[str] = attrs.field(factory=list)


class Circle(TypedDict):
    kind: Literal["circle"]
    radius: float


class Square(TypedDict):
    kind: Literal["square"]
    side_length: float


@attrs.frozen
class Both:
    left: "Both | Either | int"
    right: "Both | Either | int"


@attrs.frozen
class Either:
    left: "Both | Either | int"
    right: "Both | Either | int"
    kind: Literal["either"] = "either"
    more: int = 0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def outline(section: str = "index", max_depth: int = 3) -> str:
    return f"{section}:{max_depth}"


def count(n: int) -> int:
    return n


def measure(x: float, rounded: bool = False, unit: str | None = "K") -> list[Any]:
    return [x, rounded, unit]


def pack(crate: Crate) -> str:
    return repr(crate)


def draw(shapes: list[Circle | Square]) -> int:
    return len(shapes)


def snap(depth: int, full: bool = False) -> list[Any]:
    return [depth, full]


def configure(opts: dict[str, int]) -> int:
    return opts["a"]


def test_arguments_that_are_valid_as_sent_are_the_same_snapshot(prepare: Any) -> None:
    sent = Snapshot.of({"n": 4})

    found = prepare(count, sent)

    assert found.arguments is sent
    assert found.notes == ()


def test_p_019_a_missing_parameter_is_named(refused: Any) -> None:
    assert "$.n is missing" in refused(count, {})


def test_p_020_an_undeclared_key_is_left_out_and_noted(prepare: Any) -> None:
    found = prepare(count, {"n": 4, "zz": 1})

    assert found.arguments.read() == {"n": 4}
    assert "zz" in found.notes[0]


def test_p_021_a_key_that_resembles_a_parameter_that_is_there_is_left_out(prepare: Any) -> None:
    found = prepare(count, {"n": 4, "nn": 1})

    assert found.arguments.read() == {"n": 4}


@pytest.mark.parametrize("key", ["depth", "maxDepth", "MAX-DEPTH", "max_dept"])
def test_p_022_a_near_miss_of_an_absent_parameter_is_refused(key: str, refused: Any) -> None:
    message = refused(outline, {"section": "a", key: 1})

    assert key in message
    assert "did you mean 'max_depth'" in message


def test_p_023_forbidden_keys_are_named_with_their_paths(refused: Any) -> None:
    message = refused(pack, {"crate": {"size": {"width": 1, "qq": 2}}, "zz": 0}, extra="forbid")

    assert "$.crate.size.qq isn't declared" in message
    assert "$.zz isn't declared" in message


def test_p_024_undeclared_keys_are_kept(prepare: Any) -> None:
    sent = Snapshot.of({"n": 4, "zz": 1})

    assert prepare(count, sent, extra="keep").arguments is sent


def test_p_025_an_undeclared_key_two_levels_down_is_left_out_with_its_path(prepare: Any) -> None:
    found = prepare(pack, {"crate": {"size": {"width": 1, "qq": 2}}})

    assert found.arguments.read() == {"crate": {"size": {"width": 1}}}
    assert "$.crate.size.qq" in found.notes[0]


def test_a_near_miss_two_levels_down_is_refused(refused: Any) -> None:
    message = refused(pack, {"crate": {"size": {"width": 1, "Unit": "m"}}})

    assert "$.crate.size.Unit isn't declared; did you mean 'unit'?" in message


def test_p_026_null_for_what_has_a_default_means_the_default(send: Any) -> None:
    assert send(measure, {"x": 1, "rounded": None, "unit": None}) == [1.0, False, None]


def test_null_two_levels_down_means_the_default_too(send: Any) -> None:
    built = send(pack, {"crate": {"size": {"width": 1, "unit": None}, "label": None}})

    assert built == repr(Crate(Size(1), None))


def test_p_027_null_for_what_is_required_is_refused(refused: Any) -> None:
    assert "$.x must be a number, not null" in refused(measure, {"x": None})


def test_p_029_all_faults_stand_in_one_message(refused: Any) -> None:
    def take(level: Level, name: str, n: int) -> None:
        pass

    message = refused(take, {"level": 3, "name": 5})

    assert "$.level must be one of 1, 2" in message
    assert "$.name must be a string, not an integer" in message
    assert "$.n is missing" in message


@pytest.mark.parametrize("bad", ["3", True, 3.7, "", None, [3]])
def test_p_030_nothing_is_coerced(bad: Any, refused: Any) -> None:
    assert "$.depth must be an integer" in refused(snap, {"depth": bad})


@pytest.mark.parametrize("good", [3, 3.0])
def test_p_030_a_whole_number_is_an_integer(good: Any, send: Any) -> None:
    got = send(snap, {"depth": good})

    assert got == [3, False]
    assert type(got[0]) is int


@pytest.mark.parametrize("good", ["3", "3.0"])
def test_p_031_text_that_spells_a_number_is_taken_and_noted(good: str, prepare: Any) -> None:
    found = prepare(snap, {"depth": good, "full": "true"}, coerce=True)

    assert found.arguments.read() == {"depth": 3, "full": True}
    assert [note for note in found.notes if "depth" in note or "full" in note] == list(found.notes)


@pytest.mark.parametrize(
    "bad",
    ["3.7", "", "abc", "1_000", "0x10", " 5 ", "٣", "nan", "Infinity", "2026-01-15", "+3", True],
)
def test_p_032_text_that_only_resembles_a_number_is_refused(bad: Any, refused: Any) -> None:
    assert "$.depth" in refused(snap, {"depth": bad}, coerce=True)


def test_p_033_text_of_an_object_is_decoded_once_and_noted(prepare: Any) -> None:
    found = prepare(configure, {"opts": '{"a": 3}'}, coerce=True)

    assert found.arguments.read() == {"opts": {"a": 3}}
    assert "opts" in found.notes[0]


@pytest.mark.parametrize("bad", ["3", "null", '"x"', "{", '{"a": 1, "a": 2}', '{"a": "1_0"}'])
def test_p_033_any_other_text_is_refused(bad: str, refused: Any) -> None:
    assert "$.opts" in refused(configure, {"opts": bad}, coerce=True)


@pytest.mark.parametrize("text", ['{"k": 1}', "123", "null", '"q"', "[1]", "true"])
def test_p_034_text_stays_text_where_text_is_admitted(text: str, prepare: Any) -> None:
    def take(body: str, either: str | dict[str, int]) -> None:
        pass

    sent = Snapshot.of({"body": text, "either": text})

    assert prepare(take, sent, coerce=True).arguments is sent


def test_coercion_reaches_into_classes_lists_and_unions(prepare: Any) -> None:
    def take(crate: Crate | None, sizes: list[Size], n: int | None) -> None:
        pass

    sent = {"crate": {"size": {"width": "3"}}, "sizes": '[{"width": "4"}]', "n": "5"}
    found = prepare(take, sent, coerce=True)

    assert isinstance(found, Prepared), found
    assert found.arguments.read() == {
        "crate": {"size": {"width": 3}},
        "sizes": [{"width": 4}],
        "n": 5,
    }


def test_the_branch_that_a_tag_names_decides_what_is_undeclared(prepare: Any) -> None:
    sent = {"shapes": [{"kind": "circle", "radius": 1, "colour": "red"}]}

    found = prepare(draw, sent)

    assert found.arguments.read() == {"shapes": [{"kind": "circle", "radius": 1}]}
    assert "$.shapes[0].colour" in found.notes[0]


def test_the_branch_that_a_tag_names_decides_what_is_near(refused: Any) -> None:
    message = refused(draw, {"shapes": [{"kind": "square", "side": 1}]})

    assert "$.shapes[0]" in message


def test_a_branch_that_is_valid_as_sent_is_left_alone(prepare: Any) -> None:
    class Wide(TypedDict, total=False):
        name: str
        extra: int

    def take(it: Size | Wide, zz: int = 0) -> None:
        pass

    found = prepare(take, {"it": {"name": "n", "extra": 1}, "other": 1})

    assert found.arguments.read() == {"it": {"name": "n", "extra": 1}}


def test_a_wrong_leaf_under_many_branches_is_found_in_bounded_time(refused: Any) -> None:
    def take(it: Both) -> None:
        pass

    deep: Any = "wrong"
    for _ in range(60):
        deep = {"left": deep, "right": 1}

    assert "$.it" in refused(take, {"it": deep})


def test_no_value_of_an_argument_is_in_a_message(refused: Any) -> None:
    def take(n: int, level: Level, crate: Crate, word: Literal["a"], either: int | bool) -> None:
        pass

    secret = "s3cret"
    message = refused(
        take,
        {
            "n": secret,
            "level": secret,
            "crate": {"size": {"width": secret}, "label": [secret]},
            "word": secret,
            "either": secret,
        },
    )

    assert secret not in message


def raw(schema: dict[str, Any], **options: Any) -> Tool:
    return Tool(
        name="raw",
        description="",
        parameters={"type": "object", **schema},
        run=lambda arguments, context: arguments,
        **options,
    )


N = {"properties": {"n": {"type": "integer"}}}


def test_a_raw_tool_gets_what_was_sent(send: Any) -> None:
    assert send(raw(N), {"n": 3.0}) == {"n": 3.0}


@pytest.mark.parametrize(
    "schema",
    [
        N,
        {**N, "additionalProperties": False},
        {"allOf": [N]},
        {"$ref": "#/$defs/a", "$defs": {"a": N}},
    ],
)
def test_undeclared_keys_of_a_raw_tool_are_left_out_at_the_root(schema: Any, prepare: Any) -> None:
    found = prepare(raw(schema), {"n": 1, "zz": 2})

    assert found.arguments.read() == {"n": 1}
    assert "zz" in found.notes[0]


@pytest.mark.parametrize(
    "more",
    [
        {"additionalProperties": True},
        {"additionalProperties": {"type": "integer"}},
        {"patternProperties": {"^z": {}}},
        {"unevaluatedProperties": {"type": "integer"}},
        {"anyOf": [{"additionalProperties": True}, {"required": ["n"]}]},
    ],
)
def test_a_raw_schema_may_say_itself_what_else_it_takes(more: Any, prepare: Any) -> None:
    sent = Snapshot.of({"n": 1, "zz": 2})

    assert prepare(raw({**N, **more}), sent).arguments is sent


def test_undeclared_keys_inside_the_arguments_of_a_raw_tool_are_passed_on(prepare: Any) -> None:
    schema = {"properties": {"box": {"type": "object", "properties": {"a": {}}}}}
    sent = Snapshot.of({"box": {"b": 1}})

    assert prepare(raw(schema), sent).arguments is sent


def test_a_raw_tool_that_keeps_gets_undeclared_keys(prepare: Any) -> None:
    sent = Snapshot.of({"zz": 1})

    assert prepare(raw(N, extra="keep"), sent).arguments is sent


def test_a_raw_tool_that_forbids_refuses_undeclared_keys(refused: Any) -> None:
    schema = {"properties": {"x": {"type": "string"}, "y": {"type": "integer"}}}
    message = refused(raw({**schema, "required": ["x", "y"]}, extra="forbid"), {"x": 1, "zz": 0})

    assert "$.y is missing" in message
    assert "$.x must be a string, not an integer" in message
    assert "$.zz isn't declared" in message


def test_null_means_the_default_of_a_raw_tool_only_where_it_has_one(prepare: Any) -> None:
    with_default = raw({"properties": {"n": {"type": "integer", "default": 3}}})

    assert prepare(with_default, {"n": None}).arguments.read() == {}
    assert isinstance(prepare(raw(N), {"n": None}), Faults)


def test_a_raw_tool_may_ask_for_coercion(prepare: Any) -> None:
    found = prepare(raw(N, coerce=True), {"n": "3"})

    assert isinstance(found, Prepared)
    assert (found.arguments.read(), len(found.notes)) == ({"n": 3}, 1)


def test_b_011_keys_of_a_raw_tool_are_data(send: Any) -> None:
    keys = ("from", "class", "acct-Q", "acct_Q", "$top", "__filter", "1st", "", "keys", "__proto__")
    sent = {key: key.upper() for key in keys}

    made = raw({"properties": {key: {"type": "string"} for key in keys}})

    assert send(made, sent) == sent


def test_p_290_properties_named_like_methods_are_missing_by_name(refused: Any) -> None:
    keys = ["keys", "items", "get", "toString"]

    message = refused(raw({"properties": {key: {} for key in keys}, "required": keys}), {})

    assert all(f"$.{key} is missing" in message for key in keys)


def test_p_286_what_each_branch_wanted_is_said(refused: Any) -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}]}

    message = refused(raw({"properties": {"it": either}}), {"it": 8.5})

    assert "a string" in message
    assert "an integer" in message


@pytest.mark.parametrize("key", ["", "7", "007", "a/b", "~1", "å"])
def test_the_path_to_a_key_of_any_spelling_is_right(key: str, refused: Any) -> None:
    def take(it: dict[str, list[int]]) -> None:
        pass

    message = refused(take, {"it": {key: [1, "x"]}})

    assert f"{show_path(('it', key, 1))} must be an integer" in message
