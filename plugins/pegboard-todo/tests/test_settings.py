"""Settings and the moment of loading."""

from collections.abc import Callable

import pytest
from pegboard import Outcome, PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("todo", settings=lambda folder: {"path": str(folder / "todo.sqlite3")})

Call = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("path", ""),
        ("path", "~nobody-of-that-name/todo"),
        ("path", "a\0b"),
        ("path", ":memory:"),
        ("path", "file:todo?mode=memory"),
        ("path", 3),
        ("max_items", 0),
        ("max_items", 10**6),
        ("max_characters", 0),
        ("max_seconds", 0.0),
        ("max_seconds", float("nan")),
        ("one_doing", "yes"),
        ("max_item", 3),
    ],
)
def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    call: Call, setting: str, value: object
) -> None:
    with pytest.raises(PluginLoadError, match=setting):
        call("todo_list", {}, **{setting: value})
