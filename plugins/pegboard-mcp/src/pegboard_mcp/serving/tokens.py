"""Who may reach which board over HTTP."""

import hmac
import logging

import attrs
from pegboard import Config, ConfigError, Host

_log = logging.getLogger("pegboard.mcp")


class NotFoundError(Exception):
    """There is no such board for who asks."""


class UnauthorizedError(Exception):
    """The board takes a token, and none or another was given."""


@attrs.define
class Admission:
    """Chooses boards by path and by token.

    Attributes:
        host: whose boards.
        board: the board of who names none; None where there is none.
        is_local: whether only this machine reaches what is served; elsewhere a board without a
            token doesn't exist.
    """

    host: Host
    board: str | None
    is_local: bool
    _seen: Config = attrs.field(default=attrs.Factory(lambda own: own.host.config, takes_self=True))
    _checked: Config = attrs.field(
        default=attrs.Factory(lambda own: own.host.config, takes_self=True)
    )

    @property
    def _config(self) -> Config:
        """The newest configuration whose tokens are in order."""
        newest = self.host.config
        if newest is not self._seen:
            self._seen = newest
            try:
                check_tokens(newest)
                self._checked = newest
            except ConfigError as error:
                _log.error("the tokens of boards stay as they were: %s", error)
        return self._checked

    def admit(self, named: str | None, header: str | None) -> str:
        """The name of the board that a request is for.

        Args:
            named: the board that its path names.
            header: its `Authorization`.

        Raises:
            NotFoundError: there is none.
            UnauthorizedError: it takes a token.
        """
        given = _bearer(header)
        if named is None:
            return self._first(given)
        token = self._token(named)
        if token is not None:
            return _checked(named, token, given)
        if not self.is_local:
            raise NotFoundError
        return named

    def _first(self, given: str | None) -> str:
        """The board of a request that names none: that of its token, or else the first one."""
        tokens = tokens_of(self._config)
        chosen = [name for name, token in tokens.items() if _is_same(given, token)]
        if chosen and chosen[0] != "*":
            return chosen[0]
        if self.board is None:
            raise UnauthorizedError if tokens else NotFoundError
        token = self._token(self.board)
        if token is not None:
            return _checked(self.board, token, given)
        if not self.is_local or (given is not None and tokens):
            raise UnauthorizedError
        return self.board

    def _token(self, name: str) -> str | None:
        """The token of a board; where only a configuration with mistakes has one, nobody's."""
        token = _token(self._config, name)
        is_newer = token is None and _token(self.host.config, name) is not None
        return "" if is_newer else token


def _checked(name: str, token: str, given: str | None) -> str:
    if not _is_same(given, token):
        raise UnauthorizedError
    return name


def tokens_of(config: Config) -> dict[str, str]:
    """The tokens of the configured boards, by name; `*` for that of all others."""
    found = {name: _token(config, name) for name in config.boards}
    return {name: token for name, token in found.items() if token is not None}


def check_tokens(config: Config) -> None:
    """Refuse tokens that aren't there, that nobody can send, or that would choose two boards.

    Raises:
        ConfigError: says which.
    """
    mistakes: list[str] = []
    owners: dict[str, str] = {}
    for name in config.boards:
        try:
            token = config.token(name)
        except ConfigError as error:
            mistakes += error.mistakes
            continue
        if token is not None and not _can_be_sent(token):
            mistakes.append(
                f"no client can send the token of board {name!r}: "
                "one is visible ASCII, with no space at either end"
            )
        elif token is not None and owners.setdefault(token, name) != name:
            mistakes.append(f"boards {owners[token]!r} and {name!r} have the same token")
    if mistakes:
        raise ConfigError(mistakes)


def _token(config: Config, name: str) -> str | None:
    """The token of a board; one that nobody can know where it can't be read now."""
    try:
        return config.token(name)
    except ConfigError as error:
        _log.warning("%s", error)
        return ""


def _can_be_sent(token: str) -> bool:
    return token != "" and token == token.strip() and token.isascii() and token.isprintable()


def _bearer(header: str | None) -> str | None:
    kind, _, token = (header or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token.strip() else None


def _is_same(given: str | None, token: str) -> bool:
    """Whether a token is the right one; how long that takes tells nothing of it."""
    if given is None or token == "":
        return False
    return hmac.compare_digest(given.encode(), token.encode())
