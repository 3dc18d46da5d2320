"""`change_campaign`: open, pause or close a campaign, or set its deadline."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from judging.exceptions import Refused
from judging.management.campaign_rows import campaign_row
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign, CampaignState
from judging.services.campaigns.campaign_states import change_deadline, change_state

NO_DEADLINE = "none"


class Command(EvenhandCommand):
    help = "Open, pause or close a campaign, or set its deadline. Annotators vote only while it is open."
    examples = (
        'change_campaign "Coherence" --state paused',
        'change_campaign "Coherence" --deadline 2027-06-30T18:00',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        parser.add_argument("--state", choices=CampaignState.values, help="its state from now on")
        parser.add_argument(
            "--deadline", metavar="TIME", help=f"it is closed from then on; in UTC, or {NO_DEADLINE} for no deadline"
        )
        self.add_json_argument(parser)

    @transaction.atomic
    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        if options["deadline"] is not None:
            change_deadline(campaign, deadline=read_deadline(options["deadline"]))
        if options["state"] is not None:
            change_state(campaign, state=options["state"])
        rows = Campaign.objects.with_progress().select_related("dataset", "attribute")
        return campaign_row(rows.get(pk=campaign.pk))

    def show(self, result: dict[str, Any]) -> None:
        deadline = f" until {result['deadline']}" if result["deadline"] else ""
        self.stdout.write(f"{result['campaign']} is {result['state']}{deadline}")


def read_deadline(text: str) -> datetime | None:
    """Read a date and time, in UTC unless it names another zone. Raises Refused for anything else."""
    if text == NO_DEADLINE:
        return None
    try:
        time = parse_datetime(text)
    except ValueError:  # such as 31 February
        time = None
    if time is None:
        raise Refused(f'deadline: "{text}" is not a date and time — write it as 2027-06-30T18:00, or {NO_DEADLINE}')
    return time if timezone.is_aware(time) else timezone.make_aware(time)
