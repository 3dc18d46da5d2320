"""`invitations`: list the invitations to a campaign, or withdraw some."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from judging.management.invitation_command import InvitationCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Invitation
from judging.services.invitations.invitation_setup import withdraw_invitation


class Command(InvitationCommand):
    help = "List the invitations to a campaign with their links, or withdraw some. People who came by them stay."
    examples = ('invitations "Coherence"', 'invitations "Coherence" --withdraw 7')

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_campaign_arguments(parser)
        parser.add_argument(
            "--withdraw",
            type=int,
            action="append",
            default=[],
            metavar="N",
            help="close this invitation, by its number; repeatable",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        invitations = Invitation.objects.filter(campaign=campaign).select_related("campaign").order_by("pk")
        known = {one.pk: one for one in invitations}
        if unknown := [number for number in options["withdraw"] if number not in known]:
            raise Refused(*(f"withdraw: there is no invitation {number} to {campaign.name}" for number in unknown))
        for number in options["withdraw"]:
            withdraw_invitation(known[number])
        rows = [self.row_of(one, options["site"]) for one in invitations.all()]
        return {"campaign": campaign.name, "invitations": rows}

    def show(self, result: dict[str, Any]) -> None:
        for row in result["invitations"]:
            self.show_row(row)
        if not result["invitations"]:
            self.stdout.write("no invitations")
