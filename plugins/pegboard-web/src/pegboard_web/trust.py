"""Which certificates of servers are believed."""

import ssl
from pathlib import Path

import attrs
import httpx2
from pegboard import PegboardError


@attrs.define
class Trust:
    """The authorities of the system, read when the first server shows a certificate, and others.

    Attributes:
        more: a file of authorities to trust besides; it is read at once.
        folder: what the file is relative to.
    """

    more: str | None = None
    folder: Path = Path()
    _context: ssl.SSLContext | None = attrs.field(default=None, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.more is not None:
            self._add(self.more)

    def context(self) -> ssl.SSLContext:
        """What checks certificates."""
        if self._context is None:
            self._context = httpx2.create_ssl_context(trust_env=False)
            self._context.set_alpn_protocols(["http/1.1"])
        return self._context

    def _add(self, more: str) -> None:
        try:
            path = Path(self.folder, Path(more).expanduser())
            self.context().load_verify_locations(path)
        except (OSError, RuntimeError, ValueError) as error:
            raise PegboardError(f"certificates can't be read: {error}") from error


def nobody() -> ssl.SSLContext:
    """What believes no certificate at all."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
