"""Names with signs in them, as a model sees them and gives them back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome

Call = Callable[..., Outcome]

NAMES = [
    "it's",
    'a "b"',
    "both ' and \"",
    "a b",
    "a;b",
    "$(id)",
    "-rf",
    "*",
    "[id]",
    "ünï",
    "#",
    "%20",
]


def test_a_name_can_be_given_back_as_it_is_shown(call: Call, root: Path) -> None:
    for name in NAMES:
        (root / name).write_text(f"one {name}\n")

    listed = call("files_list", {}).content[0].text.splitlines()
    found = call("files_search", {"pattern": "^one"}).content[0].text.splitlines()

    shown = [each.rpartition("  ")[0] for each in listed if not each.endswith("/")]
    assert sorted(shown) == sorted(NAMES)
    assert found == [f"{each}:1: one {each}" for each in shown]
    assert all(
        f"one {each}\n" in call("files_read", {"path": each}).unwrap()["text"] for each in shown
    )


@pytest.mark.parametrize(
    ("name", "quoted"), [("it's", '"it\'s"'), ('a"b', "'a\"b'"), ("'\"", "'\\'\"'"), ("a", "'a'")]
)
def test_a_name_in_a_message_is_in_quotes_that_it_does_not_hold(
    call: Call, name: str, quoted: str
) -> None:
    outcome = call("files_read", {"path": name})

    assert outcome.message.startswith(f"{quoted} isn't there: the root folder has no {quoted};")
