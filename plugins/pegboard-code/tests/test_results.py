"""What a program gives: the value of its last expression, lossless, or why not."""

from typing import Any

import pytest
from pegboard import ProgramResult
from pegboard_code.results import NotLosslessError, lossless

NAMED = "import collections\nN = collections.namedtuple('N', 'a b')\n"


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("None", None),
        ("''", ""),
        ("0", 0),
        ("False", False),
        ("1.5", 1.5),
        ("2**200", 2**200),
        ("'é\\x00😀'", "é\x00😀"),
        ("x = 1; [x, {'a': None}]  # a remark", [1, {"a": None}]),
        ("(\n  1,\n  (2, 3),\n)", [1, [2, 3]]),
        ("x = 3\r\nx\r\n", 3),
        ("\ufeffx = 'ü'; x + 'é'", "üé"),
        ("print('x')", None),
        ("if True:\n    pass\n*[1], 2", [1, 2]),
        ('d = {\'a\': 1}\nf"{d["a"]}"', "1"),
        ("d = {'a': [1]}\nf\"{d[\"a\"]}\" and d[\n  'a'\n]", [1]),
    ],
)
async def test_the_value_of_the_last_expression_is_the_result(
    lab: Any, program: str, value: Any
) -> None:
    async with lab() as it:
        result = await it.run(program)

    assert result == ProgramResult(value, is_given=True)
    assert type(result.value) is type(value)


@pytest.mark.parametrize(
    "program",
    [
        "",
        "  \n",
        "# 5",
        "x = 5",
        "x = \\\n5",
        "def f():\n    5",
        "if True:\n    5",
        "for x in [1]: x",
    ],
)
async def test_a_program_whose_last_statement_is_no_expression_has_no_result(
    lab: Any, program: str
) -> None:
    async with lab() as it:
        assert await it.run(program) == ProgramResult()


@pytest.mark.parametrize(
    ("program", "place", "what"),
    [
        ("{1}", "the result is", "of type set"),
        ("{'a': [1, {2}]}", "the result, at ['a'][1],", "of type set"),
        ("[b'x']", "the result, at [0],", "of type bytes"),
        ("echo", "the result is", "of type function"),
        ("[tools['a-b']]", "the result, at [0],", "of type function"),
        ("{'f': lambda: 1}", "the result, at ['f'],", "of type function"),
        ("print", "the result is", "of type builtin_function_or_method"),
        ("range(3)", "the result is", "make a list of it"),
        ("{'a': 1}.keys()", "the result is", "of type dict_keys"),
        ("class P: pass\n[P()]", "the result, at [0],", "of type P"),
        ("class P: pass\nP", "the result is", "of type type"),
        ("import math\nmath", "the result is", "of type module"),
        (f"{NAMED}[N(1, 2)]", "the result, at [0],", "of type N, which is not JSON: make a list"),
        (f"{NAMED}await any(x=N(1, 2))", "the program raised", "given, at ['x'], is of type N"),
        ("{'a': {1: 2}}", "the result, at ['a'],", "a key of type int"),
        ("[{(1, 2): 3}]", "the result, at [0],", "a key of type tuple"),
        ("[float('nan')]", "the result, at [0],", "is nan"),
        ("-float('inf')", "the result is", "is inf"),
        ("{'n': 10**4300}", "the result, at ['n'],", "more than 4300 digits"),
        ("a = []\na.append(a)\na", "the result contains itself,", ""),
        ("a = {}\na['b'] = [a]\na", "the result contains itself", ""),
        ("a = []\nfor i in range(400): a = [a]\na", "the result", "nested deeper than"),
        ("a = []\nfor i in range(50000): a = [a]\na", "the result", "nested"),
        ("echo(value='x')", "the result is", "write `await` before the call"),
        ("import datetime\ndatetime.date(2020, 1, 1)", "the result is", "isoformat()"),
    ],
)
async def test_a_value_that_is_not_json_is_refused_with_its_place_and_its_type(
    lab: Any, program: str, place: str, what: str
) -> None:
    async with lab() as it:
        error = await it.fault(program)

    assert error.kind == "exception"
    assert str(error).startswith(place)
    assert what in str(error)


async def test_text_that_looks_like_what_is_not_json_stays_text(lab: Any) -> None:
    async with lab() as it:
        value = await it.value("['echo', 'range(0, 3)', '[...]', '<coroutine external_future(0)>']")

    assert value == ["echo", "range(0, 3)", "[...]", "<coroutine external_future(0)>"]


async def test_names_that_a_program_redefines_change_nothing_of_its_result(lab: Any) -> None:
    async with lab() as it:
        value = await it.value("len = list = isinstance = str = type = 5\nimport json\n[len]")

    assert value == [5]


async def test_a_result_of_many_megabytes_is_refused_before_it_leaves_the_sandbox(lab: Any) -> None:
    async with lab() as it:
        error = await it.fault("['x' * 1000] * 50000", memory=512 * 2**20)

    assert error.kind == "exception"
    assert "give back less of it" in str(error)


SHARED = "x = []\nfor i in range(40): x = [x, x]\n"


@pytest.mark.parametrize(
    "program",
    [
        f"_pegboard_measure = lambda v: 3  # type: ignore\n{SHARED}x",
        f"{SHARED}[x, '{'a' * 300000}']",
        f"{SHARED}await _pegboard_calls['any'](x=x)  # type: ignore",
        f"{SHARED}await eval(\"_pegboard_calls['any'](x=x)\")",
        f"{SHARED}EchoArguments(value=x)  # type: ignore",
    ],
)
async def test_a_value_with_parts_that_are_shared_without_end_is_refused(
    lab: Any, program: str
) -> None:
    async with lab() as it:
        error = await it.fault(program)

    assert error.kind == "exception"
    assert "has more than 1,000,000 parts: give back less of it" in str(error)


@pytest.mark.parametrize(
    "value", [["x" * 1000] * 20000, [{"é" * 1000: 1}] * 20000, [10**4000] * 20000]
)
def test_a_value_with_more_text_than_json_may_have_is_refused(value: Any) -> None:
    with pytest.raises(NotLosslessError, match="more than 10,485,760 bytes of text"):
        lossless(value)


def test_a_long_key_above_many_parts_is_copied_without_delay() -> None:
    value = {"k" * 5_000_000: [0] * 900_000}

    assert lossless(value) == value


@pytest.mark.parametrize(
    "measure",
    [
        "lambda v: 'x'",
        "lambda v: None",
        "lambda v: any(x=v)",
        "lambda v: 10**5000",
        "lambda v: -1",
        "lambda v: True",
        "7",
        "print",
    ],
)
async def test_a_program_that_redefines_what_looks_at_its_result_gets_an_exception(
    lab: Any, measure: str
) -> None:
    async with lab() as it:
        error = await it.fault(f"_pegboard_measure = {measure}  # type: ignore\n5")

    assert error.kind == "exception"


@pytest.mark.parametrize("place", ["(10**5000, 'x', 'key')", "([], [], [])", "3", "None"])
async def test_a_program_that_redefines_what_finds_the_odd_part_gets_an_exception(
    lab: Any, place: str
) -> None:
    async with lab() as it:
        error = await it.fault(f"_pegboard_find = lambda v: {place}  # type: ignore\nprint")

    assert error.kind == "exception"
