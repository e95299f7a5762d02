"""On which line of a TOML text each part of it stands."""

import string
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.configuration.places import places

TEXT = """\
# a comment = [not.a.table]
block = ["shell"]
only = [
    "files",  # with a = comment
    "]",
]

[boards."*"]
deny = ["x"]

[boards.'a.b']
text = '''
[not.a.table]
'''
point.x = 1

[[steps]]
name = "one"

[[steps]]
[[steps.parts]]
name = "two"
[steps.more]
name = "three"
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("block",), 2),
        (("only",), 3),
        (("boards",), 8),
        (("boards", "*"), 8),
        (("boards", "*", "deny"), 9),
        (("boards", "a.b"), 11),
        (("boards", "a.b", "text"), 12),
        (("boards", "a.b", "point", "x"), 15),
        (("steps",), 17),
        (("steps", "0"), 17),
        (("steps", "0", "name"), 18),
        (("steps", "1"), 20),
        (("steps", "1", "parts", "0", "name"), 22),
        (("steps", "1", "more", "name"), 24),
    ],
)
def test_every_table_and_key_has_its_line(path: tuple[str, ...], line: int) -> None:
    assert places(TEXT)[path] == line


def test_what_stands_inside_a_value_is_no_place() -> None:
    assert not [path for path in places(TEXT) if "not" in path]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_only_an_end_of_line_begins_a_line(character: str) -> None:
    found = places(f"# {character}\na = 'x{character}y'\r\nb = '''{character}\n'''\nc = 1")

    assert found == {("a",): 2, ("b",): 3, ("c",): 5}


keys = st.text(string.ascii_letters + "-_ .'#=[]", min_size=1, max_size=8)
values = st.one_of(
    st.integers(-9, 9).map(str),
    st.lists(st.integers(0, 9), max_size=3).map(
        lambda each: "[\n  " + ",\n  ".join(map(str, each)) + "\n]"
    ),
    st.just("'''\na = 1\n'''"),
    st.just('{ a = 1, "b c" = 2 }'),
    st.just('"""a ""[" \\\\"\n]\\""""""'),
    st.just("""["]", '[', '\\\\', "\\\\\\\""]  # ["""),
)


@given(st.dictionaries(keys, st.dictionaries(keys, values, max_size=3), max_size=4))
def test_each_key_is_found_where_it_was_written(tables: dict[str, dict[str, str]]) -> None:
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, entries in tables.items():
        lines.append(f"[{_quoted(table)}]")
        expected[table,] = len(lines)
        for key, value in entries.items():
            expected[table, key] = len(lines) + 1
            lines += f"{_quoted(key)} = {value}".splitlines()
    text = "\n".join(lines)

    found = places(text)

    assert {path: found[path] for path in expected} == expected
    assert _shape(tomllib.loads(text)) == {table: set(entries) for table, entries in tables.items()}


def _quoted(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shape(table: dict[str, Any]) -> dict[str, set[str]]:
    return {key: set(value) for key, value in table.items()}
