"""The bug about unions whose answer depends on the order of their members."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import attrs
import pytest
from pegboard import JSON, InvalidToolError, tool
from pegboard_cases import refusal, says, success


@attrs.frozen
class Box:
    """A box."""

    n: int


@attrs.frozen
class Crate:
    """A box under another name."""

    n: int


@dataclass
class Bag:
    """A box that may be empty."""

    n: int = 0


@attrs.frozen
class Wide:
    """A box with a lid."""

    n: int
    lid: str


class Mark(Enum):
    """A mark."""

    X = "x"


BOTH_WAYS: dict[str, tuple[Any, JSON, Any]] = {
    "Literal and Box, an object": (Literal["x"] | Box, {"n": 1}, "Box(n=1)"),
    "Box and Literal, an object": (Box | Literal["x"], {"n": 1}, "Box(n=1)"),
    "Literal and Box, a text": (Literal["x"] | Box, "x", "'x'"),
    "Box and Literal, a text": (Box | Literal["x"], "x", "'x'"),
    "enum and Box": (Mark | Box, {"n": 1}, "Box(n=1)"),
    "Box and enum": (Box | Mark, "x", "<Mark.X: 'x'>"),
    "list and Box": (list[int] | Box, {"n": 1}, "Box(n=1)"),
    "Box and list": (Box | list[int], [1], "[1]"),
    "int and float, a whole number": (int | float, 2, "2"),
    "float and int, a whole number": (float | int, 2, "2"),
    "narrow and wide, the wide": (Box | Wide, {"n": 1, "lid": "l"}, "Wide(n=1, lid='l')"),
    "wide and narrow, the narrow": (Wide | Box, {"n": 1}, "Box(n=1)"),
    "needed and optional": (Box | Bag, {"n": 1}, "Box(n=1)"),
    "optional and needed": (Bag | Box, {"n": 1}, "Box(n=1)"),
    "optional and needed, nothing": (Bag | Box, {}, "Bag(n=0)"),
    "bool and int": (bool | int, True, "True"),
    "int and bool": (int | bool, True, "True"),
    "lists": (list[Literal["x"] | Box], ["x", {"n": 1}], "['x', Box(n=1)]"),
    "lists the other way": (list[Box | Literal["x"]], ["x", {"n": 1}], "['x', Box(n=1)]"),
}


@pytest.mark.parametrize("kind", BOTH_WAYS)
async def test_b_042_the_answer_of_a_union_is_the_same_in_both_orders(kind: str) -> None:
    annotation, sent, shown = BOTH_WAYS[kind]

    def take(x: Any) -> str:
        return repr(x)

    take.__annotations__ = {"x": annotation, "return": str}

    assert (await success(tool(take), {"x": sent})).value == shown


@pytest.mark.parametrize("annotation", [Literal["x"] | Box, Box | Literal["x"]], ids=str)
@pytest.mark.parametrize("sent", [{"m": 1}, "y", ["x"], None, [{"n": 1}]], ids=repr)
async def test_b_042_what_no_branch_accepts_is_refused_in_both_orders(
    annotation: Any, sent: JSON
) -> None:
    def take(x: Any) -> str:
        return repr(x)

    take.__annotations__ = {"x": annotation, "return": str}

    assert says(await refusal(tool(take), {"x": sent}), "$.x")


@pytest.mark.parametrize(
    "annotation",
    [Box | Crate, Crate | Box, list[Box | Crate], Box | list[Box | Crate], bytes | str],
    ids=str,
)
def test_b_042_a_union_that_can_not_be_told_apart_is_refused(annotation: Any) -> None:
    def take(x: Any) -> None:
        pass

    take.__annotations__ = {"x": annotation, "return": None}

    with pytest.raises(InvalidToolError, match="told apart"):
        tool(take)
