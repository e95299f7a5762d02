"""Which rule wins, and what rules look at."""

import json
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import JSON, Config, Owner, PluginConfig
from pegboard_permissions.judging import Rules, Subject
from pegboard_permissions.settings import Rule, Selector, Settings

Desk = Callable[..., Any]
WORDS = ("deny", "ask", "allow")
NAMES = st.sampled_from(["a", "ab", "b", "*", "a*", "?"])
SELECTORS = st.builds(
    Selector,
    tool=NAMES,
    plugin=st.none() | NAMES,
    arguments=st.dictionaries(st.sampled_from(["x", "y"]), NAMES | st.sampled_from([1, True])),
)
SELECTED = st.lists(NAMES | SELECTORS, max_size=2).map(tuple)
RULES = st.builds(
    Rule,
    boards=st.lists(NAMES, min_size=1, max_size=2).map(tuple),
    deny=SELECTED,
    ask=SELECTED,
    allow=st.lists(NAMES | SELECTORS, min_size=1, max_size=2).map(tuple),
)
SETTINGS = st.builds(
    Settings,
    rules=st.lists(RULES, max_size=4).map(tuple),
    default=st.sampled_from([None, *WORDS]),
)
SUBJECTS = st.builds(
    Subject,
    boards=st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=2).map(tuple),
    owner=st.builds(Owner, plugin=st.sampled_from([None, "a", "b"])),
    tool=st.sampled_from(["a", "ab", "b", "B"]),
    arguments=st.dictionaries(
        st.sampled_from(["x", "y"]), st.sampled_from(["a", "ab", "A", 1, 2, True])
    ),
)


def is_exactly(value: JSON, wanted: JSON) -> bool:
    if type(value) is not type(wanted):
        return False
    return fnmatchcase(value, wanted) if isinstance(wanted, str) else value == wanted


def could_be(value: JSON, wanted: JSON) -> bool:
    if not isinstance(wanted, str):
        return value == wanted
    text = value if isinstance(value, str) else json.dumps(value)
    return fnmatchcase(text.lower(), wanted)


def means(word: str, selector: str | Selector, subject: Subject) -> bool:
    if isinstance(selector, str):
        return fnmatchcase(subject.tool.lower(), selector)
    plugin, same = subject.owner.plugin, is_exactly if word == "allow" else could_be
    return (
        fnmatchcase(subject.tool.lower(), str(selector.tool))
        and (selector.plugin is None or fnmatchcase(plugin or "\0\0\0", selector.plugin))
        and (selector.plugin is None or plugin is not None)
        and all(
            path in subject.arguments and same(subject.arguments[path], wanted)
            for path, wanted in selector.arguments.items()
        )
    )


def said(settings: Settings, subject: Subject) -> Iterator[str]:
    for rule in settings.rules:
        if any(fnmatchcase(name, each) for name in subject.boards for each in rule.boards):
            for word in WORDS:
                if any(means(word, each, subject) for each in getattr(rule, word)):
                    yield word


@given(SETTINGS, SUBJECTS)
def test_the_strictest_word_of_all_rules_that_mean_a_call_holds(
    settings: Settings, subject: Subject
) -> None:
    judgement = Rules(settings).judge(subject)

    without = settings.default or ("ask" if settings.rules else "allow")
    assert judgement.word == min(said(settings, subject), key=WORDS.index, default=without)
    assert bool(judgement.questions) == (judgement.word == "ask")


@pytest.mark.parametrize(
    ("rules", "default", "ends"),
    [
        ([], None, "ok"),
        ([], "deny", "denied"),
        ([{"deny": ["run"]}], "allow", "ok"),
        ([{"deny": ["run"]}], "deny", "denied"),
        ([{"allow": ["read"]}], None, "ok"),
    ],
)
async def test_a_call_that_no_rule_means_gets_the_default(
    desk: Desk, rules: Any, default: str | None, ends: str
) -> None:
    async with desk(rules=rules, default=default) as it:
        assert await it.ends("read") == ends
        assert it.people.asked == []


async def test_where_there_are_rules_what_no_rule_means_is_asked_for(desk: Desk) -> None:
    async with desk(rules=[{"allow": ["read"]}]) as it:
        it.people.answer = "rejected"

        ends = [await it.ends("read"), await it.ends("write")]

    assert ends == ["ok", "denied"]
    assert [each.tool for each in it.people.asked] == ["write"]


async def test_a_rule_for_a_board_holds_on_its_child_boards_and_on_no_other(desk: Desk) -> None:
    async with desk(rules=[{"boards": ["team-*"], "deny": ["run"]}], default="allow") as it:
        parent = await it.host.board("team-a")
        child = await it.host.board("helper", parent=await it.host.board("mid", parent=parent))

        ends = [await it.ends("run", board) for board in (parent, child, "other")]

    assert ends == ["denied", "denied", "ok"]


async def test_rules_mean_the_name_that_the_author_gave_a_tool_whatever_it_is_called(
    desk: Desk,
) -> None:
    named = Config(
        plugins={
            "shell": PluginConfig(prefix="safe_"),
            "files": PluginConfig(rename={"read": "run"}),
        }
    )
    async with desk(named, rules=[{"deny": ["run"]}], default="allow") as it:
        assert await it.ends("safe_run") == "denied"
        assert await it.ends("run") == "ok"


@pytest.mark.parametrize("pattern", ["RUN", "r*", "ru[n]", "\N{FULLWIDTH LATIN SMALL LETTER R}un"])
async def test_names_of_tools_are_compared_without_case(desk: Desk, pattern: str) -> None:
    async with desk(rules=[{"deny": [pattern]}], default="allow") as it:
        assert await it.ends("run") == "denied"


@pytest.mark.parametrize(
    ("selector", "ends"),
    [
        ({"plugin": "shell"}, "denied"),
        ({"plugin": "shell", "tool": "r*"}, "denied"),
        ({"plugin": "shell", "tool": "write"}, "ok"),
        ({"plugin": "files"}, "ok"),
        ({"distribution": "*"}, "ok"),
    ],
)
async def test_everything_that_a_selector_names_must_fit(
    desk: Desk, selector: Any, ends: str
) -> None:
    async with desk(rules=[{"deny": [selector]}], default="allow") as it:
        assert await it.ends("run") == ends


@pytest.mark.parametrize("written", ["My.Tools", "my-tools", "my_t*"])
def test_names_of_distributions_are_compared_as_pip_does(written: str) -> None:
    rules = Rules(Settings((Rule(deny=(Selector(distribution=written),)),)))
    owner = Owner("tools", "My_Tools", "1.0", 1)

    assert rules.judge(Subject(("one",), owner, "run", {})).word == "deny"


async def test_a_refusal_names_the_tool_and_nothing_of_the_rules(desk: Desk) -> None:
    rules = [{"deny": [{"tool": "run", "arguments": {"command": "rm *"}}]}]
    async with desk(rules=rules) as it:
        board = await it.host.board("one")

        outcome = await board.call("run", {"command": "rm -r x"})

    assert outcome.message == "the permissions of board 'one' deny 'run'"
