"""`check_people`: gold pairs and repeats of a campaign, which check its annotators."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from evenhand.formats.recorded.known_pairs import read_known_pairs
from evenhand.units import counted
from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import Campaign
from judging.services.campaign_pairs.check_counts import count_repeats, list_gold_pairs
from judging.services.campaign_pairs.gold_pairs import (
    FEWEST_UNANIMOUS,
    add_gold_pairs,
    add_unanimous_pairs,
    set_check_shares,
)
from judging.services.campaign_pairs.training import set_training_pairs, training_results


class Command(EvenhandCommand):
    help = (
        "Print the gold pairs of a campaign with their votes, or change what checks its annotators: gold pairs, which "
        "have a known answer, repeats with swapped sides, and the training before the first vote. "
        "Votes on them are left out of all figures of judges."
    )
    examples = (
        "check_people --campaign 'Which is better?' --gold gold.csv --gold-share 0.1",
        "check_people --campaign 'Which is better?' --unanimous 10 --repeat-share 0.1",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="NAME", help="name of the campaign")
        parser.add_argument(
            "--gold",
            type=Path,
            metavar="FILE",
            help="add the gold pairs of a table: context, first, second, answer (first, second or tie), and "
            "attribute where the campaign has several",
        )
        parser.add_argument(
            "--training",
            type=Path,
            metavar="FILE",
            help="replace the training pairs by those of a table, with the same columns and optionally explanation",
        )
        parser.add_argument("--unanimous", type=int, metavar="N", help="draw N gold pairs on which all people agree")
        parser.add_argument(
            "--fewest-votes",
            type=int,
            default=FEWEST_UNANIMOUS,
            metavar="N",
            help="minimum votes on a unanimous pair",
        )
        parser.add_argument("--seed", type=int, default=0, help="for drawing unanimous pairs")
        parser.add_argument(
            "--gold-share", type=float, metavar="P", help="gold pairs for each ordinary pair (default: unchanged)"
        )
        parser.add_argument(
            "--repeat-share", type=float, metavar="P", help="repeats for each ordinary pair (default: unchanged)"
        )

    @transaction.atomic
    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = get_campaign(options["campaign"])
        if options["gold"]:
            [file] = read_source_files([options["gold"]])
            add_gold_pairs(campaign, read_known_pairs(file))
        if options["training"]:
            [file] = read_source_files([options["training"]])
            set_training_pairs(campaign, read_known_pairs(file))
        if options["unanimous"] is not None:
            fewest, seed = options["fewest_votes"], options["seed"]
            add_unanimous_pairs(campaign, options["unanimous"], fewest_votes=fewest, seed=seed)
        _set_shares(campaign, options)
        return {
            "campaign": campaign.name,
            "repeat_share": campaign.repeat_share,
            "gold_share": campaign.gold_share,
            "repeats": count_repeats(campaign),
            "training_pairs": [asdict(pair) for pair in training_results(campaign)],
            "gold_pairs": [asdict(pair) for pair in list_gold_pairs(campaign)],
        }

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"{result['campaign']}: repeat share {result['repeat_share']:g} ({counted(result['repeats'], 'vote')}), "
            f"gold share {result['gold_share']:g} ({counted(len(result['gold_pairs']), 'pair')})"
        )
        pairs = (*result["gold_pairs"], *result["training_pairs"])
        has_several = len({pair["attribute"] for pair in pairs}) > 1
        for pair in result["gold_pairs"]:
            self.stdout.write(
                f"{_describe(pair, has_several)}, {pair['right']} of {counted(pair['votes'], 'vote')} right"
            )
        for pair in result["training_pairs"]:
            right = f"{pair['right']} of {counted(pair['answers'], 'answer')} right"
            self.stdout.write(f"training: {_describe(pair, has_several)}, {right}")


def _describe(pair: dict[str, Any], has_several: bool) -> str:
    """has_several: True to name the attribute."""
    attribute = f"{pair['attribute']}, " if has_several else ""
    return f"{attribute}{pair['context']}: {pair['one']} against {pair['other']}, answer {pair['answer'] or 'tie'}"


def _set_shares(campaign: Campaign, options: dict[str, Any]) -> None:
    shares = {
        name: getattr(campaign, name) if options[name] is None else options[name]
        for name in ("repeat_share", "gold_share")
    }
    set_check_shares(campaign, **shares)
