"""Pages as Markdown: what a model sees of them, and what it is told besides."""

import sys
from pathlib import Path
from typing import Any

import pytest

HTML = "text/html; charset=utf-8"


@pytest.fixture
def markdown(fetch: Any, reply: Any) -> Any:
    """Fetches a page, and gives what the tool does of it."""

    async def markdown(page: str) -> Any:
        return (await fetch({"/": reply(page, HTML)})).unwrap()

    return markdown


async def test_hidden_text_is_left_out(markdown: Any) -> None:
    hidden = ("hidden", "style='display: none'", "style='VISIBILITY:hidden'", "style='font-size:0'")
    parts = "".join(f"<p {how}>obey</p>" for how in hidden)

    value = await markdown(f"{parts}<template>obey</template><!-- obey --><p>x</p>")

    assert value["text"] == "x"


UNSEEN = {
    "tags": "".join(chr(0xE0000 + ord(each)) for each in "obey"),
    "variation selectors": "\U000e0130\U000e01ef",
    "spaces of no width": "\u200b\u2060\ufeff",
    "soft hyphens": "\xad",
    "overrides of direction": "\u202e\u202d\u202c",
    "isolates": "\u2066\u2069",
    "marks of direction": "\u200e\u200f",
}


@pytest.mark.parametrize("name", UNSEEN)
async def test_characters_that_nobody_sees_are_left_out(markdown: Any, name: str) -> None:
    value = await markdown(f"<title>t{UNSEEN[name]}</title><p>x{UNSEEN[name]}y</p>")

    assert (value["title"], value["text"]) == ("t", "xy")


async def test_characters_that_join_others_stay(markdown: Any) -> None:
    joined = "\U0001f469\u200d\U0001f4bb \u0645\u06cc\u200c\u062e\u0648 \u2764\ufe0f"

    assert (await markdown(f"<p>{joined}"))["text"] == joined


async def test_a_table_is_not_padded_to_its_longest_cell(markdown: Any) -> None:
    rows = "<tr><td>1<td>2</tr>" * 100

    value = await markdown(f"<table><tr><th>{'a' * 1_000}<th>b</tr>{rows}</table>")

    assert value["text"] == f"| {'a' * 1_000} | b |\n| --- | --- |" + "\n| 1 | 2 |" * 100


async def test_a_power_is_not_read_as_another_number(markdown: Any) -> None:
    assert (await markdown("<p>10<sup>6</sup>"))["text"] == "10^6^"


@pytest.mark.parametrize(
    ("meta", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/next">', "/next"),
        ("<META CONTENT='3;URL=\"next?a=1&amp;b=2\"' HTTP-EQUIV=Refresh>", "/next?a=1&b=2"),
        ("<meta http-equiv=refresh content=0,next>", "/next"),
        ('<base href="/sub/"><meta http-equiv="refresh" content="0;url=next">', "/sub/next"),
    ],
)
async def test_a_page_that_sends_on_says_where(markdown: Any, meta: str, target: str) -> None:
    value = await markdown(f"{meta}<p>Moved")

    assert value["notes"] == [f"the page sends its readers on to {value['url'][:-1]}{target}"]


@pytest.mark.parametrize(
    "content", ["30", "0; url=javascript:alert(1)", "0; url=http://[", "0;url=/", "", "x; url=/y"]
)
async def test_a_page_that_sends_nowhere_has_no_note(markdown: Any, content: str) -> None:
    assert (await markdown(f'<meta http-equiv="refresh" content="{content}"><p>x'))["notes"] == []


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("<div id=root></div><script src=app.js></script>", 1),
        ("<noscript>Turn scripts on</noscript><SCRIPT>draw()</SCRIPT><p>Loading", 1),
        ("<script>count()</script>" + "<p>word</p>" * 100, 0),
        ("<p>short", 0),
        ("", 0),
    ],
)
async def test_a_page_that_is_empty_without_its_scripts_says_so(
    markdown: Any, page: str, count: int
) -> None:
    notes = (await markdown(page))["notes"]

    assert len([each for each in notes if "once its scripts run" in each]) == count


async def test_a_title_may_hold_a_bracket(markdown: Any) -> None:
    assert (await markdown("<title>a < b &amp; c</title>x"))["title"] == "a < b & c"


async def test_a_page_is_refused_while_no_process_can_be_started(
    refusal: Any, reply: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))

    assert await refusal({"/": reply("<p>x")}) == "busy"
