"""Having every part of a running host follow another configuration."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from pegboard.board import Engine
from pegboard.config import Config, PluginConfig
from pegboard.errors import ConfigError, WrongArgumentError, did_you_mean, near_names
from pegboard.host.boards import Boards
from pegboard.host.switches import place_configured, switch_off_configured
from pegboard.names import check_name, check_tool_name
from pegboard.plugins import Around, check_attached, check_required
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loadthread import in_load_thread
from pegboard.registry import Registration, Reservation, check_restriction, exact_names
from pegboard.reports import ConfigChange

_ALL_OTHERS = "*"


def read(config: Config | str | Path | None) -> Config | None:
    """What is configured, from a file where one is named.

    Raises:
        ConfigError: the file has mistakes.
        WrongArgumentError: that is neither a configuration nor a path.
    """
    if not isinstance(config, (str, Path)):
        return _checked(config)
    from pegboard.configuration import read_config  # late: a tenth of the start, for files only

    return read_config(Path(config))


def named_file(path: object) -> Path | None:
    """The path of a file that a program names, if it names one.

    Raises:
        WrongArgumentError: that is no path.
    """
    if path is None or isinstance(path, Path):
        return path
    if not isinstance(path, str):
        raise WrongArgumentError(f"the path of a file is expected, not {type(path).__name__}")
    return Path(path)


def _checked(config: object) -> Config | None:
    if config is None or isinstance(config, Config):
        return config
    kind = type(config).__name__
    raise WrongArgumentError(f"a Config or the path of its file is expected, not {kind}")


async def read_aside(
    config: Config | str | Path | None, before: Config, *, limit: float
) -> Config | None:
    """The same in a thread, since a file may be large, and its disk slow.

    Args:
        config: a configuration, or a file of one.
        before: what holds so far: an empty file doesn't take its place.
        limit: seconds that reading may take.

    Raises:
        PegboardError: it is broken, or takes longer, or is neither of these.
    """
    if not isinstance(config, (str, Path)):
        return _checked(config)
    read_one = partial(_whole, Path(config), before)
    what = f"reading {str(config)!r}"
    return await in_load_thread(read_one, what=what, limit=limit, leaks=Leaks())


def _whole(path: Path, before: Config) -> Config | None:
    """What a file holds, unless somebody has only begun to write it, or could not go on.

    Raises:
        ConfigError: it is empty, or has mistakes.
    """
    told = read(path)
    if told == Config() != before and path.stat().st_size == 0:
        hint = "if nothing is to be configured any more, write a comment into it"
        raise ConfigError([f"{path} is empty; {hint}"])
    return told


def reservations(config: Config) -> list[Reservation]:
    """The names that a configuration reserves.

    Raises:
        InvalidNameError: no tool can have one of them.
    """
    return [
        Reservation(check_tool_name(name, owner="the configuration"), reason, None, place)
        for name, reason in config.reserved.items()
        for place in [config.place("reserved", name)]
    ]


@attrs.define(eq=False)
class Live:
    """What one host is configured with, and how all of it follows something else.

    Attributes:
        told: what is configured, whatever operators have decided since.
        denied: what that hides on every board, if anything.
        require: lets no call run without what is required.
        operated: the exact names that operators have denied or allowed.
    """

    engine: Engine
    boards: Boards
    told: Config
    denied: Registration | None
    require: Callable[[], None]
    operated: Callable[[], Iterable[str]] = tuple

    def check(
        self, told: Config, around: Around, *, config: Config, obey: Callable[[], None]
    ) -> "Following":
        """Refuse what can't be applied; nothing has changed.

        Args:
            told: what is configured from now on.
            around: what is there.
            config: the same with what operators have decided since.
            obey: has plugins follow, last of all.

        Raises:
            PegboardError: says why.
        """
        check_attached(told)
        check_required(config, self.told, around)
        if told.boards != self.told.boards:
            _check_boards(told, self.boards.open)
        registry = self.engine.registry
        reserved = registry.reserving(reservations(told), going=around.going)
        is_other = told.boards != self.told.boards or reserved.keys() != registry.configured.keys()
        names = [*exact_names(told.deny), *(_masked(told) if is_other else ())]
        if told.deny:
            check_restriction(None, told.deny)
        registry.check_unreserved((*names, *self.operated()), coming=reserved)
        stays = tuple(self.boards.staying(self.told, told))
        differing = self.boards.differing(told)
        tell = registry.following(told)
        parts = (self, self.told, told, obey, self.require)
        return Following(*parts, differing, stays, reserved, tell)


@attrs.define(eq=False)
class Following:
    """Has a host follow another configuration that was checked.

    Attributes:
        boards: the boards for which it says something else than before.
    """

    _live: Live
    _before: Config
    _told: Config
    _obey: Callable[[], None]
    _require: Callable[[], None]
    boards: tuple[str, ...]
    _stays: tuple[tuple[str, ...], ...]
    _reserved: dict[str, Reservation]
    _tell: Callable[[], None]
    _lifted: list[Registration] = attrs.field(factory=list)

    def changes(
        self, failed: Collection[str] = (), behind: Mapping[str, Config] | None = None
    ) -> tuple[ConfigChange, ...]:
        """The keys that say something else.

        Args:
            failed: the plugins that could not follow them.
            behind: the configurations that plugins have followed which are behind, by name.
        """
        if self._told is self._before and not behind:
            return ()
        since = behind or {}
        before = attrs.evolve(
            self._before,
            plugins=_over(self._before.plugins, {n: c.plugins.get(n) for n, c in since.items()}),
            mcp=_over(self._before.mcp, {n: c.mcp.get(n) for n, c in since.items()}),
        )
        from pegboard.configuration import changes  # late, as in `read`

        lost = ((kind, name) for name in failed for kind in ("plugins", "mcp"))
        return changes(before, self._told, stays=(*self._stays, *lost))

    def begin(self) -> None:
        """Take it over, in one step; what was hidden before stays hidden."""
        live, told = self._live, self._told
        live.engine.registry.reserve(self._reserved)
        self._tell()
        live.engine.config = told
        live.engine.pipeline.configure(told)
        if told.deny != live.told.deny:
            before, live.denied = live.denied, switch_off_configured(live.engine, told)
            self._lifted += [] if before is None else [before]
        place_configured(live.engine, told)
        self._lifted += live.boards.configure(told)
        live.told = told
        self._obey()

    def settle(self) -> None:
        """Hide no more than it says, now that no plugin is as it was before."""
        lifted, self._lifted = self._lifted, []
        for each in lifted:
            each.close()

    def end(self) -> None:
        """Let no call run without what it requires, now that everything was loaded."""
        self._require()


def _over(
    tables: Mapping[str, PluginConfig], followed: Mapping[str, PluginConfig | None]
) -> dict[str, PluginConfig]:
    """Tables of plugins, but for some those that they have followed, if any."""
    kept = {name: each for name, each in tables.items() if name not in followed}
    return kept | {name: each for name, each in followed.items() if each is not None}


def _masked(config: Config) -> Iterator[str]:
    """The exact names in the masks of all boards that are configured."""
    for board in config.boards.values():
        if board.allow is not None or board.deny:
            check_restriction(board.allow, board.deny)
        yield from exact_names(board.allow)
        yield from exact_names(board.deny)


def _check_boards(config: Config, open_boards: Mapping[str, Any]) -> None:
    """Refuse parents that aren't there, and circles of them.

    Raises:
        PegboardError: says which.
    """
    known = {*config.boards, *open_boards} - {_ALL_OTHERS}
    for name, board in config.boards.items():
        if name != _ALL_OTHERS:
            check_name(name, kind="board")
            config.ancestors(name)
        parent = board.parent
        if parent is None or parent in known:
            continue
        if _ALL_OTHERS not in config.boards:
            place = config.place("boards", name, "parent")
            where = "" if place is None else f"{place}: "
            near = did_you_mean(near_names(parent, known))
            text = f"boards.{name}.parent: there is no table [boards.{parent}]{near}"
            raise ConfigError([f"{where}{text}"])
        check_name(parent, kind="board")
