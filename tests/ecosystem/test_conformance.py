"""MCP's own conformance suite against a served board, and its servers as plugins."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard_served import Served

REVISIONS = ("2025-11-25", "2026-07-28")
PASSED = {"2025-11-25": 69, "2026-07-28": 145}
ATTACHED = Path(__file__).parent / "attached_client.py"
OF_CLIENTS = (
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
)
NOT_OF_TOOLS = re.compile(
    r"(prompts|resources|completion)-"
    r"|caching:sep-2549-(prompts|resources)-"
    r"|sep-2164-resource-not-found$"
    r"|input-required-result-non-tool-request$"
)


def baseline(revision: str) -> Path:
    return Path(__file__).parent / f"baseline-{revision}.yml"


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_served_board_does_all_that_a_revision_asks_of_tools(
    conformance: Served, node: Callable[..., Any], tmp_path: Path, revision: str
) -> None:
    asked = ("server", "--url", conformance.url, "--requirements", revision)
    known = ("--expected-failures", baseline(revision), "-o", tmp_path)

    ran = node("conformance", *asked, *known)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"Total: {PASSED[revision]} passed" in ran.stdout


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_baseline_lists_only_what_is_not_about_tools(revision: str) -> None:
    entries = re.findall(r"^  - (.+)$", baseline(revision).read_text(), re.MULTILINE)

    of_tools = [entry for entry in entries if not NOT_OF_TOOLS.match(entry)]

    assert entries
    assert of_tools == []


@pytest.mark.parametrize("scenario", OF_CLIENTS)
def test_a_board_with_a_server_as_a_plugin_does_all_that_is_asked_of_clients(
    node: Callable[..., Any], tmp_path: Path, scenario: str
) -> None:
    command = f"{sys.executable} {ATTACHED}"

    ran = node(
        "conformance", "client", "--command", command, "--scenario", scenario, "-o", tmp_path
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
