"""`change_account`: change the roles of an account, deactivate or restore it, or make a password link."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.account_command import AccountCommand
from judging.management.rows_by_name import get_account
from judging.services.accounts.account_changes import change_account, unlock_sign_in


class Command(AccountCommand):
    help = (
        "Change the roles of an account, deactivate or restore it, unlock its sign-in, or make a password link. "
        "The last active admin can be neither deactivated nor demoted."
    )
    examples = (
        "change_account olaf --role researcher --role admin",
        "change_account olaf --deactivate",
        "change_account olaf --link --site https://evenhand.example.org",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the account; the command accounts lists them")
        self.add_role_option(parser, default="as they are")
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--deactivate", action="store_true", help="end the account; votes and runs stay")
        state.add_argument("--restore", action="store_true", help="make a deactivated account active again")
        parser.add_argument("--unlock", action="store_true", help="unlock the sign-in after wrong passwords")
        parser.add_argument("--link", action="store_true", help="print a link to choose a new password")
        self.add_site_option(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        account = get_account(options["name"])
        active = options["restore"] if options["restore"] or options["deactivate"] else None
        change_account(account, roles=options["roles"] or None, active=active)
        if options["unlock"]:
            unlock_sign_in(account)
        return self.result_of(account, site=options["site"] if options["link"] else "")
