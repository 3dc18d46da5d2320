"""`retire_judge`: take a judge out of use, or back into use."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_judge
from judging.services.judges.judge_changes import retire_judge


class Command(EvenhandCommand):
    help = "Take a judge out of use: it takes no new runs and is offered nowhere. Its runs and their results stay."
    examples = ("retire_judge flan", "retire_judge flan --undo")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the judge")
        parser.add_argument("--undo", action="store_true", help="bring the judge back into use")

    def run(self, options: dict[str, Any]) -> dict[str, str | bool]:
        judge = get_judge(options["name"])
        retire_judge(judge, retired=not options["undo"])
        return {"judge": judge.name, "retired": judge.is_retired}

    def show(self, result: dict[str, str | bool]) -> None:
        self.stdout.write(f'judge "{result["judge"]}" is {"retired" if result["retired"] else "in use"}')
