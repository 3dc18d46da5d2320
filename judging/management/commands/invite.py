"""`invite`: make a link by which people come into a campaign, or a link for each person of a table."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.formats.people_files import read_people
from evenhand.refusals import Refused
from judging.management.command_files import read_source_files
from judging.management.invitation_command import InvitationCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign, Invitation
from judging.services.invitations.invitation_setup import (
    DEFAULT_DAYS,
    DEFAULT_PEOPLE,
    create_invitation,
    invite_people,
)


class Command(InvitationCommand):
    help = "Make a link by which people come into a campaign, or invite the people of a table. No e-mail is sent."
    examples = (
        'invite "Coherence" --for registration --most-people 20 --days 14',
        'invite "Coherence" --people people.csv --site https://evenhand.example.org --json',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_campaign_arguments(parser)
        parser.add_argument(
            "--for",
            dest="admission",
            metavar="ADMISSION",
            help="account: people with an account; registration: anyone with the link; "
            "platform: participants of a recruiting platform",
        )
        parser.add_argument("--people", type=Path, metavar="FILE", help="a table with the column name, email, or both")
        parser.add_argument(
            "--most-people", type=int, metavar="N", help=f"people who may come by the link (default: {DEFAULT_PEOPLE})"
        )
        parser.add_argument("--days", type=int, default=DEFAULT_DAYS, metavar="N", help="days until the link expires")
        parser.add_argument("--most-pairs", type=int, metavar="N", help="pairs for each person (default: all)")
        parser.add_argument("--completion-code", default="", metavar="CODE", help="shown when no pair is left")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        _require_one_way(options)
        limits = {name: options[name] for name in ("days", "most_pairs", "completion_code")}
        added, invited = self._invite(campaign, options, limits)
        return {
            "campaign": campaign.name,
            "added": added,
            "invited": [self.row_of(one, options["site"]) for one in invited],
        }

    def _invite(
        self, campaign: Campaign, options: dict[str, Any], limits: dict[str, Any]
    ) -> tuple[list[str], list[Invitation]]:
        """Return the names of people who take part now, and the links to send."""
        if options["people"] is None:
            most = DEFAULT_PEOPLE if options["most_people"] is None else options["most_people"]
            admission = options["admission"]
            return [], [create_invitation(campaign, admission=admission, created_by=None, most_people=most, **limits)]
        [file] = read_source_files([options["people"]])
        people = invite_people(campaign, read_people(file), created_by=None, **limits)
        return [account.get_username() for account in people.added], list(people.invited)

    def show(self, result: dict[str, Any]) -> None:
        for name in result["added"]:
            self.stdout.write(f"{name} has an account and takes part now")
        for row in result["invited"]:
            self.show_row(row)


def _require_one_way(options: dict[str, Any]) -> None:
    """Raise Refused unless the options describe one link, or a table of people."""
    if options["people"] is None and options["admission"] is None:
        raise Refused("for: missing — give --for account, registration or platform, or a table with --people")
    if options["people"] is not None and (options["admission"] or options["most_people"]):
        raise Refused("people: a table makes a link for each person — leave out --for and --most-people")
