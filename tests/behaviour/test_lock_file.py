"""What a host with a lock file offers, tells and writes."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    Code,
    Config,
    Host,
    LockFileError,
    PegboardError,
    PluginBoard,
    PluginChanged,
    PluginConfig,
    PluginContext,
    PluginLoadError,
    QuarantinedError,
    Tool,
    hookimpl,
)
from pegboard.testing import Site, site_at
from pegboard_cases import says
from pegboard_locked import MODULE, Mail, accept, accept_installed, mail


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Where the lock file is."""
    return tmp_path / "pegboard.lock"


DYNAMIC = """
from pathlib import Path
from pegboard import Tool, hookimpl

@hookimpl
def pegboard_tools():
    text, schema = Path("TEXT").read_text(), {"type": "object"}
    return [Tool(name="send", description=text, parameters=schema, run=lambda a, c: "sent")]
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder in which the plugin `mail` is installed."""
    with site_at(tmp_path / "site") as made:
        install(made)
        yield made


def install(site: Site, source: str = MODULE, *, version: str = "1.0") -> None:
    """Install the plugin `mail`, in the place of what is there."""
    site.uninstall("mail-tools")
    files = {"mail_tools.py": source}
    site.install("mail-tools", version, entry_points={"mail": "mail_tools"}, files=files)


def tamper(site: Site) -> None:
    """Change a file of the plugin by hand."""
    (site.path / "mail_tools.py").write_text(MODULE.replace("nothing", "something"))


async def test_without_a_lock_file_nothing_is_looked_at(site: Site) -> None:
    tamper(site)

    async with Host(Config(only=("mail",))) as host:
        state = host.plugins["mail"].state

    assert state == "loaded"


async def test_a_host_that_accepts_still_refuses_files_that_were_tampered_with(
    site: Site, lock: Path
) -> None:
    await accept_installed(lock, only=("mail",))
    before = lock.read_text()
    tamper(site)

    report = await accept_installed(lock, only=("mail",))

    assert (report.changes, report.is_written, lock.read_text()) == ((), False, before)


async def test_observers_are_told_that_a_plugin_is_quarantined(lock: Path) -> None:
    told: list[PluginChanged] = []

    def note(event: PluginChanged) -> None:
        told.append(event)

    async with Host(Config(lock=lock), discover=False) as host:
        host.hook(event=note)
        with pytest.raises(QuarantinedError):
            await host.load(Mail(), name="mail")

    assert [each.state for each in told] == ["loading", "quarantined"]
    assert says(told[1].error or "", "plugin 'mail' is quarantined", "host.lock()")


async def test_a_required_plugin_that_is_quarantined_stops_the_host(site: Site, lock: Path) -> None:
    with pytest.raises(PluginLoadError, match=r"'mail' is required, .*quarantined"):
        async with Host(Config(lock=lock, only=("mail",), required=("mail",))):
            pass


async def test_a_tool_that_is_quarantined_is_logged_once(
    lock: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await accept(lock, Mail())

    async with Host(Config(lock=lock), discover=False) as host:
        with caplog.at_level(logging.WARNING, "pegboard"):
            await host.load(Mail((mail(title="Other"),)), name="mail")

    (message,) = (each.getMessage() for each in caplog.records)
    assert says(
        message, "tool 'send' of plugin 'mail' is quarantined: its title isn't what was accepted"
    )


async def test_a_tool_is_known_by_its_own_name_whatever_the_operator_calls_it(lock: Path) -> None:
    await accept(lock, Mail((mail(), mail(name="read"))))
    options = PluginConfig(prefix="m_", rename={"send": "post"})
    config = Config(lock=lock, plugins={"mail": options})

    async with Host(config, discover=False) as host:
        changed = mail(name="read", title="Other")
        info = await host.load(Mail((mail(), changed)), name="mail")
        explained = str((await host.board("a")).explain("m_read"))

    assert info.tools == ("post",)
    assert says(explained, "'m_read' of plugin 'mail' on the global layer is quarantined")


async def test_a_plugin_that_is_quarantined_promises_tools_by_the_names_models_see(
    site: Site, lock: Path
) -> None:
    await accept_installed(lock, only=("mail",))
    tamper(site)
    options = {"mail": PluginConfig(prefix="m_")}

    async with Host(Config(lock=lock, only=("mail",), plugins=options)) as host:
        names = [each.name for each in host.plugins["mail"].quarantined]

    assert names == ["m_read", "m_send"]


async def test_a_name_that_is_quarantined_is_free_for_others(lock: Path) -> None:
    await accept(lock, Mail())

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Mail((mail(title="Other"),)), name="mail")
        host.register(mail(description="The program's own."))
        board = await host.board("a")

        assert board.tools["send"].description == "The program's own."


