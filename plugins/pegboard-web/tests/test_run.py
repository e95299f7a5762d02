"""The real command, with providers' messages, against a server on this machine."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

CONFIGURATION = """
only = ["web"]

[plugins.web]
allow_private = ["127.0.0.1:{port}"]

[plugins.web.headers."http://127.0.0.1:{port}"]
x-key = {{ env = "WEB_KEY" }}
"""


async def run(folder: Path, message: Any) -> tuple[int, Any]:
    """The exit status of `pegboard run` in a folder, and what it prints."""
    (folder / "message.json").write_text(json.dumps(message))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pegboard", "run", "message.json"),
        cwd=folder,
        env=os.environ | {"WEB_KEY": "tau"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(50):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert b"tau" not in out + err
    return process.returncode or 0, json.loads(out)


def text_of(block: Any) -> str:
    """The text of a result of Anthropic's."""
    content = block["content"]
    return content if isinstance(content, str) else content[0]["text"]


def uses_of(*urls: str) -> list[Any]:
    """Calls in the shape of Anthropic's."""
    return [
        {"type": "tool_use", "id": f"toolu_{n}", "name": "web_fetch", "input": {"url": url}}
        for n, url in enumerate(urls)
    ]


async def test_a_message_of_anthropic_is_answered_with_pages(
    serve: Any, reply: Any, tmp_path: Path
) -> None:
    async with serve({"/": reply("<title>T</title><h1>Hello</h1>")}) as served:
        (tmp_path / "pegboard.toml").write_text(CONFIGURATION.format(port=served.port))
        url = f"http://127.0.0.1:{served.port}/"
        uses = uses_of(url, "http://169.254.169.254/latest/")
        status, [message] = await run(tmp_path, {"role": "assistant", "content": uses})

    page, refused = message["content"]
    assert (status, page["tool_use_id"], refused["is_error"]) == (1, "toolu_0", True)
    assert text_of(page) == f"Title: T\nURL: {url}\n\n# Hello"
    assert "has a metadata address" in text_of(refused)
    assert "x-key: tau\r\n" in served.heads[0].lower()


async def test_a_message_of_openai_is_answered_with_text(
    serve: Any, reply: Any, tmp_path: Path
) -> None:
    async with serve({"/a.json": reply('{"a": 1}', "application/json")}) as served:
        (tmp_path / "pegboard.toml").write_text(CONFIGURATION.format(port=served.port))
        url = f"http://127.0.0.1:{served.port}/a.json"
        function = {"name": "web_fetch", "arguments": json.dumps({"url": url})}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        sent = {"role": "assistant", "content": None, "tool_calls": calls}
        status, [message] = await run(tmp_path, sent)

    assert status == 0
    assert message["tool_call_id"] == "call_1"
    assert message["content"] == f'URL: {url}\n\n{{"a": 1}}'
