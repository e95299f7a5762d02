"""The ends of a transport that the SDK holds: it enters and leaves them, and may close them."""

from types import TracebackType
from typing import Self


class End:
    """One end; leaving it closes it."""

    async def aclose(self) -> None:
        """Close it; as it is, that is for whoever ends what is behind it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
