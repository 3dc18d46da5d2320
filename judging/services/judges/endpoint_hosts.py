"""Where endpoints may be, and which key may go there: the entries of the setting ENDPOINT_HOSTS."""

from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from evenhand.engine.endpoint.addresses import refused_address

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}


def host_problems(base_url: str, hosts: Sequence[str] | None, *, key: str = "") -> list[str]:
    """Return the problems of an endpoint's host. hosts: entries HOST[:PORT][=KEY]; None for any host and key.

    key: the name of the variable of the endpoint's key. Outside this machine, an entry without a port means the port
    of https, and a key goes only to a host whose entry names it.
    """
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if key and parts.scheme == "http" and host not in LOOPBACK:
        return ["base_url: a key needs https, except on this machine"]
    entries = [entry.partition("=")[::2] for entry in hosts or ()]
    if hosts is not None and not any(_is_at(parts, where) for where, _ in entries):
        return [
            f'base_url: "{host}" is not among the hosts in the setting ENDPOINT_HOSTS '
            f"({', '.join(where for where, _ in entries) or 'empty'}); an entry without a port means https; "
            "ask an administrator to add it, or add the judge with the command add_judge"
        ]
    if hosts is not None and key and not _may_have(parts, key, entries):
        return [f'api_key_env: {key} may not go to "{host}"; an administrator adds {host}={key} to ENDPOINT_HOSTS']
    if address := refused_address(host):
        return [f'base_url: "{host}" has the link-local or metadata address {address}, which is not allowed']
    return []


def _is_at(parts: SplitResult, where: str) -> bool:
    """Return True for an address at an entry. An entry of this machine without a port means all of its ports."""
    host, port = parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme]
    if where == host:
        return where in LOOPBACK or (parts.scheme, port) == ("https", 443)
    return where in (f"{host}:{port}", f"[{host}]:{port}")


def _may_have(parts: SplitResult, key: str, entries: Sequence[tuple[str, ...]]) -> bool:
    own = [where for where, name in entries if name == key]
    return any(_is_at(parts, where) for where in own) or (not own and parts.hostname in LOOPBACK)
