"""URLs as a model or a server writes them, read once and in one way."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import httpx2
from pegboard import ToolError

MOST_CHARACTERS = 8_192
PORTS = {"http": 80, "https": 443}

_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
_MOST_OF_A_HOST = 253
_ENDS_IN_A_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")


def parse(text: str) -> httpx2.URL:
    """A URL that can be fetched, without its fragment.

    Raises:
        ToolError: it is none, or of another scheme, or names a user.
    """
    fault = _fault_of_text(text)
    if fault:
        raise _invalid(text, fault)
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError) as error:
        raise _invalid(text, "is no URL; give one such as 'https://example.org/page'") from error
    fault = _fault_of_parts(url) or _fault_of_host(host_of(url))
    if fault:
        raise _invalid(text, fault)
    return url.copy_with(fragment=None)


def host_of(url: httpx2.URL) -> str:
    """The host as it is looked up: small ASCII letters, no brackets, no last dot."""
    return url.raw_host.decode("ascii").lower().rstrip(".")


def port_of(url: httpx2.URL) -> int:
    """The port, also where the URL doesn't say it."""
    return PORTS[url.scheme] if url.port is None else url.port


def origin_of(url: httpx2.URL) -> str:
    """Scheme, host and port, the same text for all URLs of one server."""
    host = host_of(url)
    return f"{url.scheme}://{f'[{host}]' if ':' in host else host}:{port_of(url)}"


def shown(text: str, *, most: int = 200) -> str:
    """A URL in quotes for a message: one line of ASCII, not too long."""
    return ascii(text if len(text) <= most else f"{text[:most]}...")


def _fault_of_text(text: str) -> str | None:
    if len(text) > MOST_CHARACTERS:
        return f"is longer than {MOST_CHARACTERS} characters"
    if any(each.isspace() or not each.isprintable() for each in text):
        return "has a space or a control character; write %20 for a space"
    return None


def _fault_of_parts(url: httpx2.URL) -> str | None:
    if not url.scheme:
        return "has no scheme; begin with https:// or http://"
    if url.scheme not in PORTS:
        return "has another scheme; only http:// and https:// can be fetched"
    if url.userinfo:
        return "names a user or a password; leave that out"
    if not 0 < port_of(url) < 65536:
        return "has a port that there isn't"
    return None


def _fault_of_host(host: str) -> str | None:
    if not host:
        return "names no host; give one such as 'https://example.org/page'"
    try:
        if ":" in host:
            has_zone = IPv6Address(host).scope_id is not None
            return "names a zone of a network; leave it out" if has_zone else None
        if _ENDS_IN_A_NUMBER.fullmatch(host):
            IPv4Address(host)
    except AddressValueError:
        return "has a host that is no address; write one as '192.0.2.1' or '[2001:db8::1]'"
    if len(host) > _MOST_OF_A_HOST or _HOST.fullmatch(host) is None:
        return "has a host that is no name of one; give one such as 'https://example.org/page'"
    return None


def _invalid(text: str, fault: str) -> ToolError:
    return ToolError(f"{shown(text)} {fault}", code="invalid_url")
