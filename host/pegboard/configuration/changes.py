"""Which keys of a configuration say something else than before."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from pegboard.config import BoardConfig, CodeConfig, Config, Place, PluginConfig, ToolConfig
from pegboard.reports import ConfigChange
from pegboard.selection import is_exact
from pegboard.values import JSON

_AT_NEXT_START = ("control", "state")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OPTIONS = ("prefix", "rename", "eager")


def changes(
    before: Config, after: Config, *, stays: Iterable[tuple[str, ...]] = ()
) -> tuple[ConfigChange, ...]:
    """Every key that says something else than before, by its path in the words of a file.

    Settings of plugins and tokens are told of, and never shown. What takes effect at the next
    start only is told as not applied: where the host listens and what it writes, and that a
    plugin which is imported needn't have been.

    Args:
        before: what held so far.
        after: what holds from now on; its places are told.
        stays: paths of keys, or the beginnings of some, that a running host doesn't follow.
    """
    return tuple(_Comparing(before, after, tuple(stays)).found())


@attrs.frozen
class _Comparing:
    before: Config
    after: Config
    stays: tuple[tuple[str, ...], ...]

    def found(self) -> Iterator[ConfigChange]:
        for field in attrs.fields(Config):
            before, after = getattr(self.before, field.name), getattr(self.after, field.name)
            match field.name:
                case "places":
                    continue
                case "boards" | "tools" | "plugins" | "mcp":
                    yield from self._tables(field.name, before, after)
                case "code":
                    for one in attrs.fields(CodeConfig):
                        old, new = getattr(before, one.name), getattr(after, one.name)
                        yield from self._key((field.name, one.name), old, new)
                case "reserved":
                    for name in _names(before, after):
                        yield from self._key((field.name, name), before.get(name), after.get(name))
                case _:
                    yield from self._key((field.name,), before, after)

    def _tables(
        self, kind: str, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterator[ConfigChange]:
        for name in _names(before, after):
            old, new = before.get(name), after.get(name)
            at = (kind, name)
            inside = tuple(self._table(at, old or _nothing(kind), new or _nothing(kind)))
            yield from inside
            if not inside and (old is None or new is None):
                yield self._told(at, None if old is None else {}, None if new is None else {})
        if kind == "tools":
            yield from self._key((kind,), _patterns(before, after), _patterns(after, before))

    def _table(self, at: tuple[str, ...], old: Any, new: Any) -> Iterator[ConfigChange]:
        if isinstance(new, PluginConfig):
            yield from self._settings(at, old.settings, new.settings)
            for name in _OPTIONS:
                keys = (*at, "pegboard", name)
                yield from self._key(keys, getattr(old, name), getattr(new, name))
            return
        for field in attrs.fields(type(new)):
            keys, values = (*at, field.name), (getattr(old, field.name), getattr(new, field.name))
            if field.name != "token":
                yield from self._key(keys, *values)
            elif values[0] != values[1]:
                yield self._told(keys, None, None)

    def _settings(
        self, at: tuple[str, ...], old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Iterator[ConfigChange]:
        if old != new:
            other = [key for key in _names(old, new) if old.get(key) != new.get(key)]
            place = self.after.place(*at, *(each for each in other[:1] if each in new))
            yield self._told((*at, "settings"), None, None, place)

    def _key(self, keys: tuple[str, ...], old: Any, new: Any) -> Iterator[ConfigChange]:
        if old != new:
            yield self._told(keys, _shown(old), _shown(new))

    def _told(
        self, keys: tuple[str, ...], old: JSON, new: JSON, place: Place | None = None
    ) -> ConfigChange:
        found = place or self.after.place(*keys)
        shown = None if found is None else str(found)
        is_applied = self._holds_at_once(keys, new)
        return ConfigChange(_dotted(keys), old, new, shown, is_applied=is_applied)

    def _holds_at_once(self, keys: tuple[str, ...], new: JSON) -> bool:
        if any(keys[: len(each)] == each for each in self.stays):
            return False
        if keys[0] in ("plugins", "mcp") and keys[-2:] == ("pegboard", "eager"):
            return new is True
        return keys[0] not in _AT_NEXT_START


def _nothing(kind: str) -> BoardConfig | ToolConfig | PluginConfig:
    """What is said of a board, a tool or a plugin of which nothing is said."""
    match kind:
        case "boards":
            return BoardConfig()
        case "tools":
            return ToolConfig()
        case _:
            return PluginConfig()


def _names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The names of both, in the order of what holds now."""
    return list(dict.fromkeys((*after, *before)))


def _patterns(tables: Mapping[str, Any], others: Mapping[str, Any]) -> list[str]:
    """The patterns that both have, in order: a later one beats an earlier one."""
    return [each for each in tables if not is_exact(each) and each in others]


def _dotted(keys: tuple[str, ...]) -> str:
    return ".".join(
        each if _BARE.fullmatch(each) else json.dumps(each, ensure_ascii=False) for each in keys
    )


def _shown(value: Any) -> JSON:
    """A value of the configuration, as JSON."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Path):
        return str(value)
    if attrs.has(type(value)):
        said = attrs.asdict(value, recurse=False)
        return {key: _shown(each) for key, each in said.items() if each not in (None, frozenset())}
    if isinstance(value, Mapping):
        return {str(key): _shown(each) for key, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    return [_shown(each) for each in value]
