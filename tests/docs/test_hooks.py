"""Every hook, and every argument of it, is documented."""

import inspect
import re
from pathlib import Path

import pytest
from pegboard.hooks import Specifications

PAGE = Path(__file__).parents[2] / "docs/reference/hooks.md"
_HEADING = re.compile(r"^### `(?P<hook>\w+)\((?P<arguments>[\w, ]*)\)`$", re.MULTILINE)
_ITEM = re.compile(r"^- `(?P<argument>\w+)`: \S", re.MULTILINE)

SPECIFIED = {
    name: list(inspect.signature(hook).parameters)[1:]
    for name, hook in vars(Specifications).items()
    if name.startswith("pegboard_")
}


def sections() -> dict[str, tuple[list[str], str]]:
    """By hook: the arguments in its heading, and the text below it."""
    text = PAGE.read_text(encoding="utf-8")
    found = list(_HEADING.finditer(text))
    ends = [each.start() for each in found[1:]] + [len(text)]
    return {
        each["hook"]: (re.findall(r"\w+", each["arguments"]), text[each.end() : end])
        for each, end in zip(found, ends, strict=True)
    }


def test_the_page_has_every_hook_and_no_other() -> None:
    assert sorted(sections()) == sorted(SPECIFIED)


@pytest.mark.parametrize("hook", sorted(SPECIFIED))
def test_the_heading_of_a_hook_has_its_arguments(hook: str) -> None:
    arguments, _ = sections()[hook]

    assert arguments == SPECIFIED[hook]


@pytest.mark.parametrize("hook", sorted(SPECIFIED))
def test_every_argument_of_a_hook_is_explained(hook: str) -> None:
    _, text = sections()[hook]

    explained = _ITEM.findall(text.partition("\n## ")[0])
    assert explained == SPECIFIED[hook]


def test_the_page_names_every_event() -> None:
    from pegboard import events

    names = [name for name, each in vars(events).items() if hasattr(each, "__attrs_attrs__")]
    _, text = sections()["pegboard_event"]
    assert not [name for name in (*names, "ApprovalAsked", "ApprovalAnswered") if name not in text]
