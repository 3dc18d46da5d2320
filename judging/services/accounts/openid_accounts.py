"""Accounts of people who come by OpenID Connect or GitHub."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.db import transaction

from evenhand.refusals import Refused
from judging.models import ROLES, User
from judging.services.accounts.account_changes import LONGEST_NAME, create_account, set_roles

NO_ROLE = "Your sign-in provider gives you no role here. Ask the people who run it, or an admin."
NO_ACCOUNT = "No account here has the main address of your GitHub account. Ask an admin for one."
NOT_ACTIVE = "This account is not active. Ask an admin."


@dataclass(frozen=True, slots=True)
class OpenIdPerson:
    """A person as a provider describes them. email: "" unless it is verified and the provider is trusted for it.

    roles: None from a provider that knows none. It opens the accounts that there are.
    """

    name: str
    email: str
    roles: frozenset[str] | None


def person_in(claims: Mapping[str, Any], *, claim: str, names: Mapping[str, str], trusts_email: bool) -> OpenIdPerson:
    """Read claims. claim: that of the roles, with dots between parts. names: value -> role; empty: the roles' own."""
    value: Any = claims
    for part in claim.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    named = names or {role: role for role in ROLES}
    roles = frozenset(named[one] for one in values if isinstance(one, str) and one in named)
    email = str(claims.get("email") or "") if trusts_email and claims.get("email_verified") is True else ""
    return OpenIdPerson(str(claims.get("preferred_username") or ""), email, roles)


@transaction.atomic
def account_of(person: OpenIdPerson, *, known: User | None) -> User:
    """Return the account of a person, with the roles that the provider gives now.

    known: the account that is linked already. Without it, the one account with the person's e-mail address, else a new
    one. Raises Refused for people without a role, for accounts that ended, and for the last active admin.
    """
    if person.roles is not None and not person.roles:
        raise Refused(NO_ROLE)
    account = known or _with_address(person.email) or _new(person)
    if not account.is_active:
        raise Refused(NOT_ACTIVE)
    if person.roles is not None and account.roles != person.roles:
        set_roles(account, roles=sorted(person.roles))
    return account


def _with_address(email: str) -> User | None:
    found = list(User.objects.filter(email__iexact=email, deleted_at=None)[:2]) if email else []
    return found[0] if len(found) == 1 else None


def _new(person: OpenIdPerson) -> User:
    """Create an account. A name that is taken gets a number: names link nobody. Raises Refused without roles."""
    if person.roles is None:
        raise Refused(NO_ACCOUNT)
    wanted = re.sub(r"[^\w.@+-]", "-", person.name)[: LONGEST_NAME - 10] or "person"
    names = (f"{wanted}-{number}" if number > 1 else wanted for number in count(1))
    name = next(name for name in names if not User.objects.filter(username=name).exists())
    return create_account(name=name, email=person.email, roles=sorted(person.roles))
