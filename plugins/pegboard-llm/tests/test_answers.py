"""What llm tools give, as values and content."""

import base64
from pathlib import Path
from typing import Any

import pytest
from pegboard import Audio, Image, Resource, Success, Text

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
CODE = """
import llm
from dataclasses import dataclass
from pathlib import Path

@dataclass
class Found:
    paths: list

def give() -> str:
    return {}

@llm.hookimpl
def register_tools(register):
    register(give)
"""


async def answered(plugins: Any, expression: str) -> Success:
    """The outcome of a tool that gives this, and is annotated to give text."""
    plugins.install(CODE.replace("{}", expression))
    async with plugins.hosted() as host:
        outcome = await (await host.board("a")).call("give")
    assert isinstance(outcome, Success)
    return outcome


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'text'", "text"),
        ("20", 20),
        ("None", None),
        ("[1, {'a': 2.5}]", [1, {"a": 2.5}]),
        ("(1, 2)", [1, 2]),
        ("{1: 'a'}", {"1": "a"}),
        ("Found([Path('a')])", "Found(paths=[PosixPath('a')])"),
        ("[b'raw']", ["b'raw'"]),
        ("[float('nan')]", "[NaN]"),
        ("llm.ToolOutput(output={'a': 1})", {"a": 1}),
    ],
)
async def test_a_value_is_what_llm_would_write_whatever_the_annotation_says(
    plugins: Any, expression: str, value: object
) -> None:
    outcome = await answered(plugins, expression)

    assert outcome.value == value
    assert type(outcome.value) is type(value)


async def test_attachments_are_content_beside_the_value(plugins: Any, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    image = f"llm.Attachment(path={str(tmp_path / 'a.png')!r})"
    sound = "llm.Attachment(type='audio/wav', content=b'wave')"
    outcome = await answered(plugins, f"llm.ToolOutput('a plot', [{image}, {sound}])")

    assert outcome.value == "a plot"
    assert outcome.content == (
        Text("a plot"),
        Image(base64.b64encode(PNG).decode(), "image/png"),
        Audio(base64.b64encode(b"wave").decode(), "audio/wav"),
    )


async def test_an_attachment_of_another_kind_is_a_resource(plugins: Any) -> None:
    pdf = "llm.Attachment(type='application/pdf', content=b'pdf')"
    outcome = await answered(plugins, f"llm.ToolOutput(None, [{pdf}])")
    [resource] = outcome.content

    assert isinstance(resource, Resource)
    assert (resource.mime_type, resource.data) == ("application/pdf", "cGRm")
    assert resource.uri.startswith("urn:sha256:")


async def test_an_attachment_at_a_url_is_named_and_not_fetched(plugins: Any) -> None:
    there = "llm.Attachment(url='https://example.invalid/a.png')"
    outcome = await answered(plugins, f"llm.ToolOutput({{'n': 1}}, [{there}])")

    assert outcome.content == (Text('{"n": 1}'), Resource("https://example.invalid/a.png"))
