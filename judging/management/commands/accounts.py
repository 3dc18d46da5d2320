"""`accounts`: list the accounts."""

from typing import Any

from django.db.models import QuerySet

from judging.management.evenhand_command import EvenhandCommand
from judging.services.accounts.account_list import listed_accounts, role_names, state_of


class Command(EvenhandCommand):
    help = "List the accounts with their roles, their state, when they were last seen, and failed sign-ins since then."
    examples = ("accounts", "accounts --json")

    def run(self, options: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
        accounts: QuerySet[Any] = listed_accounts()
        return {
            "accounts": [
                {
                    "account": account.username,
                    "roles": role_names(account),
                    "state": state_of(account),
                    "last_seen": account.last_seen and account.last_seen.isoformat(),
                    "failed_sign_ins": account.failed_sign_ins,
                }
                for account in accounts
            ]
        }

    def show(self, result: dict[str, list[dict[str, Any]]]) -> None:
        for row in result["accounts"]:
            roles = ", ".join(row["roles"]) or "no role"
            self.stdout.write(f"{row['account']}: {roles}; {row['state']}; last seen {row['last_seen'] or 'never'}")
