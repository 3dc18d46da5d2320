"""`second_round`: ask people again about the disputed pairs of a campaign."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.models import ANNOTATOR, User
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, DisputeChoice, find_disputes
from rankings.disputes.second_round import SecondRound, people_named, start_second_round, usual_votes


class Command(EvenhandCommand):
    help = "Start a second round: a campaign that asks other people about the disputed pairs of a campaign."
    examples = (
        'second_round "Coherence" --annotator ann --annotator ben',
        'second_round "Coherence" --kind split --votes 1 --annotator ann',
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the first round; the command campaigns lists them")
        parser.add_argument("--annotator", metavar="A", action="append", default=[], help="a username; repeatable")
        parser.add_argument(
            "--votes", type=int, metavar="N", help="votes for each pair (default: makes the votes of both rounds odd)"
        )
        parser.add_argument("--kind", choices=list(DISPUTE_KINDS), help="only disputed pairs of this kind")
        parser.add_argument("--attribute", metavar="A", default="", help="only disputed pairs on this attribute")
        parser.add_argument("--call", metavar="TEXT", default="", help='its name (default: "NAME, second round")')
        parser.add_argument(
            "--may-repeat", action="store_true", help="people may get pairs again that they saw in the first round"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        first = get_campaign(options["name"])
        kinds = (options["kind"],) if options["kind"] else ()
        pairs = find_disputes(first, DisputeChoice(kinds, attribute=options["attribute"])).chosen
        annotators = User.objects.filter(groups__name=ANNOTATOR, is_active=True)
        people = people_named(options["annotator"], annotators)
        votes = usual_votes(first) if options["votes"] is None else options["votes"]
        plan = SecondRound(people, votes, options["call"], options["may_repeat"])
        campaign = start_second_round(first, pairs, plan)
        return {"campaign": campaign.name, "first_round": first.name, "pairs": len(pairs), "votes_per_pair": votes}

    def show(self, result: dict[str, Any]) -> None:
        pairs, votes = counted(result["pairs"], "pair"), counted(result["votes_per_pair"], "vote")
        self.stdout.write(f"{result['campaign']}: {pairs}, {votes} each")
