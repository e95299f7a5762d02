"""Trying plugins again that weren't ready: each by itself, with growing pauses."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator

import attrs

from pegboard.config import Config
from pegboard.registry import Scope


@attrs.frozen(eq=False)
class _Retry:
    scope: Scope
    task: "asyncio.Task[None]"


class Retries:
    """The plugins of one host that are tried again until they are ready."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._going: dict[str, _Retry] = {}

    def configure(self, config: Config) -> None:
        """Follow another configuration from the next pause on."""
        self._config = config

    def __contains__(self, name: object) -> bool:
        return name in self._going

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._going))

    def on(self, scope: Scope) -> list[str]:
        """The plugins that are tried again for one board."""
        return [name for name, each in self._going.items() if each.scope is scope]

    def start(self, name: str, scope: Scope, attempt: Callable[[], Awaitable[bool]]) -> None:
        """Try a plugin again after a pause, and after growing ones from then on.

        Args:
            name: the plugin; nothing changes if it is tried again already.
            scope: where it is loaded.
            attempt: tries once; gives whether that was the last time.
        """
        if name not in self._going:
            task = asyncio.create_task(self._run(name, attempt), name=f"pegboard-retry-{name}")
            self._going[name] = _Retry(scope, task)

    async def end(self, name: str) -> None:
        """Stop trying, an attempt that is on its way included."""
        going = self._going.get(name)
        if going is not None:
            going.task.cancel()
            await asyncio.wait([going.task])
            self._going.pop(name, None)

    async def _run(self, name: str, attempt: Callable[[], Awaitable[bool]]) -> None:
        for pause in pauses(lambda: self._config):
            await asyncio.sleep(pause)
            if await attempt():
                break
        self._going.pop(name, None)


def pauses(config: Callable[[], Config]) -> Iterator[float]:
    """Seconds to wait before each attempt: doubled each time up to a limit, and never in step.

    Args:
        config: gives the configuration as it is then.
    """
    pause, first = 0.0, 0.0
    while True:
        said = config()
        pause = 2 * pause if first == said.retry_after else said.retry_after
        pause, first = min(pause, said.retry_at_most), said.retry_after
        yield pause * random.uniform(0.75, 1.0)  # noqa: S311 - it guards nothing
