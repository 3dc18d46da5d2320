"""The base of commands about invitations to a campaign."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.models import Invitation
from judging.web.addresses_to_send import with_platform_parameters


class InvitationCommand(EvenhandCommand):
    """A command whose result has invitations with the links to send."""

    def add_campaign_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        parser.add_argument(
            "--site", default="http://localhost:8000", metavar="ADDRESS", help="address of the server, for the links"
        )

    def row_of(self, invitation: Invitation, site: str) -> dict[str, Any]:
        """Return an invitation for JSON. site: address of the server."""
        return {
            "invitation": invitation.pk,
            "link": with_platform_parameters(site.rstrip("/") + invitation.get_absolute_url(), invitation),
            "admission": invitation.admission,
            "person": invitation.person,
            "people": invitation.enrolments.count(),
            "most_people": invitation.most_people,
            "most_pairs": invitation.most_pairs,
            "completion_code": invitation.completion_code,
            "expires_at": invitation.expires_at.isoformat(),
            "state": invitation.state,
        }

    def show_row(self, row: dict[str, Any]) -> None:
        who = row["person"] or row["admission"]
        self.stdout.write(
            f"{row['invitation']}: {who}; {row['people']} of {row['most_people']} came; {row['state']}, "
            f"until {row['expires_at'][:16]} UTC; {row['link']}"
        )
