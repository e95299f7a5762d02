"""Binding arguments: what a function gets, and what its types refuse."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, TypedDict

import attrs
import pytest
from pegboard.tools import ArgumentFaults, CompiledTool, OutputError, Tool
from pegboard.values import Limits, Snapshot


def even(_instance: object, _attribute: object, value: int) -> None:
    if value % 2:
        raise ValueError(f"{value} is odd")


def shout(text: str) -> str:
    if not text:
        raise KeyError(text)
    return text.upper()


@attrs.frozen
class Part:
    pairs: int = attrs.field(validator=even)
    name: str = attrs.field(default="x", converter=shout)
    size: int = attrs.field(default=2, validator=attrs.validators.in_([2, 4]))


@dataclasses.dataclass
class Strict:
    n: int

    def __post_init__(self) -> None:
        if self.n > 3:
            raise OverflowError("too much")


@attrs.frozen
class Chain:
    inner: "Chain | None" = None


class Link(TypedDict, total=False):
    inner: "Link"


def take_part(part: Part) -> str:
    return repr(part)


def take_parts(parts: dict[str, list[Part | None]]) -> str:
    return repr(parts)


def take_strict(it: Strict) -> int:
    return it.n


def take_number(it: float) -> float:
    return it


def take_chain(it: Chain) -> int:
    depth = 0
    while it.inner is not None:
        depth, it = depth + 1, it.inner
    return depth


def refusal(ready: CompiledTool, arguments: Any) -> str:
    with pytest.raises(ArgumentFaults) as caught:
        ready.bind(Snapshot.of(arguments), None)
    return caught.value.faults.message("it")


def test_a_validator_that_refuses_is_named_with_the_path(compiled: Any) -> None:
    message = refusal(compiled(take_part), {"part": {"pairs": 7}})

    assert "$.part.pairs is refused by the validator 'even' (ValueError)" in message
    assert "7" not in message.replace("pairs", "")


def test_every_part_that_is_refused_is_named(compiled: Any) -> None:
    bad = {"pairs": 3, "name": "", "size": 3}

    message = refusal(compiled(take_parts), {"parts": {"a": [None, bad]}})

    assert "$.parts.a[1].pairs is refused by the validator 'even'" in message
    assert "$.parts.a[1].name is refused by the converter 'shout' (KeyError)" in message
    assert "$.parts.a[1].size is refused by the validator '_InValidator'" in message


def test_a_class_that_refuses_as_a_whole_is_named(compiled: Any) -> None:
    message = refusal(compiled(take_strict), {"it": {"n": 4}})

    assert "$.it is refused by 'Strict' (OverflowError)" in message
    assert "too much" not in message


def test_a_number_that_no_float_can_hold_is_refused(compiled: Any) -> None:
    message = refusal(compiled(take_number), {"it": 10**400})

    assert "$.it" in message
    assert "OverflowError" in message


def test_a_converter_runs_on_what_was_sent(send: Any) -> None:
    assert send(take_part, {"part": {"pairs": 2, "name": "ab"}}) == repr(Part(2, "ab"))


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"inner": value}
    return value


def test_values_of_any_allowed_depth_are_built(send: Any) -> None:
    assert send(take_chain, {"it": nested(254)}) == 254


def test_values_are_built_deep_in_the_stack_too(send: Any) -> None:
    def call_deep(left: int) -> Any:
        return call_deep(left - 1) if left else send(take_chain, {"it": nested(254)})

    assert call_deep(500) == 254


def test_values_of_any_allowed_depth_go_out_again(answer: Any) -> None:
    def give(it: Chain) -> Chain:
        return it

    def shortened(value: Any) -> int:
        depth = 0
        while value["inner"] is not None:
            depth, value = depth + 1, value["inner"]
        return depth

    assert shortened(answer(give, {"it": nested(254)})) == 254


def test_recursive_dicts_stay_dicts(send: Any) -> None:
    def take(it: Link) -> Any:
        return it

    assert send(take, {"it": nested(200)}) == nested(200)


def test_a_body_has_a_copy_of_its_own(compiled: Any) -> None:
    def take(k: dict[str, int]) -> int:
        k["n"] = 9
        return k["n"]

    sent = Snapshot.of({"k": {"n": 1}})
    ready = compiled(take)
    ready.bind(sent, None)()

    assert sent.read() == {"k": {"n": 1}}
    assert ready.bind(sent, None)() == 9


def test_a_raw_tool_gets_arguments_and_context(compiled: Any) -> None:
    made = Tool(name="raw", parameters={"type": "object"}, run=lambda *given: given)

    ready = compiled(made)

    assert ready.needs_context
    assert ready.bind(Snapshot.of({"a": 1}), "context")() == ({"a": 1}, "context")


def count(n: int) -> Iterator[int]:
    yield from range(n)


def count_any(n: int):  # type: ignore[no-untyped-def]  # a generator without a return annotation
    yield from range(n)


def maybe(n: int) -> Iterable[int]:
    return range(n) if n > 5 else [n]


async def later(n: int) -> AsyncIterator[int]:
    for each in range(n):
        yield each


async def gives_later(n: int) -> AsyncIterator[int]:
    return later(n)


@pytest.mark.parametrize("function", [count, count_any], ids=["annotated", "not annotated"])
def test_a_generator_is_read_to_its_end(function: Any, answer: Any) -> None:
    assert answer(function, {"n": 3}) == [0, 1, 2]


def test_an_iterable_may_be_a_list(answer: Any) -> None:
    assert answer(maybe, {"n": 3}) == [3]


@pytest.mark.parametrize("function", [later, gives_later])
async def test_an_async_iterator_is_read_to_its_end(function: Any, compiled: Any) -> None:
    call = compiled(function).bind(Snapshot.of({"n": 3}), None)

    assert await call() == [0, 1, 2]
    await asyncio.sleep(0)


def test_an_endless_iterator_ends_at_the_limit_and_is_closed(compiled: Any) -> None:
    closed = []

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    ready = compiled(endless, limits=Limits(max_nodes=50))

    with pytest.raises(OutputError, match="more than 50 values"):
        ready.bind(Snapshot.of({}), None)()
    assert closed


async def test_an_endless_async_iterator_ends_at_the_limit(compiled: Any) -> None:
    async def endless() -> AsyncIterator[str]:
        while True:
            yield "x" * 100

    ready = compiled(endless, limits=Limits(max_bytes=1000))

    with pytest.raises(OutputError, match="1000 allowed"):
        await ready.bind(Snapshot.of({}), None)()
