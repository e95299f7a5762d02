"""A secret shows nowhere."""

import copy
import json
import pickle  # noqa: TID251 - what must not work

import attrs
import pytest
from pegboard.tools import Secret


@attrs.frozen
class Settings:
    key: Secret


@pytest.mark.parametrize(
    "show",
    [repr, str, "{}".format, "{!r:>20}".format, lambda secret: f"{[secret]}"],
    ids=["repr", "str", "format", "padded", "in a list"],
)
def test_no_text_of_a_secret_shows(show: object) -> None:
    assert "tok" not in show(Secret("tok-123"))  # type: ignore[operator]


def test_what_turns_classes_into_dicts_keeps_a_secret_closed() -> None:
    found = attrs.asdict(Settings(Secret("tok-123")))

    assert "tok" not in repr(found)


def test_a_secret_is_revealed_on_demand() -> None:
    assert Secret("tok-123").reveal() == "tok-123"


def test_secrets_are_equal_by_their_text() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert len({Secret("a"), Secret("a")}) == 1
    assert Secret("a") != "a"


def test_a_secret_goes_into_no_json_and_no_pickle() -> None:
    with pytest.raises(TypeError):
        json.dumps(Secret("tok"))
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(Secret("tok"))


def test_a_secret_can_be_copied() -> None:
    found = copy.deepcopy(Settings(Secret("tok")))

    assert found.key.reveal() == "tok"
