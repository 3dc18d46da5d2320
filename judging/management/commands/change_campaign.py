"""`change_campaign`: open, pause or close a campaign, ask for more, or change its deadline, goal or guidelines."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.formats.recorded.known_pairs import read_asked_pairs
from judging.management.campaign_rows import campaign_row, read_guidelines
from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign
from judging.services.campaigns.campaign_changes import change_campaign
from judging.web.operations.new_campaigns import CHANGE_OPTIONS, campaign_changes
from judging.web.options import add_option_arguments

TAKEN_AWAY = {"deadline": "none", "wanted_width": "0"}
"""Option -> the value that takes it away."""


class Command(EvenhandCommand):
    help = (
        "Open, pause or close a campaign, ask for more votes or pairs, or change its deadline, goal or guidelines. "
        "Annotators vote only while it is open, and read changed guidelines before their next pair."
    )
    examples = (
        'change_campaign "Coherence" --state paused',
        'change_campaign "Coherence" --deadline 2027-06-30T18:00',
        'change_campaign "Coherence" --guidelines guidelines.md',
        'change_campaign "Coherence" --wanted-width 0.1',
        'change_campaign "Coherence" --votes-per-pair 5',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        add_option_arguments(parser, [one for one in CHANGE_OPTIONS if one.name != "guidelines"])
        parser.add_argument("--pairs", type=Path, metavar="FILE", help="table of pairs to add to listed ones")
        parser.add_argument("--guidelines", type=Path, metavar="FILE", help="Markdown file with the new guidelines")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        values = {one.name: options[one.name] for one in CHANGE_OPTIONS if options[one.name] is not None}
        if "guidelines" in values:
            values["guidelines"] = read_guidelines(values["guidelines"])
        emptied = {name: None for name, none in TAKEN_AWAY.items() if values.get(name) == none}
        changes = campaign_changes(campaign, values | emptied, user=None)
        if options["pairs"]:
            changes["pairs"] = read_asked_pairs(*read_source_files([options["pairs"]]))
        change_campaign(campaign, changes, changed_by=None)
        rows = Campaign.objects.with_progress().select_related("dataset").prefetch_related("asked_attributes")
        return campaign_row(rows.get(pk=campaign.pk))

    def show(self, result: dict[str, Any]) -> None:
        deadline = f" until {result['deadline']}" if result["deadline"] else ""
        self.stdout.write(f"{result['campaign']} is {result['state']}{deadline}")
