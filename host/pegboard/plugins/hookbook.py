"""Collecting hook implementations with pluggy; pluggy never dispatches one."""

import pluggy

from pegboard.errors import PluginLoadError, did_you_mean, near_names
from pegboard.hooks import PROJECT, Implementation, Specifications, implementation


class HookBook:
    """Reads the hook implementations of one plugin; every load has a book of its own.

    Reading runs code of the plugin (its attributes), and what fails must leave nothing behind.
    """

    def __init__(self) -> None:
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(Specifications)

    def register(self, plugin: object, name: str) -> tuple[Implementation, ...]:
        """Check a plugin's implementations against the specifications, and keep them.

        Raises:
            PluginLoadError: one doesn't fit; nothing is kept.
        """
        try:
            self._pluggy.register(plugin, name)
        except (pluggy.PluginValidationError, ValueError) as error:
            raise PluginLoadError(f"{_plain(error)} in plugin {name!r}") from error
        return self._implementations(plugin, name)

    def _implementations(self, plugin: object, name: str) -> tuple[Implementation, ...]:
        found: list[Implementation] = []
        for caller in self._pluggy.get_hookcallers(plugin) or ():
            if not caller.has_spec():
                raise PluginLoadError(_unknown_hook(caller.name, name))
            own = [each for each in caller.get_hookimpls() if each.plugin is plugin]
            found.extend(_implementation(caller, each, name) for each in own)
        return tuple(found)


def _implementation(
    caller: pluggy.HookCaller, each: pluggy.HookImpl, plugin: str
) -> Implementation:
    if each.hookwrapper or each.wrapper:
        raise PluginLoadError(
            f"hook {caller.name!r} of plugin {plugin!r} is a pluggy wrapper; "
            "name the argument call_next to wrap what is inside"
        )
    rank = 0 if each.tryfirst else 2 if each.trylast else 1
    expected = tuple(caller.spec.argnames) if caller.spec is not None else ()
    named = tuple(each.argnames)
    return implementation(each.function, caller.name, named=named, expected=expected, rank=rank)


def _unknown_hook(hook: str, plugin: str) -> str:
    known = [each for each in vars(Specifications) if each.startswith(f"{PROJECT}_")]
    near = did_you_mean(near_names(hook, known))
    return f"plugin {plugin!r} implements {hook!r}, and there is no such hook{near}"


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())
