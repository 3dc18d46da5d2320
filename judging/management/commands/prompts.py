"""`prompts`: list the prompts."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from evenhand.prompting.methods import PROMPTED
from evenhand.refusals import Refused, did_you_mean
from judging.management.evenhand_command import EvenhandCommand
from judging.models import Prompt
from judging.services.plans.run_spec import prompt_text

PromptRow = dict[str, Any]


class Command(EvenhandCommand):
    help = "List every version of the prompts. --json prints their texts, which add_prompt reads."
    examples = (
        "prompts --method prepair",
        "prompts --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--method", help=f"one of: {', '.join(PROMPTED)} (default: all)")

    def run(self, options: dict[str, Any]) -> dict[str, list[PromptRow]]:
        method = options["method"]
        if method is not None and method not in PROMPTED:
            raise Refused(
                f'method: "{method}" is unknown{did_you_mean(method, PROMPTED)}; choose one of: {", ".join(PROMPTED)}'
            )
        prompts = Prompt.objects.filter(method=method) if method else Prompt.objects.all()
        return {"prompts": [asdict(prompt_text(prompt)) for prompt in prompts]}

    def show(self, result: dict[str, list[PromptRow]]) -> None:
        for prompt in result["prompts"]:
            self.stdout.write(f"{prompt['name']}, version {prompt['version']}, {prompt['method']}")
