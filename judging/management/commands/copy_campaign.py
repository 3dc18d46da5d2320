"""`copy_campaign`: make a draft with the settings of a campaign."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.campaign_rows import campaign_row
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign
from judging.services.campaigns.campaign_copies import copy_campaign, name_of_copy
from judging.services.campaigns.overlaps import describe_overlaps


class Command(EvenhandCommand):
    help = (
        "Make a draft with the settings, guidelines, consent text, gold and training pairs of a campaign. Its pairs "
        "are drawn with a fresh seed, and nobody takes part yet."
    )
    examples = ('copy_campaign "Coherence"', 'copy_campaign "Coherence" --name "Coherence, June" --json')

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        parser.add_argument("--name", dest="copy_name", metavar="NAME", help="name of the copy (default: NAME, copy)")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["name"])
        copy = copy_campaign(campaign, name=options["copy_name"] or name_of_copy(campaign), created_by=None)
        if overlaps := describe_overlaps(copy):
            self.note(overlaps)
        return campaign_row(Campaign.objects.with_progress().get(pk=copy.pk))

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['campaign']}: a draft of {result['pairs']:,} pairs; open it with change_campaign")
