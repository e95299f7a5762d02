"""What kind of address it is, without a network."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_web.addresses import Nature, meant, nature

NATURES = {
    Nature.PUBLIC: ("93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07::1", "2a00:1450::1"),
    Nature.LOOPBACK: ("127.0.0.1", "127.255.255.254", "::1"),
    Nature.LINK_LOCAL: ("169.254.1.1", "fe80::1", "fe80::1%eth0"),
    Nature.METADATA: ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"),
    Nature.UNSPECIFIED: ("0.0.0.0", "::"),
    Nature.MULTICAST: ("224.0.0.1", "ff02::1"),
    Nature.RESERVED: ("240.0.0.1", "255.255.255.255", "64:ff9b:1::1", "192.88.99.1"),
    Nature.PRIVATE: (
        *("10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "0.1.2.3", "198.18.0.1"),
        *("192.0.2.1", "fd00::1", "fec0::1", "2001:db8::1", "2001::1"),
    ),
}


@pytest.mark.parametrize(
    ("text", "kind"), [(text, kind) for kind, texts in NATURES.items() for text in texts]
)
def test_an_address_is_of_its_kind(text: str, kind: Nature) -> None:
    assert nature(ip_address(text)) is kind


@pytest.mark.parametrize("text", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8", "0.0.0.0"])
@pytest.mark.parametrize("form", ["::ffff:{0}", "::{0}", "64:ff9b::{0}", "2002:{1:04x}:{2:04x}::"])
def test_an_address_that_wraps_another_is_of_the_others_kind(text: str, form: str) -> None:
    inner = IPv4Address(text)
    outer = IPv6Address(form.format(text, int(inner) >> 16, int(inner) & 0xFFFF))

    assert nature(outer) is nature(inner)


@given(address=st.ip_addresses())
def test_no_address_is_public_that_python_knows_to_be_otherwise(
    address: IPv4Address | IPv6Address,
) -> None:
    inner = meant(address)
    odd = inner.is_private or inner.is_loopback or inner.is_link_local or inner.is_multicast

    assert not (odd and nature(address) is Nature.PUBLIC)
