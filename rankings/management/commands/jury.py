"""`jury`: make a run from the answers of other runs on the same pairs."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.report_json import as_json
from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.web.options import add_option_arguments
from rankings.juries.stored_juries import JURY_OPTIONS, JuryRow, jury_settings, make_jury
from rankings.report.printed_numbers import percent


class Command(EvenhandCommand):
    help = (
        "Make a run of method jury from the comparisons that all of the given runs answered. It is a run like any "
        "other: report, study, curve and compare read it."
    )
    examples = (
        "jury panel --dataset LLMBar --run 3 4 7 --by majority",
        "jury weighted-panel --dataset SummEval --run 3 --run 4 --by weighted --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        name, *others = JURY_OPTIONS
        parser.add_argument("name", metavar="NAME", help=name.help)
        self.add_dataset_option(parser)
        add_option_arguments(parser, others)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        values = {option.name: options[option.name] for option in JURY_OPTIONS}
        chosen = jury_settings(get_dataset(options["dataset"]), values, user=None)
        jury = make_jury(**chosen)
        members = {member.run for member in jury.members}
        if others := [str(run.pk) for run in chosen["run"] if run.pk not in members]:
            self.note(f"run {', '.join(others)}: of another attribute, not in the jury")
        return dict(as_json(JuryRow.of(jury)))

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"run {result['run']}: {result['judge']}, {result['by']} of {counted(len(result['members']), 'member')}: "
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
