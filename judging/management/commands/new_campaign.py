"""`new_campaign`: create a campaign on one attribute of a dataset or more."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.campaign_rows import campaign_row, read_guidelines
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset, get_researcher
from judging.models import Campaign, CampaignKind, Dataset
from judging.services.campaigns.campaign_setup import create_campaign
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, campaign_settings
from judging.web.options import add_option_arguments


class Command(EvenhandCommand):
    help = (
        "Create a campaign and draw its pairs, or the texts of a campaign of ratings. With several attributes, "
        "annotators are asked about each pair or text on all of them, one after the other."
    )
    examples = (
        'new_campaign "Coherence" --dataset SummEval --attributes coherence --pairs-per-context 2 --annotators ann '
        "--owner rita",
        'new_campaign "Two questions" --dataset SummEval --attributes fluency coherence '
        '--questions "fluency=Which flows better?"',
        'new_campaign "Ratings" --kind ratings --dataset SummEval --attributes coherence --lowest-label incoherent',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        own = {option.name: option for option in CAMPAIGN_OPTIONS}
        parser.add_argument("name", metavar="NAME", help=own.pop("name").help)
        self.add_dataset_option(parser)
        own.pop("guidelines")
        add_option_arguments(parser, own.values())
        parser.add_argument("--guidelines", type=Path, metavar="FILE", help="Markdown file with the guidelines")
        parser.add_argument(
            "--owner", metavar="USERNAME", help="the researcher who may change it; default: only admins may"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        dataset = get_dataset(options["dataset"])
        values = {option.name: options[option.name] for option in CAMPAIGN_OPTIONS}
        if values["guidelines"]:
            values["guidelines"] = read_guidelines(values["guidelines"])
        owner = get_researcher(options["owner"]) if options["owner"] else None
        if owner and not Dataset.objects.visible_to(owner).filter(pk=dataset.pk).exists():
            raise Refused(f"owner: {owner.username} may not see {dataset.name}; share the dataset first")
        campaign = create_campaign(dataset, **campaign_settings(dataset, values, user=None), created_by=owner)
        if owner is None:
            self.note("only admins may change this campaign; give --owner NAME to name a researcher")
        return campaign_row(Campaign.objects.with_progress().select_related("dataset").get(pk=campaign.pk))

    def show(self, result: dict[str, Any]) -> None:
        asked = ", ".join(result["attributes"])
        of_ratings = result["kind"] == CampaignKind.RATINGS
        pairs = counted(result["pairs"], "text" if of_ratings else "pair")
        votes = counted(result["votes_planned"], "rating" if of_ratings else "vote")
        self.stdout.write(f"{result['campaign']} on {asked}: {pairs}, {votes}; {result['state']}")