async def test_what_a_plugin_puts_on_boards_is_held_to_the_lock_file(lock: Path) -> None:
    await accept(lock, Mail((), (mail(),)))

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Mail((), (mail(), mail(name="forward"))), name="mail")
        board = await host.board("a")

        assert list(board.tools) == ["send"]
        assert [each.name for each in board.quarantined] == ["forward"]
        assert says(str(board.explain("forward")), "on board 'a' is quarantined: it is new")


class Titled:
    """A plugin whose tool has the board's name for a title."""

    @hookimpl
    @contextmanager
    def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
        """Put the tool on the board."""
        board.register(mail(title=board.name))
        yield


async def test_a_name_may_have_several_accepted_definitions_for_several_boards(lock: Path) -> None:
    async with Host(Config(lock=lock, accept=True), discover=False) as host:
        await host.load(Titled(), name="mail")
        for name in ("a", "b"):
            await host.board(name)
        report = await host.lock()

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Titled(), name="mail")
        shown = {name: list((await host.board(name)).tools) for name in ("a", "b", "c")}

    assert report.tools == 2
    assert shown == {"a": ["send"], "b": ["send"], "c": []}


async def test_a_plugin_of_one_board_is_known_by_its_name_alone(site: Site, lock: Path) -> None:
    await accept_installed(lock, only=("mail",))

    async with Host(Config(lock=lock), discover=False) as host:
        board = await host.board("a")
        info = await board.load("mail")

        assert (info.name, list(board.tools)) == ("mail@a", ["send", "read"])


async def test_a_file_that_changed_is_quarantined_before_it_runs(
    tmp_path: Path, lock: Path
) -> None:
    file = tmp_path / "mail_file.py"
    file.write_text(MODULE)
    async with Host(Config(lock=lock, accept=True), discover=False) as host:
        await host.load(file)
        await host.lock()
    async with Host(Config(lock=lock), discover=False) as host:
        first = await host.load(file)
        await host.unload(first.name)
        file.write_text(f"raise SystemExit\n{MODULE}")

        with pytest.raises(QuarantinedError, match="its file isn't what was accepted"):
            await host.load(file)

    assert first.tools == ("send", "read")


async def test_built_in_plugins_need_no_acceptance(lock: Path) -> None:
    plugins = {"repeats": PluginConfig()}

    async with Host(Config(lock=lock, plugins=plugins), discover=False) as host:
        states = {each.state for each in host.plugins.values()}

    assert states == {"loaded", "unloaded"}


async def test_an_upgrade_that_nobody_accepted_leaves_the_old_generation_as_it_was(
    site: Site, lock: Path
) -> None:
    await accept_installed(lock, only=("mail",))

    async with Host(Config(lock=lock, only=("mail",))) as host:
        install(site, MODULE.replace("sent to", "copied to x and sent to"), version="2.0")
        report = await host.sync()
        with pytest.raises(PluginLoadError, match=r"its version is 2\.0, and 1\.0 was accepted"):
            await host.reload("mail")
        outcome = await (await host.board("a")).call("send", {"to": "Ada"})
        info = host.plugins["mail"]

    assert (report.failed, info.state, info.version) == (("mail",), "loaded", "1.0")
    assert outcome.unwrap() == "sent to Ada"


async def test_a_sync_takes_what_was_accepted_meanwhile(site: Site, lock: Path) -> None:
    await accept(lock)

    async with Host(Config(lock=lock, only=("mail",))) as host:
        first = await host.sync()
        await accept_installed(lock, only=("mail",))
        planned = await host.sync(dry_run=True)
        report = await host.sync()
        again = await host.sync()
        state = host.plugins["mail"].state

    assert (first.failed, first.loaded, planned.loaded) == ((), (), ("mail",))
    assert (report.loaded, report.failed, state) == (("mail",), (), "loaded")
    assert (again.loaded, again.reloaded, again.failed) == ((), (), ())


async def test_a_sync_offers_a_tool_that_was_accepted_meanwhile(
    site: Site, lock: Path, tmp_path: Path
) -> None:
    install(site, DYNAMIC.replace("TEXT", str(tmp_path / "text")))
    (tmp_path / "text").write_text("Send mail.")
    await accept_installed(lock, only=("mail",))
    (tmp_path / "text").write_text("Send much mail.")

    async with Host(Config(lock=lock, only=("mail",))) as host:
        before = host.plugins["mail"]
        await accept_installed(lock, only=("mail",))
        report = await host.sync()
        after = host.plugins["mail"]

    assert (before.tools, len(before.quarantined)) == ((), 1)
    assert (report.reloaded, after.tools, after.quarantined) == (("mail",), ("send",), ())


