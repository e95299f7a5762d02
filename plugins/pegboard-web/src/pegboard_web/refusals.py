"""What a model is told when the network refuses."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore2
import httpx2
from pegboard import ToolError


@contextmanager
def refusing(host: str) -> Iterator[None]:
    """Turn what goes wrong between here and a server into an error that a model can read.

    Raises:
        ToolError: something did; it names the host.
    """
    try:
        yield
    except httpcore2.PoolTimeout as error:
        raise ToolError(
            "too many pages are being fetched; call again later", code="busy"
        ) from error
    except httpcore2.TimeoutException as error:
        raise ToolError(
            f"{host!a} says nothing; call again later, or fetch another page", code="too_slow"
        ) from error
    except httpcore2.ConnectError as error:
        raise _no_connection(host, error) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.DecodingError) as error:
        raise ToolError(
            f"{host!a} gave an answer that breaks off or isn't HTTP; fetch another page",
            code="broken_answer",
        ) from error


def _no_connection(host: str, error: httpcore2.ConnectError) -> ToolError:
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = cause.verify_message.lower().rstrip(".")
        return ToolError(f"the certificate of {host!a} isn't valid: {reason}", code="tls")
    if isinstance(cause, ssl.SSLError):
        return ToolError(f"{host!a} doesn't speak TLS as it should; try http://", code="tls")
    return ToolError(
        f"{host!a} can't be reached: it refuses connections, or is off", code="unreachable"
    )
