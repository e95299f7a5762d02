"""Where an MCP server is: a command that starts it, an address, or an object in this process."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

import attrs
from mcp import StdioServerParameters
from mcp.server import MCPServer, Server
from pegboard import ConfigError, Secret

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LONG_WORD = 8
"""Characters of a word in a header, such as a token behind `Bearer`, that doesn't show alone."""
_LONG_SEGMENT = 16
"""Characters of a part of a URL's path that doesn't show alone."""
_SALT = b"pegboard-mcp kept lists"
_ROUNDS = 50_000
"""As many as take some twenty milliseconds."""


@attrs.frozen
class Command:
    """A command that starts a server, which is spoken to through its standard streams.

    Attributes:
        words: the program and its arguments.
        env: variables for it, beside a few harmless ones of this process.
        cwd: the folder to run it in; None for that of this process.
    """

    words: tuple[str, ...] = attrs.field(repr=False)
    env: Mapping[str, Secret] = attrs.field(factory=dict)
    cwd: str | None = None

    @property
    def shown(self) -> str:
        """What people are told of it."""
        return f"command {shlex.join(self.words)!r}"

    @property
    def identity(self) -> list[Any] | None:
        """What tells it from others, secrets included; None where its folder isn't there."""
        variables = {key: each.reveal() for key, each in self.env.items()}
        try:
            folder = os.path.realpath(self.cwd or os.curdir, strict=True)
        except OSError:
            return None
        program = shutil.which(self.words[0], path=variables.get("PATH"))
        return ["command", *self.words, program, folder, sorted(variables.items())]

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must not show."""
        return tuple(each.reveal() for each in self.env.values())


@attrs.frozen
class Address:
    """The URL of a server that runs by itself.

    Attributes:
        url: where it answers.
        headers: what every request carries.
    """

    url: str = attrs.field(repr=False)
    headers: Mapping[str, Secret] = attrs.field(factory=dict)

    @property
    def shown(self) -> str:
        """What people are told of it: all but the host may be a secret."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        rest = "/…" if parts.path.strip("/") else ""
        return f"URL '{parts.scheme}://{host}{rest}'"

    @property
    def identity(self) -> list[Any]:
        """What tells it from others, secrets included."""
        headers = {key: each.reveal() for key, each in self.headers.items()}
        return ["url", self.url, sorted(headers.items())]

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must not show."""
        parts = urlsplit(self.url)
        segments = [each for each in parts.path.split("/") if len(each) >= _LONG_SEGMENT]
        inside = [*map(unquote, filter(None, (parts.username, parts.password, *segments)))]
        values = [each.reveal() for each in self.headers.values()]
        words = [word for each in values for word in each.split() if len(word) >= _LONG_WORD]
        return (*values, *words, self.url, *inside, *(value for _, value in parse_qsl(parts.query)))


@attrs.frozen(eq=False)
class Inside:
    """A server in this process, or anything else that the SDK's client takes.

    Attributes:
        server: the object.
    """

    server: Any = attrs.field(repr=False)

    @property
    def shown(self) -> str:
        """What people are told of it."""
        return f"{type(self.server).__name__} in this process"

    @property
    def identity(self) -> None:
        """Nothing tells one object from another in the next process."""
        return

    @property
    def secrets(self) -> tuple[str, ...]:
        """Nothing is known that must not show."""
        return ()


Target: TypeAlias = Command | Address | Inside


def is_address(text: object) -> bool:
    """Whether a text is the URL of a server."""
    return isinstance(text, str) and _ADDRESS.match(text.strip()) is not None


def target_of(
    target: object,
    *,
    env: Mapping[str, str | Secret] | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    cwd: str | None = None,
) -> Target:
    """What a program or an operator means.

    Args:
        target: a command line as text or as words, a URL, or a server.
        env: variables for a command.
        headers: what requests to a URL carry.
        cwd: the folder for a command.

    Raises:
        ConfigError: it is none of these, or something is given that it has no use for.
    """
    if isinstance(target, StdioServerParameters):
        words: object = (target.command, *target.args)
        given = {**(target.env or {}), **(env or {})}
        folder = cwd or (None if target.cwd is None else str(target.cwd))
        return target_of(words, env=given, headers=headers, cwd=folder)
    if isinstance(target, str) and is_address(target):
        _check_unused("a URL", env=env, cwd=cwd)
        hidden = _hidden(headers)
        if mistakes := [*header_mistakes(hidden)]:
            raise ConfigError(mistakes)
        return Address(target.strip(), hidden)
    if isinstance(target, (str, list, tuple)):
        _check_unused("a command", headers=headers)
        folder = None if cwd is None else str(Path(cwd).expanduser())
        return Command(_words(target), _hidden(env), folder)
    if not isinstance(target, (Server, MCPServer)) and not hasattr(target, "__aenter__"):
        kind = type(target).__name__
        raise ConfigError([f"an MCP server is a command, a URL or a server, not {kind}"])
    _check_unused("a server in this process", env=env, headers=headers, cwd=cwd)
    return Inside(target)


def header_mistakes(headers: Mapping[str, str | Secret]) -> Iterator[str]:
    """What is wrong with headers, without their values."""
    for name, each in _hidden(headers).items():
        value = each.reveal()
        if _HEADER_NAME.fullmatch(name) is None:
            yield f"{name!a} is no name of a header"
        elif value != value.strip():
            yield f"the value of header {name!r} begins or ends with white space or an end of line"
        elif not (value.isascii() and value.replace("\t", " ").isprintable()):
            yield f"the value of header {name!r} holds a character that no header can hold"


def digest_of(target: Target) -> str | None:
    """A short text that is the same for the same target in another process; None without one.

    Secrets go into it, so it is made in a way that takes those long who try out all there are.
    """
    identity = target.identity
    if identity is None:
        return None
    text = json.dumps(identity).encode("utf-8", "surrogatepass")
    return pbkdf2_hmac("sha256", text, _SALT, _ROUNDS, dklen=16).hex()


def _hidden(texts: Mapping[str, str | Secret] | None) -> dict[str, Secret]:
    return {
        key: each if isinstance(each, Secret) else Secret(each)
        for key, each in (texts or {}).items()
    }


def _words(command: str | Iterable[object]) -> tuple[str, ...]:
    try:
        words = shlex.split(command) if isinstance(command, str) else [*command]
    except ValueError as error:
        raise ConfigError([f"the command can't be split into words: {error}"]) from error
    texts = tuple(each for each in words if isinstance(each, str))
    if not texts or not texts[0] or len(texts) != len(words):
        raise ConfigError(["a command is a text or a list of texts, the first of them a program"])
    return texts


def _check_unused(what: str, **given: object) -> None:
    wrong = [name for name, value in given.items() if value]
    if wrong:
        raise ConfigError([f"{wrong[0]} is given for {what}, which has no use for it"])
