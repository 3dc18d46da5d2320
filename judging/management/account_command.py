"""The base of commands that print a password link."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.models import ROLES, User
from judging.services.accounts.account_links import password_link
from judging.services.accounts.account_list import every_account, role_names, state_of


class AccountCommand(EvenhandCommand):
    """A command about one account. Its result has the account and, where one was made, the password link."""

    def add_site_option(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--site", default="http://localhost:8000", metavar="ADDRESS", help="address of the server, for the link"
        )

    def add_role_option(self, parser: CommandParser, *, default: str) -> None:
        parser.add_argument(
            "--role",
            action="append",
            default=[],
            dest="roles",
            metavar="ROLE",
            help=f"one of {', '.join(ROLES)}; may be repeated (default: {default})",
        )

    def result_of(self, account: User, *, site: str = "") -> dict[str, Any]:
        """Return the account for JSON. site: address of the server, to add a password link."""
        account = every_account().get(pk=account.pk)
        result = {"account": account.username, "roles": role_names(account), "state": state_of(account)}
        return result | ({"link": site.rstrip("/") + password_link(account)} if site else {})

    def show(self, result: dict[str, Any]) -> None:
        roles = ", ".join(result["roles"]) or "no role"
        self.stdout.write(f'account "{result["account"]}": {roles}; {result["state"]}')
        if "link" in result:
            self.stdout.write(f"link to choose a password, once within seven days: {result['link']}")
