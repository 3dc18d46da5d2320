"""`plan_votes`: how many votes an interval of a wanted width, or a difference of two judges, needs."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from judging.management.rows_by_name import get_attributes, get_campaign, get_dataset, get_run
from rankings.management.report_command import ReportCommand
from rankings.planner.plan_sentence import describe_plan, note_on_plan
from rankings.planner.vote_plan import (
    USUAL_PART,
    USUAL_WIDTH,
    PlanChoice,
    VotePlan,
    VotePlanRow,
    vote_plan,
    wanted_width,
)
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Print how many pairs, votes and people an interval of a wanted width needs, or a difference of two judges to "
        "be found in 80 of 100 studies, simulated from votes or from the answers of a run; for a campaign also "
        "how many votes it still needs (docs/reference/planner.md)."
    )
    examples = (
        "plan_votes --dataset LLMBar --run 3 --width 0.1",
        "plan_votes --dataset SummEval --attribute coherence --run 3 --like 5 --pairs-per-person 80",
        "plan_votes --dataset LLMBar --run 3 --against 4 --difference 0.05",
        "plan_votes --dataset SummEval --attribute coherence --campaign 'Which is better?' --width 0.08",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--attribute", metavar="A", help="default: the only attribute, or that of the run")
        parser.add_argument(
            "--run", type=int, metavar="RUN", help="run whose accuracy is wanted (default: agreement between people)"
        )
        parser.add_argument(
            "--like", type=int, metavar="RUN", help="run whose probabilities stand for people (default: votes)"
        )
        parser.add_argument("--campaign", metavar="NAME", help="only the votes of this campaign (default: all votes)")
        parser.add_argument(
            "--width",
            type=float,
            metavar="W",
            help=f"width of the 95 %% interval (default: that of the campaign, else {USUAL_WIDTH})",
        )
        parser.add_argument("--difference", type=float, metavar="D", help="of two accuracies, instead of a width: 0.05")
        parser.add_argument("--against", type=int, metavar="RUN", help="other run (default: another judge as accurate)")
        parser.add_argument(
            "--pairs-per-person", type=int, default=USUAL_PART, metavar="N", help="pairs that one person votes on"
        )

    def run(self, options: dict[str, Any]) -> VotePlan:
        dataset = get_dataset(options["dataset"])
        run, like, against = (get_run(options[name]) if options[name] else None for name in ("run", "like", "against"))
        campaign = get_campaign(options["campaign"]) if options["campaign"] else None
        attributes = get_attributes(dataset, [options["attribute"]] if options["attribute"] else [])
        of_campaign = campaign.attributes_in_order() if campaign else []
        own = of_campaign[0] if of_campaign else next((one.attribute for one in (run, like) if one), None)
        if not options["attribute"] and len(of_campaign or ([] if own else attributes)) > 1:
            raise Refused("attribute: missing — there are several; give one")
        chosen = attributes[0] if options["attribute"] or own is None else own
        if chosen.dataset_id != dataset.pk:
            raise Refused(f"run: it is not about {dataset.name}")
        width = wanted_width(campaign) if options["width"] is None else options["width"]
        part = options["pairs_per_person"]
        return vote_plan(PlanChoice(chosen, run, like, campaign, width, part, options["difference"], against))

    def show(self, result: VotePlan) -> None:
        self.stdout.write(f"{result.dataset}, {result.attribute}: {result.figure}. {describe_plan(result)}")
        head = ["votes a pair", "contexts", "pairs", "votes", "people", "width"]
        self.stdout.write(aligned([head, *map(_cells, result.rows)]), ending="")
        if note := note_on_plan(result):
            self.stdout.write(note)


def _cells(row: VotePlanRow) -> list[str]:
    numbers = (row.contexts, row.pairs, row.votes, row.people)
    cells = ["–" if number is None else f"{number:,}" for number in numbers]
    return [str(row.votes_per_pair), *cells, number_cell(row.width)]
