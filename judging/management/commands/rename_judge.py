"""`rename_judge`: give a judge another name."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_judge
from judging.services.judges.judge_changes import rename_judge


class Command(EvenhandCommand):
    help = "Give a judge another name, also in the reports of its runs."
    examples = ("rename_judge flan flan-t5-xl", "rename_judge gpt gpt-4o-2024-08-06 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="present name of the judge")
        parser.add_argument("new_name", metavar="NEW-NAME", help="a name that no other judge has")

    def run(self, options: dict[str, Any]) -> dict[str, str]:
        rename_judge(get_judge(options["name"]), options["new_name"])
        return {"judge": options["new_name"], "before": options["name"]}

    def show(self, result: dict[str, str]) -> None:
        self.stdout.write(f'judge "{result["before"]}" is now called "{result["judge"]}"')
