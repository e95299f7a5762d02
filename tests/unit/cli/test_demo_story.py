import json
from importlib.resources import files
from pathlib import Path

import pytest
from pegboard import Host
from pegboard.cli.demo.story import _check
from pegboard.cli.mistakes import UsageError

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"


def test_the_packaged_message_makes_the_calls_of_the_transcript() -> None:
    packaged = (files("pegboard.cli.demo") / "message.json").read_text()

    assert json.loads(packaged) == json.loads((TRANSCRIPTS / "anthropic.json").read_text())


async def test_a_plugin_that_isn_t_installed_is_named_with_the_command_that_brings_it() -> None:
    async with Host(discover=False) as host:
        with pytest.raises(UsageError, match="pip install pegboard-clock pegboard-echo"):
            _check(host, "echo")
