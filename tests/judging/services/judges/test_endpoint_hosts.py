"""Hosts of endpoints and their keys."""

import pytest

from judging.services.judges.endpoint_limits import host_problems

HOSTS = ["192.0.2.1=FIRST_API_KEY", "192.0.2.2=SECOND_API_KEY", "192.0.2.3:8000", "127.0.0.1"]


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://192.0.2.1/v1", "FIRST_API_KEY"),
        ("https://192.0.2.1:443/v1", "FIRST_API_KEY"),
        ("https://192.0.2.1/v1", ""),
        ("http://192.0.2.3:8000/v1", ""),
        ("http://127.0.0.1:6000/v1", "THIRD_API_KEY"),
    ],
)
def test_a_key_goes_to_its_host_and_any_other_to_this_machine(address, key):
    assert host_problems(address, HOSTS, key=key) == []


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://192.0.2.2/v1", "FIRST_API_KEY"),
        ("https://192.0.2.2/v1", "THIRD_API_KEY"),
        ("http://127.0.0.1:6000/v1", "FIRST_API_KEY"),
        ("https://192.0.2.3:8000/v1", "FIRST_API_KEY"),
    ],
)
def test_a_key_goes_to_no_other_host(address, key):
    [problem] = host_problems(address, HOSTS, key=key)

    assert problem.startswith(f"api_key_env: {key} may not go to ")


@pytest.mark.parametrize(
    "address", ["https://192.0.2.1:6379/v1", "http://192.0.2.1/v1", "http://192.0.2.1:443/v1", "http://192.0.2.3/v1"]
)
def test_a_host_without_a_port_means_its_https_port(address):
    [problem] = host_problems(address, HOSTS)

    assert "is not among the hosts in the setting ENDPOINT_HOSTS" in problem


@pytest.mark.parametrize("hosts", [None, [*HOSTS, "192.0.2.3:8000=THIRD_API_KEY"]])
def test_a_key_is_never_sent_in_the_clear_to_another_machine(hosts):
    assert host_problems("http://192.0.2.3:8000/v1", hosts, key="THIRD_API_KEY") == [
        "base_url: a key needs https, except on this machine"
    ]
    assert host_problems("http://127.0.0.1:8000/v1", None, key="THIRD_API_KEY") == []
