"""`add_account`: create an account, and print a link by which the person chooses a password."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.account_command import AccountCommand
from judging.services.accounts.account_changes import create_account


class Command(AccountCommand):
    help = "Create an account. Prints a link to send, by which the person chooses a password."
    examples = (
        "add_account olaf --role researcher --site https://evenhand.example.org",
        "add_account ann --role annotator --email ann@example.org",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name for signing in")
        self.add_role_option(parser, default="none")
        parser.add_argument("--email", default="", metavar="ADDRESS", help="e-mail address, for your own records")
        self.add_site_option(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        account = create_account(options["name"], roles=options["roles"], email=options["email"])
        return self.result_of(account, site=options["site"])
