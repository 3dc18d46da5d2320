"""`add_prompt`: store a new prompt, or a new version of one."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.file_problems import InvalidFile
from evenhand.prompting.prompt_files import read_prompt
from evenhand.refusals import Refused
from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.services.prompts.prompt_library import add_prompt, new_prompt_problems


class Command(EvenhandCommand):
    help = "Store a prompt, or a new version of one, from a JSON object as described in docs/how-to/prompts.md."
    examples = (
        "add_prompt my-prompt.json",
        "add_prompt my-prompt.json --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.json", help="the prompt (docs/how-to/prompts.md)")

    def run(self, options: dict[str, Any]) -> dict[str, str | int]:
        (file,) = read_source_files([options["file"]])
        try:
            prompt = read_prompt(file.read(), file=file.name)
        except InvalidFile as invalid:
            raise Refused(*map(str, invalid.problems), *_find_further_problems(invalid, file.name)) from invalid
        try:
            row = add_prompt(prompt)
        except Refused as refused:
            raise Refused(*(f"{file.name}: {problem}" for problem in refused.problems)) from refused
        return {"prompt": row.name, "version": row.version, "method": row.method}

    def show(self, result: dict[str, str | int]) -> None:
        self.stdout.write(f'prompt "{result["prompt"]}", version {result["version"]}, is stored for {result["method"]}')


def _find_further_problems(invalid: InvalidFile, file: str) -> list[str]:
    """Return the problems of the fields that could be read."""
    unread = {problem.field for problem in invalid.problems}
    found = (problem for prompt in invalid.records for problem in new_prompt_problems(prompt))
    return [f"{file}: {problem}" for problem in found if problem.partition(":")[0] not in unread]
