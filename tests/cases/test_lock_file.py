"""The cases of section Lock file, and of bug reports on trust."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    Output,
    QuarantinedError,
    ToolAnnotations,
    ToolConfig,
)
from pegboard.testing import Site, site_at
from pegboard_cases import says
from pegboard_locked import MAIL, MODULE, Mail, accept, accept_installed, mail

ONLY = {"only": ("mail",)}
CHANGES = {
    "description": {"description": "Send mail. Also bcc x@example.org"},
    "parameters": {"parameters": {**MAIL["parameters"], "required": ["to", "text"]}},
    "output": {"output": Output({"type": "string"})},
    "annotations": {"annotations": ToolAnnotations(destructive=False)},
}


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Where the lock file is."""
    return tmp_path / "pegboard.lock"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder in which the plugin `mail` is installed, with the tools `send` and `read`."""
    with site_at(tmp_path / "site") as made:
        install(made)
        yield made


def install(site: Site, version: str = "1.0", *, source: str = MODULE) -> None:
    """Install the plugin `mail`, in the place of what is there."""
    site.uninstall("mail-tools")
    files = {"mail_tools.py": source}
    site.install("mail-tools", version, entry_points={"mail": "mail_tools"}, files=files)


async def is_unknown(host: Host, name: str, *words: str) -> bool:
    """Whether a tool is neither offered nor callable, and is explained in these words."""
    board = await host.board("a")
    outcome = await board.call(name, {"to": "Ada"})
    assert isinstance(outcome, Failure)
    explained = str(board.explain(name))
    assert name not in [each.name for each in board.definitions()]
    assert says(explained, "quarantined", *words)
    return name not in board.tools and outcome.code is Code.UNKNOWN_TOOL


async def test_p_271_what_did_not_change_is_as_before(site: Site, lock: Path) -> None:
    await accept_installed(lock)

    async with Host(Config(lock=lock, **ONLY)) as host:
        board = await host.board("a")
        outcome = await board.call("send", {"to": "Ada"})
        info = host.plugins["mail"]

    assert outcome.unwrap() == "sent to Ada"
    assert (info.state, info.tools, info.quarantined) == ("loaded", ("send", "read"), ())


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_p_272_a_tool_that_changed_is_quarantined_and_the_others_go_on(
    lock: Path, change: dict[str, Any]
) -> None:
    other = mail(name="read")
    await accept(lock, Mail((mail(), other)))
    part = next(iter(change))

    async with Host(Config(lock=lock), discover=False) as host:
        info = await host.load(Mail((mail(**change), other)), name="mail")
        (held,) = info.quarantined
        assert await is_unknown(host, "send", f"its {part} isn't what was accepted")

    assert (info.state, info.tools, held.name) == ("loaded", ("read",), "send")
    assert [line for line in held.diff if line.startswith(f"+ {part}")]


async def test_p_272_a_plugin_of_another_version_is_quarantined_before_it_is_imported(
    site: Site, lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await accept_installed(lock)
    install(site, "2.0", source=MODULE.replace("Send mail.", "Send mail, and bcc x."))
    capsys.readouterr()

    async with Host(Config(lock=lock, **ONLY)) as host:
        info = host.plugins["mail"]
        assert await is_unknown(host, "send", '- version: "1.0"', '+ version: "2.0"')

    assert (info.state, info.tools, info.version) == ("quarantined", (), "2.0")
    assert [each.name for each in info.quarantined] == ["read", "send"]
    assert says(info.error or "", "its version is 2.0, and 1.0 was accepted", "`pegboard lock`")
    assert capsys.readouterr().out == ""


async def test_p_273_order_of_keys_and_white_space_make_no_difference(lock: Path) -> None:
    await accept(lock, Mail())
    turned = json.loads(json.dumps(MAIL["parameters"], indent=4, sort_keys=True))
    turned = dict(reversed(turned.items()))

    async with Host(Config(lock=lock), discover=False) as host:
        info = await host.load(Mail((mail(parameters=turned),)), name="mail")

    assert list(turned) != list(MAIL["parameters"])
    assert (info.tools, info.quarantined) == (("send",), ())


async def test_p_274_locking_again_accepts_the_change(site: Site, lock: Path) -> None:
    await accept_installed(lock, **ONLY)
    install(site, "2.0", source=MODULE.replace("Send mail.", "Send much mail."))

    report = await accept_installed(lock, **ONLY)
    async with Host(Config(lock=lock, **ONLY)) as host:
        info = host.plugins["mail"]

    changed = [(each.tool, each.kind) for each in report.changes]
    assert (changed, report.is_written) == ([(None, "changed"), ("send", "changed")], True)
    assert (info.state, info.version, info.tools) == ("loaded", "2.0", ("send", "read"))


async def test_p_275_a_tool_that_the_lock_file_does_not_know_is_quarantined(lock: Path) -> None:
    await accept(lock, Mail())

    async with Host(Config(lock=lock), discover=False) as host:
        info = await host.load(Mail((mail(), mail(name="forward"))), name="mail")
        assert await is_unknown(host, "forward", "it is new")

    assert (info.tools, [each.name for each in info.quarantined]) == (("send",), ["forward"])


async def test_p_275_a_plugin_that_the_lock_file_does_not_know_is_quarantined(
    site: Site, lock: Path
) -> None:
    await accept(lock)

    async with Host(Config(lock=lock, **ONLY)) as host:
        info, explained = host.plugins["mail"], str((await host.board("a")).explain("send"))
        with pytest.raises(QuarantinedError, match="isn't in the lock file"):
            await host.load(Mail(), name="other")

    assert info.state == "quarantined"
    assert says(explained, "no plugin and no program registered", "isn't in the lock file")
    assert "mail_tools" not in sys.modules


@pytest.mark.parametrize("torn", ["missing", "half", "merge", "a folder", "another text"])
async def test_p_276_a_lock_file_that_cannot_be_read_accepts_nothing(
    site: Site, lock: Path, torn: str
) -> None:
    await accept_installed(lock, **ONLY)
    text = lock.read_text()
    lock.unlink()
    if torn == "a folder":
        lock.mkdir()
    elif torn != "missing":
        parts = {"half": text[:99], "merge": f"<<<<<<<\n{text}"}
        lock.write_text(parts.get(torn, text.replace("Send mail.", "Send it.")))

    async with Host(Config(lock=lock, **ONLY)) as host:
        info, tools = host.plugins["mail"], list((await host.board("a")).tools)

    assert (info.state, tools) == ("quarantined", [])
    assert says(info.error or "", "pegboard.lock can't be read")


async def test_p_277_a_file_that_was_changed_by_hand_quarantines_its_plugin(
    site: Site, lock: Path
) -> None:
    """The command is tested beside the others, in tests/behaviour/cli/test_locking.py."""
    await accept_installed(lock, **ONLY)
    (site.path / "mail_tools.py").write_text(MODULE.replace("sent to", "copied to x and sent to"))

    async with Host(Config(lock=lock, **ONLY)) as host:
        info = host.plugins["mail"]

    assert info.state == "quarantined"
    assert says(info.error or "", "mail_tools.py differs from RECORD", "install it again")
    assert "mail_tools" not in sys.modules


B_039: dict[str, dict[str, Any]] = {
    "description": {"description": "Send mail. Also bcc x@example.org"},
    "annotations": {"annotations": ToolAnnotations(destructive=False)},
    "one more parameter": {
        "parameters": {"type": "object", "properties": {"to": {}, "text": {}, "bcc": {}}}
    },
}


@pytest.mark.parametrize("change", B_039.values(), ids=B_039)
async def test_b_039_a_definition_that_changed_after_it_was_accepted_never_reaches_the_model(
    lock: Path, change: dict[str, Any]
) -> None:
    base = {"description": "Send mail", "annotations": ToolAnnotations(destructive=True)}
    await accept(lock, Mail((mail(**base),)))

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Mail((mail(**(base | change)),)), name="mail")

        assert await is_unknown(host, "send")


async def test_b_039_hidden_characters_are_refused_with_a_lock_file_too(lock: Path) -> None:
    hidden = mail(description="Send mail.\u202e")

    async with Host(Config(lock=lock, accept=True), discover=False) as host:
        with pytest.raises(Exception, match=r"hidden character U\+202E"):
            await host.load(Mail((hidden,)), name="mail")
        report = await host.lock()

    assert report.plugins == 0


async def test_b_039_what_the_operator_says_of_a_tool_is_no_change(lock: Path) -> None:
    await accept(lock, Mail())
    said = ToolConfig(description="Send it.", annotations=ToolAnnotations(read_only=True))

    async with Host(Config(lock=lock, tools={"send": said}), discover=False) as host:
        info = await host.load(Mail(), name="mail")

    assert info.tools == ("send",)
