"""`jury`: make a run from the answers of other runs on the same pairs."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_attributes, get_dataset, get_run
from rankings.juries.jury_answers import RULES
from rankings.juries.stored_juries import jury_fields, make_jury
from rankings.report.number_text import percent


class Command(EvenhandCommand):
    help = (
        "Make a run of method jury from the comparisons that all of the given runs answered. It is a run like any "
        "other: report, study, curve and compare read it."
    )
    examples = (
        "jury panel --dataset LLMBar --run 3 4 7 --by majority",
        "jury panel-without-people --dataset LLMBar --run 3 4 7 --by bt-sigma",
        "jury weighted-panel --dataset SummEval --run 3 --run 4 --by weighted --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the jury, a judge of its own in reports")
        self.add_dataset_option(parser)
        parser.add_argument(
            "--run",
            action="extend",
            nargs="+",
            required=True,
            type=int,
            dest="runs",
            metavar="RUN",
            help="numbers of the members, two or more; may be repeated",
        )
        parser.add_argument(
            "--by",
            required=True,
            choices=RULES,
            help="; ".join(f"{name}: {rule.title}" for name, rule in RULES.items()),
        )
        parser.add_argument(
            "--choose-on", metavar="development", help="learn the weights on the development part of a split dataset"
        )
        parser.add_argument("--attribute", metavar="NAME", help="use only the runs of this attribute")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        dataset = get_dataset(options["dataset"])
        runs = [get_run(pk) for pk in options["runs"]]
        wrong = [run for run in runs if run.dataset != dataset]
        if wrong:
            raise Refused(*(f'run: {run.pk} is of the dataset "{run.dataset}", not "{dataset}"' for run in wrong))
        if options["attribute"]:
            (attribute,) = get_attributes(dataset, [options["attribute"]])
            if others := [str(run.pk) for run in runs if run.attribute != attribute]:
                self.note(f"run {', '.join(others)}: of another attribute, not in the jury")
            runs = [run for run in runs if run.attribute == attribute]
        return jury_fields(make_jury(options["name"], runs, by=options["by"], choose_on=options["choose_on"]))

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"run {result['run']}: {result['judge']}, {result['by']} of {len(result['members'])} members: "
            f"{counted(result['comparisons'], 'comparison')}"
        )
        if result["partly_answered"]:
            self.note(f"{counted(result['partly_answered'], 'comparison')} that only some members answered, left out")
        for member in result["members"]:
            self.stdout.write(_member_line(member))


def _member_line(member: dict[str, Any]) -> str:
    line = (
        f"  run {member['run']}: {member['judge']}, {member['prompt']}: {counted(member['answers'], 'answer')} "
        f"({percent(member['share'])} of the pairs)"
    )
    if "weight" not in member:
        return line
    weight, bias = (
        _with_interval(member, "weight", "low", "high"),
        _with_interval(member, "bias", "bias_low", "bias_high"),
    )
    return f"{line}, weight {weight}, bias {bias}"


def _with_interval(member: dict[str, Any], value: str, low: str, high: str) -> str:
    interval = f" [{member[low]:.3f}, {member[high]:.3f}]" if low in member else ""
    return f"{member[value]:.3f}{interval}"
