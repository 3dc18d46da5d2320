"""`try_judge`: ask a judge about one pair in both orders."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.report_json import as_json
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_attributes, get_dataset, get_judge
from judging.services.runs.judge_trial import TRIAL_OPTIONS, PairTrial, TriedOrder, trial_settings, try_judge
from judging.web.options import add_option_arguments, options_in_arguments


class Command(EvenhandCommand):
    help = "Ask a judge about one pair in both orders, and show its answers. No answer is stored."
    examples = (
        "try_judge demo --dataset Sample",
        "try_judge r1 --dataset LLMBar --context Natural/7 --thinking on --thinking-tokens 4000",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("judge", metavar="JUDGE", help="name of the judge")
        self.add_dataset_option(parser)
        parser.add_argument("--attribute", metavar="NAME", help="attribute to judge (default: the first)")
        add_option_arguments(parser, TRIAL_OPTIONS)

    def run(self, options: dict[str, Any]) -> PairTrial:
        settings = trial_settings(options_in_arguments(options, TRIAL_OPTIONS))
        names = [options["attribute"]] if options["attribute"] else []
        attribute = get_attributes(get_dataset(options["dataset"]), names)[0]
        return try_judge(get_judge(options["judge"]), attribute=attribute, **settings)

    def json_of(self, result: PairTrial) -> dict[str, Any]:
        return dict(as_json(result))

    def show(self, result: PairTrial) -> None:
        self.stdout.write(f"{result.context}, prompt {result.prompt}, {result.seconds:.1f} seconds")
        for order in result.orders:
            self.stdout.write(_describe(order))
            for reasoning in order.reasoning:
                self.stdout.write(f"  reasoning about {reasoning.about}: {reasoning.text}")
            if order.answer.thinking:
                self.stdout.write(f"  thinking: {order.answer.thinking}")
        if result.agreement:
            self.stdout.write(result.agreement)


def _describe(order: TriedOrder) -> str:
    """Return one line: the order, the decision or the problem, p_first and the reply."""
    answer = order.answer
    read = order.decision or order.problem_name or f"error: {answer.error}"
    p_first = f", p {answer.p_first:.4f}" if answer.p_first is not None else ""
    reply = f", reply {answer.text!r}" if answer.text else ""
    return f"{order.first} first, {order.second} second: {read}{p_first}{reply}"
