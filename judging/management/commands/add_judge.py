"""`add_judge`: store a judge."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandParser

from evenhand.engine import BACKENDS
from evenhand.engine.endpoint.dialect_files import load_dialects
from evenhand.engine.metrics import BERTSCORE, METRICS, REWARD
from judging.management.evenhand_command import EvenhandCommand
from judging.models import Judge
from judging.services.judges.judge_check import check_judge, why_unchecked
from judging.services.judges.judge_setup import add_judge

JUDGE_SETTINGS = (
    "backend",
    "model",
    "revision",
    "dtype",
    "device",
    "base_url",
    "api_key_env",
    "dialect",
    "ask_by",
)
HOW_TO_SKIP = "Nothing was stored. To add a judge that will work elsewhere or later, give --no-check."


class Command(EvenhandCommand):
    help = (
        "Store a judge: a model that runs here, an OpenAI-compatible endpoint, or a metric. Its device, files "
        "and label words, or its endpoint, are checked first."
    )
    examples = (
        "add_judge flan --backend transformers --model google/flan-t5-xl --dtype bfloat16",
        "add_judge gpt --backend openai --model gpt-5 --base-url https://api.example.org/v1 --api-key-env MY_API_KEY",
        "add_judge rouge --backend metric --model rouge-l",
        "add_judge skywork --backend metric --model reward:Skywork/Skywork-Reward-V2-Qwen3-0.6B",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the judge in lists and tables")
        parser.add_argument("--backend", required=True, help=f"one of: {', '.join(BACKENDS)}")
        parser.add_argument(
            "--model",
            required=True,
            help="a hub id, a folder, or the model name at the endpoint; for a metric one of: "
            f"{', '.join(METRICS)} (for example {BERTSCORE}:roberta-large, {REWARD}:MODEL)",
        )
        parser.add_argument("--revision", default="", help="commit, tag or branch of a hub model (default: the newest)")
        parser.add_argument(
            "--dtype",
            default="float32",
            help="float32, bfloat16 or float16; on a GPU bfloat16 is much faster",
        )
        parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1 … or auto")
        parser.add_argument(
            "--base-url",
            default="",
            help="address of the endpoint, for example http://localhost:8000/v1 (default: none)",
        )
        parser.add_argument(
            "--api-key-env",
            default="",
            metavar="VARIABLE",
            help="environment variable with the endpoint's key; its name ends in _API_KEY (default: no key)",
        )
        parser.add_argument(
            "--dialect",
            default="",
            help=f"names of the endpoint's request fields, one of: {', '.join(sorted(load_dialects()))} "
            "(default: recognise them)",
        )
        parser.add_argument(
            "--ask-by",
            default="",
            metavar="WAY",
            help="how the endpoint is asked for a label word: forced-choice (it may write nothing else), logprobs (by "
            "the probabilities of a free reply) or text (by a free reply alone) (default: found by a small question)",
        )
        parser.add_argument(
            "--price-input",
            type=float,
            metavar="PRICE",
            help="price of the endpoint per million input tokens (default: unknown)",
        )
        parser.add_argument(
            "--price-output",
            type=float,
            metavar="PRICE",
            help="price per million output tokens, in the same currency (default: unknown)",
        )

        parser.add_argument(
            "--no-check",
            action="store_true",
            help="store the judge without looking at its device, files, label words or endpoint",
        )

    def run(self, options: dict[str, Any]) -> Judge:
        settings = {name: options[name] for name in (*JUDGE_SETTINGS, "price_input", "price_output")}
        return add_judge(options["name"], check=self.check_unless(options["no_check"]), **settings)

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
