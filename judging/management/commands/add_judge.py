"""`add_judge`: store a judge."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import read_options
from judging.management.evenhand_command import EvenhandCommand
from judging.models import Judge
from judging.services.judges.judge_check import check_judge, why_unchecked
from judging.services.judges.judge_setup import JUDGE_OPTIONS, add_judge
from judging.web.options import add_option_arguments

JUDGE_SETTINGS = ("backend", "model", "revision", "dtype", "device", "base_url", "api_key_env", "dialect", "ask_by")
HOW_TO_SKIP = "Nothing was stored. To add a judge that will work elsewhere or later, give --no-check."


class Command(EvenhandCommand):
    help = (
        "Store a judge: a model that runs here, an OpenAI-compatible endpoint, or a metric. Its device, files "
        "and label words, or its endpoint, are checked first."
    )
    examples = (
        "add_judge flan --backend transformers --model google/flan-t5-xl --dtype bfloat16",
        "add_judge qwen --backend transformers --model ./qwen3-8b-Q4_K_M.gguf",
        "add_judge gpt --backend openai --model gpt-5 --base-url https://api.example.org/v1 --api-key-env MY_API_KEY",
        "add_judge rouge --backend metric --model rouge-l",
        "add_judge skywork --backend metric --model reward:Skywork/Skywork-Reward-V2-Qwen3-0.6B",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        name, *others = JUDGE_OPTIONS
        parser.add_argument("name", metavar="NAME", help=name.help)
        add_option_arguments(parser, others)
        parser.add_argument(
            "--no-check",
            action="store_true",
            help="store the judge without looking at its device, files, label words or endpoint",
        )

    def run(self, options: dict[str, Any]) -> Judge:
        values = {option.name: options[option.name] for option in JUDGE_OPTIONS}
        return add_judge(check=self.check_unless(options["no_check"]), **read_options(JUDGE_OPTIONS, values))

    def check_unless(self, skipped: bool) -> Callable[[Judge], list[str]]:
        def check(judge: Judge) -> list[str]:
            if skipped:
                return []
            if reason := why_unchecked(judge):
                self.note(reason)
                return []
            problems = check_judge(judge)
            return [*problems, HOW_TO_SKIP] if problems else []

        return check

    def json_of(self, result: Judge) -> dict[str, Any]:
        return {"judge": result.name} | {name: getattr(result, name) for name in JUDGE_SETTINGS}

    def show(self, result: Judge) -> None:
        self.stdout.write(f'judge "{result.name}" is stored: {result.backend}, {result.model}')
