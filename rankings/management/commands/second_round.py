"""`second_round`: ask people again about the disputed pairs of a campaign."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.disputes.disputed_pairs import FILTERS, DisputeChoice, find_disputes
from rankings.disputes.second_round import ROUND_OPTIONS, round_settings, start_second_round


class Command(EvenhandCommand):
    help = "Start a second round: a campaign that asks other people about the disputed pairs of a campaign."
    examples = (
        'second_round "Coherence" --annotator ann --annotator ben',
        'second_round "Coherence" --kind split --votes 1 --annotator ann',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", metavar="NAME", help="name of the first round; the command campaigns lists them")
        add_option_arguments(parser, [*FILTERS, *ROUND_OPTIONS])

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        first = get_campaign(options["first"])
        choice = options_in_arguments(options, FILTERS)
        settings = round_settings(first, {one.name: options[one.name] for one in ROUND_OPTIONS}, user=None)
        pairs = find_disputes(first, DisputeChoice(**choice)).chosen
        campaign = start_second_round(first, pairs, **settings)
        votes = campaign.votes_per_pair
        return {"campaign": campaign.name, "first_round": first.name, "pairs": len(pairs), "votes_per_pair": votes}

    def show(self, result: dict[str, Any]) -> None:
        pairs, votes = counted(result["pairs"], "pair"), counted(result["votes_per_pair"], "vote")
        self.stdout.write(f"{result['campaign']}: {pairs}, {votes} each")
