"""Where the last expression of a program stands."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_code.tails import KEPT, prepared


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("1", f"{KEPT} = (1)"),
        ("x = 1; x + 1 # c\n", f"x = 1; {KEPT} = (x + 1) # c\n"),
        ("'é'; 'ü' + x", f"'é'; {KEPT} = ('ü' + x)"),
        ("x\r\n(x,\r\n 2)\r\n", f"x\r\n{KEPT} = ((x,\r\n 2))\r\n"),
        ("x\rx", f"x\r{KEPT} = (x)"),
        ("*a, b", f"{KEPT} = (*a, b)"),
        ("'''a\n5\n'''", f"{KEPT} = ('''a\n5\n''')"),
    ],
)
def test_the_last_expression_is_kept_where_it_stands(program: str, text: str) -> None:
    assert prepared(program).text == text


@pytest.mark.parametrize("program", ["x = 5", "x = \\\n5", "if 1:\n  5", "'''a\n5'''; x = 1", ""])
def test_a_program_without_a_last_expression_stays_as_it_is(program: str) -> None:
    ready = prepared(program)

    assert (ready.text, ready.is_kept) == (program, False)


@pytest.mark.parametrize(
    "program",
    [
        "(" * 60_000,
        "-" * 60_000 + "1",
        "a" + ".b" * 30_000,
        "1" + "+1" * 30_000,
        "lambda: " * 8000 + "1",
        "[x for x in " * 5000,
        "x = '\x00'",
        "if 1:\n " * 9000,
        "'\ud800'",
        "{" * 3000 + "x",
    ],
)
def test_a_program_that_python_cannot_read_stays_as_it_is(program: str) -> None:
    assert prepared(program).text == program


def test_of_a_long_program_only_the_end_is_read_and_nothing_is_put_there() -> None:
    program = "x = f'{1}'\n" * 200_000 + "f(\n  x,\n)\n"

    ready = prepared(program)

    assert (ready.text, ready.is_kept, ready.is_given) == (program, False, True)


@pytest.mark.parametrize("head", ["x\n" * 150_000, "f'{'a' 'b'}'; x = f\"{d[\"a\"]}\"\n"])
def test_what_stands_inside_of_a_string_stays_as_it_is(head: str) -> None:
    program = f"{head}y = '''\nprint(1)\n# '''; z = 1\n"

    assert KEPT not in prepared(program).text


@given(st.lists(st.sampled_from(["x = 1", "f(\n 'é',\n)", "if x:\n  y", "# c", "", "'ü'; z"])))
def test_what_is_kept_is_the_value_of_the_last_statement(statements: list[str]) -> None:
    program = "\n".join(statements)

    ready = prepared(program)

    body, kept = ast.parse(program).body, ast.parse(ready.text).body
    if ready.is_kept:
        assert isinstance(body[-1], ast.Expr)
        assert isinstance(kept[-1], ast.Assign)
        assert ast.dump(kept[-1].value) == ast.dump(body[-1].value)
    else:
        assert not body or not isinstance(body[-1], ast.Expr)
