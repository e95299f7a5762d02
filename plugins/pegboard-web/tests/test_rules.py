"""What an operator allows, without a network."""

from ipaddress import ip_address
from typing import Any

import pytest
from pegboard import ToolError
from pegboard_web.places import place_of
from pegboard_web.settings import Settings, rules_of


def refusal(host: str, port: int, *addresses: str, **settings: Any) -> str | None:
    """The code with which a host with these addresses is refused, if it is."""
    rules = rules_of(Settings(**settings))
    try:
        rules.check_name(host, port)
        rules.check_addresses(host, port, [*map(ip_address, addresses)])
    except ToolError as error:
        return error.code
    return None


PUBLIC = "93.184.215.14"


@pytest.mark.parametrize(
    ("settings", "host", "expected"),
    [
        ({}, "example.org", None),
        ({"allow": ("example.org",)}, "example.org", None),
        ({"allow": ("example.org",)}, "www.example.org", "denied"),
        ({"allow": ("*.example.org",)}, "www.example.org", None),
        ({"allow": ("*.example.org",)}, "wwwexample.org", "denied"),
        ({"allow": ("*.Example.ORG",)}, "www.example.org", None),
        ({"allow": ()}, "example.org", "denied"),
        ({"allow": ("93.184.0.0/16",)}, "example.org", None),
        ({"allow": ("10.0.0.0/8",)}, "example.org", "denied"),
        ({"deny": ("example.org",)}, "example.org", "denied"),
        ({"deny": ("93.184.0.0/16",)}, "example.org", "denied"),
        ({"allow": ("example.org",), "deny": ("*",)}, "example.org", "denied"),
        ({"deny": ("example.org:8443",)}, "example.org", None),
    ],
)
def test_a_host_is_allowed_by_name_or_network_and_deny_wins(
    settings: dict[str, Any], host: str, expected: str | None
) -> None:
    assert refusal(host, 443, PUBLIC, **settings) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "denied_port"),
        ({"ports": (8443,)}, None),
        ({"allow": ("example.org:8443",)}, None),
        ({"allow": ("example.org",)}, "denied_port"),
        ({"allow_private": ("example.org:8443",)}, None),
        ({"allow_private": ("93.184.215.14:8443",)}, None),
        ({"allow_private": ("93.184.215.15:8443",)}, "denied_port"),
    ],
)
def test_a_port_is_open_everywhere_or_for_the_place_that_names_it(
    settings: dict[str, Any], expected: str | None
) -> None:
    assert refusal("example.org", 8443, PUBLIC, **settings) == expected


@pytest.mark.parametrize("host", ["93.184.215.14", "2606:2800:21f:cb07::1"])
@pytest.mark.parametrize("name", ["allow", "allow_private"])
def test_a_refused_port_names_the_place_that_would_open_it(host: str, name: str) -> None:
    address = ip_address(host)

    with pytest.raises(ToolError) as raised:
        rules_of(Settings(**{name: (host,)})).check_addresses(host, 8443, [address])

    written = str(raised.value).split("write '")[1].split("'")[0]
    assert place_of(written).holds(address, 8443)
    assert str(raised.value).endswith(f" in {name}, of the plugin's settings")


def test_a_refused_port_offers_no_list_that_would_close_all_other_places() -> None:
    with pytest.raises(ToolError, match=r"add it to ports of the plugin's settings$"):
        rules_of(Settings()).check_addresses("example.org", 8443, [ip_address(PUBLIC)])


def test_a_private_address_on_a_port_that_is_not_open_is_refused_for_being_private() -> None:
    assert refusal("localhost", 3000, "127.0.0.1") == "private_address"


@pytest.mark.parametrize(
    ("allowed", "address", "expected"),
    [
        ("10.0.0.0/8", "10.1.2.3", None),
        ("10.0.0.0/8", "::ffff:10.1.2.3", None),
        ("10.0.0.0/8", "192.168.0.1", "private_address"),
        ("10.0.0.0/8:8080", "10.1.2.3", "private_address"),
        ("intranet", "10.1.2.3", None),
        ("intranet", "127.0.0.1", None),
        ("intranet", "169.254.169.254", "private_address"),
        ("intranet", "fe80::1", "private_address"),
        ("intranet", "168.63.129.16", "private_address"),
        ("169.254.169.254", "169.254.169.254", None),
        ("0.0.0.0/0", "0.0.0.0", "private_address"),
        ("::/0", "ff02::1", "private_address"),
    ],
)
def test_a_private_address_is_reached_only_where_the_operator_names_it(
    allowed: str, address: str, expected: str | None
) -> None:
    assert refusal("intranet", 80, address, allow_private=(allowed,)) == expected


def test_one_private_address_among_public_ones_is_enough_to_refuse_a_host() -> None:
    assert refusal("example.org", 443, PUBLIC, "10.0.0.1") == "private_address"


@pytest.mark.parametrize("text", ["[::1]:80", "[::1]", "::1", "::1/128", "[FD00::/8]:80"])
def test_an_ipv6_place_is_written_with_or_without_brackets(text: str) -> None:
    place = place_of(text)

    assert place.network is not None
    assert place.port == (80 if text.endswith(":80") else None)


@pytest.mark.parametrize(
    "text",
    ["", " ", "http://example.org", "example.org/path", "10.0.0.1/8", "10.0.0", "a:99999", "ü.org"],
)
def test_what_is_no_place_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"xn--|address|port"):
        place_of(text)
