"""Addresses that no request may go to: link-local ones and those where a cloud serves a machine's credentials."""

import socket
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

METADATA_NETWORKS = tuple(
    map(
        ip_network,
        (
            "169.254.0.0/16",  # link-local: most clouds
            "100.100.100.200/32",  # Alibaba
            "168.63.129.16/32",  # Azure
            "192.0.0.192/32",  # Oracle
            "fe80::/10",  # link-local
            "fd00:ec2::/32",  # AWS
            "fd20:ce::254/128",  # Google
        ),
    )
)
NETWORKS_HOLDING_IPV4 = (ip_network("64:ff9b::/96"), ip_network("::/96"))  # translated and compatible addresses


def refused_address(host: str) -> str:
    """Return the first address of a host that is refused; empty if there is none, or if the name is unknown."""
    return next((address for address in _resolve(host) if is_refused(address)), "")


def is_refused(address: str) -> bool:
    """Return True for a link-local or metadata address, also inside an IPv6 address."""
    ip = ip_address(address.partition("%")[0])  # %: the network card of a link-local address
    forms = {ip, _inner_ipv4(ip)} if isinstance(ip, IPv6Address) else {ip}
    return any(form in network for form in forms for network in METADATA_NETWORKS)


def refuse_connection(event: str, info: Mapping[str, object]) -> None:
    """Close a new connection to a refused address before anything is sent. A `trace` extension of httpx.

    The name of an endpoint is resolved again for each connection, so checking it once would not be enough.
    Raises ForbiddenAddress.
    """
    if event != "connection.connect_tcp.complete":
        return
    stream = info["return_value"]
    address = stream.get_extra_info("server_addr")[0]  # type: ignore[attr-defined]  # httpcore.NetworkStream
    if is_refused(address):
        stream.close()  # type: ignore[attr-defined]
        raise ForbiddenAddress(address)


class ForbiddenAddress(Exception):
    """Raised for a connection to a link-local or metadata address. Its text is the address."""


def _resolve(host: str) -> list[str]:
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []


def _inner_ipv4(ip: IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address holds; the same address if it holds none."""
    if any(ip in network for network in NETWORKS_HOLDING_IPV4):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else ip)
