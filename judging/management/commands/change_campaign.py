"""`change_campaign`: open, pause or close a campaign, set its deadline or goal, or change its guidelines."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from judging.management.campaign_options import NO_DEADLINE, read_deadline, read_guidelines
from judging.management.campaign_rows import campaign_row
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign, CampaignState
from judging.services.campaigns.campaign_states import change_deadline, change_state
from judging.services.campaigns.guidelines import change_guidelines
from judging.services.campaigns.wanted_width import set_wanted_width


class Command(EvenhandCommand):
    help = (
        "Open, pause or close a campaign, set its deadline or goal, or change its guidelines. Annotators vote only "
        "while it is open, and read changed guidelines before their next pair."
    )
    examples = (
        'change_campaign "Coherence" --state paused',
        'change_campaign "Coherence" --deadline 2027-06-30T18:00',
        'change_campaign "Coherence" --guidelines guidelines.md',
        'change_campaign "Coherence" --wanted-width 0.1',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        parser.add_argument("--state", choices=CampaignState.values, help="its state from now on")
        parser.add_argument(
            "--deadline", metavar="TIME", help=f"it is closed from then on; in UTC, or {NO_DEADLINE} for no deadline"
        )
        parser.add_argument("--guidelines", type=Path, metavar="FILE", help="Markdown file with the new guidelines")
        parser.add_argument(
            "--wanted-width",
            type=float,
            metavar="W",
            help="its votes are enough once the 95 %% interval of the agreement is at most this wide; 0 for no goal",
        )

    @transaction.atomic
    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        if options["deadline"] is not None:
            change_deadline(campaign, deadline=read_deadline(options["deadline"]))
        if options["state"] is not None:
            change_state(campaign, state=options["state"])
        if options["guidelines"] is not None:
            change_guidelines(campaign, text=read_guidelines(options["guidelines"]), changed_by=None)
        if options["wanted_width"] is not None:
            set_wanted_width(campaign, width=options["wanted_width"] or None)
        rows = Campaign.objects.with_progress().select_related("dataset").prefetch_related("asked_attributes")
        return campaign_row(rows.get(pk=campaign.pk))

    def show(self, result: dict[str, Any]) -> None:
        deadline = f" until {result['deadline']}" if result["deadline"] else ""
        self.stdout.write(f"{result['campaign']} is {result['state']}{deadline}")