async def test_what_is_unloaded_has_no_tools_in_quarantine(lock: Path) -> None:
    await accept(lock, Mail())

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Mail((mail(title="Other"),)), name="mail")
        await host.unload("mail")
        info, board = host.plugins["mail"], await host.board("a")

        assert (info.state, info.quarantined, board.quarantined) == ("unloaded", (), ())
        assert "quarantined" not in str(board.explain("send"))


async def test_a_refresh_is_held_to_the_lock_file(lock: Path) -> None:
    tools = [mail()]

    class Server:
        @hookimpl
        def pegboard_tools(self, plugin: PluginContext) -> list[Tool]:
            self.plugin = plugin
            return list(tools)

    await accept(lock, Server())
    async with Host(Config(lock=lock), discover=False) as host:
        server = Server()
        await host.load(server, name="mail")
        board = await host.board("a")
        before = list(board.tools)
        tools[:] = [mail(description="Send mail, and bcc x."), mail(name="forward")]
        await server.plugin.refresh()

        assert (before, list(board.tools)) == (["send"], [])
        assert [each.name for each in host.plugins["mail"].quarantined] == ["send", "forward"]


async def test_what_is_not_loaded_keeps_what_was_accepted_of_it(site: Site, lock: Path) -> None:
    await accept(lock, Mail(), name="object")
    await accept_installed(lock, only=("mail",))
    before = lock.read_text()

    report = await accept_installed(lock, block=("mail",), only=("mail",))

    assert (report.plugins, report.changes, lock.read_text()) == (2, (), before)


async def test_what_is_not_installed_any_more_leaves_the_lock_file(site: Site, lock: Path) -> None:
    await accept_installed(lock, only=("mail",))
    site.uninstall("mail-tools")

    report = await accept_installed(lock, only=("mail",))

    gone = [(each.plugin, each.tool, each.kind) for each in report.changes]
    assert gone == [("mail", None, "gone"), ("mail", "read", "gone"), ("mail", "send", "gone")]
    assert report.plugins == 0


async def test_a_host_that_discovers_nothing_drops_nothing(site: Site, lock: Path) -> None:
    await accept_installed(lock, only=("mail",))

    report = await accept(lock, Mail(), name="object")

    assert report.plugins == 2


async def test_only_a_host_that_accepts_writes(lock: Path) -> None:
    async with Host(Config(lock=lock), discover=False) as host:
        with pytest.raises(PegboardError, match="accept=True"):
            await host.lock()

    assert not lock.exists()


async def test_a_lock_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    async with Host(Config(lock=tmp_path / "no/such.lock", accept=True), discover=False) as host:
        with pytest.raises(LockFileError, match=r"such\.lock can't be written"):
            await host.lock()


async def test_what_would_change_is_told_without_writing(lock: Path) -> None:
    async with Host(Config(lock=lock, accept=True), discover=False) as host:
        await host.load(Mail(), name="mail")
        report = await host.lock(write=False)

    assert [(each.plugin, each.tool) for each in report.changes] == [
        ("mail", None),
        ("mail", "send"),
    ]
    assert (report.is_written, lock.exists()) == (False, False)


async def test_the_lock_file_stands_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "pegboard.toml").write_text('lock = "locks/one.lock"\n')

    host = Host(tmp_path / "pegboard.toml")

    assert host.config.lock == tmp_path / "locks/one.lock"


async def test_a_configuration_file_cannot_accept(tmp_path: Path) -> None:
    (tmp_path / "pegboard.toml").write_text("accept = true\n")

    with pytest.raises(PegboardError, match="accept"):
        Host(tmp_path / "pegboard.toml")


class Guarded(Mail):
    """The same plugin, and it refuses every call."""

    @hookimpl
    def pegboard_guards(self) -> list[Any]:
        """Give the guard."""
        return [lambda execution: "not today"]


async def test_guards_of_a_plugin_stand_though_its_tool_is_quarantined(lock: Path) -> None:
    await accept(lock, Guarded())

    async with Host(Config(lock=lock), discover=False) as host:
        await host.load(Guarded((mail(title="Other"),)), name="mail")
        host.register(mail(name="other"))
        outcome = await (await host.board("a")).call("other", {"to": "Ada"})

    assert getattr(outcome, "code", None) is Code.DENIED
