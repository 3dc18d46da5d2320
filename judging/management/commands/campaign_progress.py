"""`campaign_progress`: the votes of a campaign, its pace, its people, and how far they agree."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_campaign
from judging.web.campaign_report import campaign_report


class Command(EvenhandCommand):
    help = "Print the progress of a campaign: votes, pace, when it ends, agreement, people, days and skips."
    examples = ('campaign_progress "Coherence"', 'campaign_progress "Coherence" --json')

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        return campaign_report(get_campaign(options["name"]))

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['done']} of {counted(result['planned'], 'vote')}; {_pace(result['pace'])}")
        if result["agreement"]:
            self.stdout.write(_agreement(result["agreement"]) + _goal(result, result["attributes"][0]))
        else:
            for one in result["attributes"]:
                votes, agreement = counted(one["planned"], "vote"), _agreement(one["agreement"]) + _goal(result, one)
                self.stdout.write(f"{one['attribute']}: {one['done']} of {votes}; {agreement}")
        for one in result["annotators"]:
            part = "" if one["part"] is None else f" of {one['part']}"
            standing = f"; {one['standing']}" if one["standing"] else ""
            self.stdout.write(f"{one['rater']}: {one['votes']}{part} votes, {counted(one['skips'], 'skip')}{standing}")
        for skip in result["skip_reasons"]:
            self.stdout.write(f"skipped, {skip['text']}: {skip['skips']}")


def _pace(pace: dict[str, Any]) -> str:
    if pace["end"]:
        return f"{pace['votes_per_day']:.3g} a day, the last one expected on {pace['end']}"
    return f"no end to expect: {pace['undefined']}"


def _goal(result: dict[str, Any], attribute: dict[str, Any]) -> str:
    """Say whether the votes on an attribute are enough, if the campaign has a goal."""
    if attribute["is_enough"] is None:
        return ""
    answer = "enough" if attribute["is_enough"] else "not enough yet"
    return f"; {answer} for an interval of width {result['wanted_width']:g}"


def _agreement(agreement: dict[str, Any]) -> str:
    if agreement["percent"] is None:
        return "agreement: undefined, no pair has two votes"
    interval = "" if agreement["low"] is None else f" ({agreement['low']:.1f} to {agreement['high']:.1f})"
    couples = counted(agreement["compared"], "pair")
    disputed = counted(agreement["disputed"], "disputed pair")
    return f"agreement: {agreement['percent']:.1f} %{interval} of {couples} of votes; {disputed}"
