"""`exclude_votes`: leave a person's votes out of all figures, or take them back in."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign, get_dataset
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes


class Command(EvenhandCommand):
    help = (
        "Leave all votes of a person on a dataset out of figures, also later ones, or take them back in. Every report "
        "says so, with the reason."
    )
    examples = (
        "exclude_votes --dataset LLMBar --rater rater-3 --reason 'answered at random'",
        "exclude_votes --dataset LLMBar --rater rater-3 --restore",
        "exclude_votes --dataset LLMBar --rater rater-3 --campaign 'Round 2' --reason 'ill that day'",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--rater", required=True, metavar="NAME", help="name or pseudonym of the person")
        parser.add_argument("--campaign", metavar="NAME", help="only the votes of this campaign; default: all votes")
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("--reason", metavar="TEXT", help="why; reports print it")
        action.add_argument("--restore", action="store_true", help="take the votes back into figures")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        dataset, rater = get_dataset(options["dataset"]), options["rater"]
        campaign = get_campaign(options["campaign"]) if options["campaign"] else None
        if not options["restore"]:
            exclusion = exclude_rater(dataset, rater, reason=options["reason"], campaign=campaign)
            return {"dataset": dataset.name, "rater": rater, "excluded": exclusion.votes.count()}
        held = dataset.vote_exclusions.of_rater(rater, campaign).first()
        if held is None:
            raise Refused(f'rater: "{rater}" is not excluded {f"in {campaign}" if campaign else f"on {dataset.name}"}')
        return {"dataset": dataset.name, "rater": rater, "restored": restore_votes(held)}

    def show(self, result: dict[str, Any]) -> None:
        change = "excluded" if "excluded" in result else "restored"
        self.stdout.write(f"{result['dataset']}: {counted(result[change], 'vote')} of {result['rater']} {change}")
