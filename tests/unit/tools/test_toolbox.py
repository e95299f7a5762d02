"""The public methods of an object as tools."""

from typing import Any

import pytest
from pegboard.errors import InvalidToolError
from pegboard.tools import toolbox


class Store:
    limit = 3

    def __init__(self) -> None:
        self.items: list[str] = []
        self.hook = print

    def put(self, item: str) -> int:
        """Put an item."""
        self.items.append(item)
        return len(self.items)

    async def take(self) -> str:
        """Take one."""
        return self.items.pop()

    @staticmethod
    def twice(n: int) -> int:
        return 2 * n

    @classmethod
    def kind(cls) -> str:
        return cls.__name__

    @property
    def explosive(self) -> int:
        raise RuntimeError("properties aren't looked at")

    def _private(self, secret):  # type: ignore[no-untyped-def]
        pass


class Lying(Store):
    def lie(self) -> int:
        return "text"  # type: ignore[return-value]


class Odd:
    def fine(self) -> int:
        return 1

    def odd(self, what) -> int:  # type: ignore[no-untyped-def]
        return 1


def names(box: Any) -> list[str]:
    return [each.name for each in box]


def test_public_methods_are_tools_in_their_order() -> None:
    assert names(toolbox(Store())) == ["put", "take", "twice", "kind"]


def test_methods_share_the_object(send: Any) -> None:
    store = Store()
    put = toolbox(store)[0]

    send(put, {"item": "a"})

    assert send(put, {"item": "b"}) == 2
    assert store.items == ["a", "b"]


def test_a_prefix_goes_before_every_name() -> None:
    assert names(toolbox(Store(), prefix="store_"))[:2] == ["store_put", "store_take"]


def test_only_included_methods_are_taken() -> None:
    assert names(toolbox(Odd(), include=["fine"])) == ["fine"]


def test_an_unknown_method_is_named_with_the_nearest() -> None:
    with pytest.raises(InvalidToolError, match=r"'putt'.*did you mean 'put'"):
        toolbox(Store(), include=["putt"])


def test_a_method_that_cannot_be_a_tool_is_refused_by_name() -> None:
    with pytest.raises(InvalidToolError, match=r"'odd'.*'what'"):
        toolbox(Odd())


def test_inherited_methods_come_first() -> None:
    assert names(toolbox(Lying()))[-1] == "lie"


def test_a_return_annotation_is_believed_unless_told_otherwise(answer: Any) -> None:
    *_, lie = toolbox(Lying(), output="any")

    assert answer(lie) == "text"
    assert toolbox(Lying())[-1].output.schema == {"type": "integer"}
