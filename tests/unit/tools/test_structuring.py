"""Configuration and settings: everything that is wrong, at once."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import annotated_types
import attrs
import pytest
from pegboard.tools import CompiledTool, Converter, Secret, StructureError, structure, tool
from pegboard.values import Snapshot


@attrs.frozen
class Server:
    host: str
    port: Annotated[int, annotated_types.Ge(1)] = 80


def whole_seconds(_instance: object, _attribute: object, value: float) -> None:
    if value % 1:
        raise ValueError("not whole")


@attrs.frozen
class Settings:
    root: Path
    key: Secret | None = None
    level: Literal["low", "high"] = "low"
    servers: dict[str, Server] = attrs.field(factory=dict)
    since: date | None = None
    wait: float = attrs.field(default=1.0, validator=whole_seconds)


def built(value: Any) -> Settings:
    return structure(value, Settings, converter=Converter())


def mistakes(value: Any) -> str:
    with pytest.raises(StructureError) as caught:
        built(value)
    return str(caught.value)


def test_plain_values_become_the_class() -> None:
    found = built({"root": "./data", "servers": {"a": {"host": "h"}}, "wait": 3})

    assert found == Settings(Path("data"), servers={"a": Server("h")}, wait=3.0)


def test_dates_of_toml_are_taken() -> None:
    assert built({"root": ".", "since": date(2020, 1, 2)}).since == date(2020, 1, 2)


def test_a_secret_stays_a_secret() -> None:
    found = built({"root": ".", "key": Secret("tok-123")})

    assert found.key is not None
    assert found.key.reveal() == "tok-123"
    assert "tok" not in repr(found)


def test_all_mistakes_are_reported_together() -> None:
    servers = {"a": {"hots": "h", "port": 0}}

    message = mistakes({"levle": "low", "level": "mid", "servers": servers})

    assert "$.root is missing" in message
    assert "$.levle isn't declared; did you mean 'level'?" in message
    assert "$.level must be one of" in message
    assert "$.servers.a.hots isn't declared; did you mean 'host'?" in message
    assert "$.servers.a.port must be at least 1" in message


def test_what_a_validator_refuses_is_a_mistake_too() -> None:
    message = mistakes({"root": ".", "wait": 1.5})

    assert message == "$.wait is refused: not whole"


@pytest.mark.parametrize("value", [None, [], "text", {"root": {1, 2}}, {"root": object()}])
def test_what_no_file_could_hold_is_a_mistake(value: Any) -> None:
    assert mistakes(value)


def test_no_value_shows_in_a_mistake() -> None:
    servers = {"a": "s3cret"}

    message = mistakes({"root": ["s3cret"], "key": 5, "servers": servers, "level": "s3cret"})

    assert "s3cret" not in message


def test_a_class_that_cannot_be_expressed_is_named() -> None:
    odd = attrs.make_class("Odd", {"it": attrs.field(type=complex)})

    with pytest.raises(StructureError, match="field 'it' of 'Odd'"):
        structure({}, odd, converter=Converter())


@attrs.frozen
class _Rooted:
    root: str = attrs.field(default=".")

    @root.validator
    def _is_folder(self, _: object, value: str) -> None:
        if value != ".":
            raise ValueError("there is no such folder")


def test_what_a_validator_of_settings_says_reaches_the_operator() -> None:
    with pytest.raises(StructureError, match="there is no such folder"):
        structure({"root": "x"}, _Rooted, converter=Converter())


@pytest.mark.parametrize(
    "name", ["cl", "converter", "typevar_map", "attrs", "cls", "obj", "res", "instance"]
)
def test_a_field_may_have_any_name_that_python_gives_it(name: str) -> None:
    cls = attrs.make_class("Given", {name: attrs.field(type=list[int])})

    @tool
    def given(v: cls) -> cls:  # type: ignore[valid-type]
        """Give it back."""
        return v

    compiled = CompiledTool(given, converter=Converter())
    sent = Snapshot.of({"v": {name: [1]}})

    built = compiled.bind(sent, None)()

    assert getattr(built, name) == [1]
    assert compiled.project(sent, built, is_direct=True).value.read() == {name: [1]}
