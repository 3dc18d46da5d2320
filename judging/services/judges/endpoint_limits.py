"""Limits of endpoints: the hosts of ENDPOINT_HOSTS, and what a key and a person may use in a day (UTC)."""

from collections.abc import Iterable, Sequence
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db.models.functions import Now

from evenhand.engine.endpoint.forbidden_addresses import refused_address
from judging.models import EndpointUse, Judge, Run
from judging.models.endpoints import EndpointUseQuerySet

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}
PERSON = "person"
"""The name in the setting ENDPOINT_LIMITS for the limit of each person."""


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


def count_use(run: Run, *, requests: int, tokens: int = 0) -> None:
    """Count what a run used at an endpoint."""
    if run.judge.is_endpoint and (requests or tokens):
        used = {"requests": requests, "tokens": tokens, "used_at": Now()}
        EndpointUse.objects.create(owner_id=run.owner_id, key=run.judge.api_key_env, **used)


def pause_of(judge: Judge, owner_id: int | None) -> str:
    """Return why runs of a judge wait, as a sentence; empty if they do not. owner_id: None for the command line."""
    if not judge.is_endpoint:
        return ""
    key, today = judge.api_key_env, EndpointUse.objects.today()
    limited = [(key, f"the key {key}", today.filter(key=key))] if key else []
    limited += [(PERSON, "its owner", today.filter(owner=owner_id))] if owner_id else []
    return next(filter(None, (_used_up(*one) for one in limited)), "")


def _used_up(name: str, who: str, uses: EndpointUseQuerySet) -> str:
    limits: dict[str, int] = settings.ENDPOINT_LIMITS.get(name) or {}
    used = uses.totals() if limits else {}
    for unit, number in used.items():
        if unit in limits and number >= limits[unit]:
            return (
                f"Paused: {who} has used {number:,} of {limits[unit]:,} {unit} today. "
                "It goes on at 00:00 UTC, or when an admin raises the limit."
            )
    return ""


def pauses_of(judges: Iterable[Judge], owner_id: int | None) -> list[str]:
    """Return why new runs of these judges would wait, each reason once."""
    return list(dict.fromkeys(filter(None, (pause_of(judge, owner_id) for judge in judges))))
