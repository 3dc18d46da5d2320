"""`add_prompt`: store a prompt of one's own."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.exceptions import Refused
from judging.formats import InvalidFile
from judging.management.base import EvenhandCommand
from judging.management.command_files import read_files
from judging.prompting.prompt_files import read_prompt
from judging.services.prompts.prompt_library import add_prompt, problems_of


class Command(EvenhandCommand):
    help = "Store a prompt, or a new version of one: a JSON object as docs/prompts.md has it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.json")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, str | int]:
        (file,) = read_files([options["file"]])
        try:
            prompt = read_prompt(file.content, file=file.name)
        except InvalidFile as invalid:
            raise Refused(*map(str, invalid.problems), *further_problems(invalid, file.name)) from invalid
        try:
            row = add_prompt(prompt)
        except Refused as refused:
            raise Refused(*(f"{file.name}: {problem}" for problem in refused.problems)) from refused
        return {"prompt": row.name, "version": row.version, "method": row.method}

    def show(self, result: dict[str, str | int]) -> None:
        self.stdout.write(f'prompt "{result["prompt"]}", version {result["version"]}, is stored for {result["method"]}')


def further_problems(invalid: InvalidFile, file: str) -> list[str]:
    """What is wrong beside the fields that cannot be read, as far as the others tell it."""
    unread = {problem.field for problem in invalid.problems}
    found = (problem for prompt in invalid.records for problem in problems_of(prompt))
    return [f"{file}: {problem}" for problem in found if problem.partition(":")[0] not in unread]
