"""The commands about accounts."""

from collections.abc import Iterator
from typing import Annotated, Any

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.management.operations.record import Operation
from judging.models import User
from judging.services.accounts.account_changes import (
    ROLES_FROM_NOW_ON,
    WITHOUT_ROLE,
    change_account,
    create_account,
    password_link,
    unlock_sign_in,
)
from judging.services.accounts.account_list import (
    every_account,
    in_state,
    reset_second_factor,
    role_names,
    state_of,
)

LOCAL_SITE = "http://localhost:8000"
SITE = Option("Address of the server, for links.")


def list_accounts() -> dict[str, Any]:
    """List the accounts with their roles, their state, when they were last seen, and failed sign-ins since then."""
    return {
        "accounts": [
            _row(account)
            | {
                "last_seen": account.last_seen and account.last_seen.isoformat(),
                "failed_sign_ins": account.failed_sign_ins,  # type: ignore[attr-defined]  # annotated
            }
            for account in every_account().filter(in_state(""))
        ]
    }


def add_account(*, site: Annotated[str, SITE] = LOCAL_SITE, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401
    """Create an account. Prints a link to send, by which the person chooses a password."""
    return _changed(create_account(**chosen), site)


def change_account_or_link(
    account: User,
    *,
    roles: Annotated[tuple[str, ...] | None, ROLES_FROM_NOW_ON] = None,
    deactivate: Annotated[bool, Option("End the account; votes and runs stay.")] = False,
    restore: Annotated[bool, Option("Make a deactivated account active again.")] = False,
    unlock: Annotated[bool, Option("Unlock the sign-in after wrong passwords.")] = False,
    reset_factor: Annotated[bool, Option("Remove the second factors of a person who lost theirs.")] = False,
    link: Annotated[bool, Option("Print a link to choose a new password.")] = False,
    site: Annotated[str, SITE] = LOCAL_SITE,
) -> dict[str, Any]:
    """Change the roles of an account, deactivate or restore it, unlock its sign-in, reset its second factor, or make
    a password link. The last active admin can be neither deactivated nor demoted.
    """
    if deactivate and restore:
        raise Refused("restore: leave it out, or leave out --deactivate")
    change_account(account, roles=roles, active=restore if restore or deactivate else None)
    if unlock:
        unlock_sign_in(account)
    if reset_factor:
        reset_second_factor(account)
    return _changed(account, site if link else "")


def _changed(account: User, site: str) -> dict[str, Any]:
    """Return an account with a password link. site: address of the server; "" for no link."""
    row = _row(every_account().get(pk=account.pk))
    return row | ({"link": site.rstrip("/") + password_link(account)} if site else {})


def _row(account: User) -> dict[str, Any]:
    return {"account": account.username, "roles": role_names(account), "state": state_of(account)}


def _listed(result: dict[str, Any]) -> Iterator[str]:
    for row in result["accounts"]:
        roles = ", ".join(row["roles"]) or "no role"
        yield f"{row['account']}: {roles}; {row['state']}; last seen {row['last_seen'] or 'never'}"


def _without_role(result: dict[str, Any]) -> list[str]:
    return [] if result["roles"] else [WITHOUT_ROLE]


def _described(result: dict[str, Any]) -> Iterator[str]:
    roles = ", ".join(result["roles"]) or "no role"
    yield f'account "{result["account"]}": {roles}; {result["state"]}'
    if "link" in result:
        yield f"link to choose a password, once within seven days: {result['link']}"


ACCOUNTS = Operation(list_accounts, _listed, examples=("accounts", "accounts --json"))
ADD_ACCOUNT = Operation(
    add_account,
    _described,
    examples=(
        "add_account olaf --role researcher --site https://evenhand.example.org",
        "add_account ann --role annotator --email ann@example.org",
    ),
    services=(create_account,),
    placed=("name",),
    left_out=("password",),
    notes=_without_role,
)
CHANGE_ACCOUNT = Operation(
    change_account_or_link,
    _described,
    examples=(
        "change_account olaf --role researcher --role admin",
        "change_account olaf --deactivate",
        "change_account olaf --link --site https://evenhand.example.org",
    ),
    of="account",
    notes=_without_role,
)
