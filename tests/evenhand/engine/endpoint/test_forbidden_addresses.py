"""Addresses that no endpoint may have."""

from ipaddress import ip_network

import pytest

from evenhand.engine import EngineSettings, LoadFailed, load_engine
from evenhand.engine.endpoint import forbidden_addresses
from evenhand.engine.endpoint.forbidden_addresses import is_refused, refused_address
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, status


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "100.100.100.200",
        "fe80::1",
        "fe80::1%2",
        "fd00:ec2::254",
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::",
        "::169.254.169.254",
    ],
)
def test_link_local_and_metadata_addresses_are_refused(address):
    assert is_refused(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.7", "192.168.1.5", "fd12::1", "203.0.113.9"])
def test_addresses_of_this_machine_and_of_networks_are_allowed(address):
    assert not is_refused(address)


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "::ffff:a9fe:a9fe"]
)
def test_other_spellings_of_an_address_are_refused(host):
    assert refused_address(host)


def test_a_name_is_resolved(monkeypatch):
    monkeypatch.setattr(forbidden_addresses, "METADATA_NETWORKS", (ip_network("127.0.0.0/8"),))

    assert refused_address("localhost") == "127.0.0.1"


def test_nothing_is_sent_to_a_refused_address(monkeypatch):
    """The check sees the address of the connection, so a name that changed since makes no difference."""
    monkeypatch.setattr(forbidden_addresses, "METADATA_NETWORKS", (ip_network("127.0.0.0/8"),))

    with ServedEndpoint() as served, pytest.raises(LoadFailed, match=r"metadata address 127\.0\.0\.1, which is not"):
        load_engine(EngineSettings("openai", "judge", base_url=served.url))

    assert served.asked == []


def test_a_redirect_is_not_followed():
    with ServedEndpoint() as target, ServedEndpoint() as served:
        served.first_do(status(307, Location=f"{target.url}/chat/completions"))

        with pytest.raises(LoadFailed, match="it redirects to"):
            load_engine(EngineSettings("openai", "judge", base_url=served.url))

    assert target.asked == []
