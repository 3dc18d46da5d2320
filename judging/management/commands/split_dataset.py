"""`split_dataset`: split a dataset's contexts into a development part and a test part."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.models.datasets import DEVELOPMENT, TEST
from judging.services.datasets.context_parts import split_dataset


class Command(EvenhandCommand):
    help = (
        "Split the contexts of a dataset at random into a development part and a test part. Choose prompts, thresholds "
        "and juries on development, and report on test (docs/reference/splits.md). A split stays."
    )
    examples = ("split_dataset SummEval", "split_dataset LLMBar --test-share 0.7 --seed 7 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the dataset")
        parser.add_argument(
            "--test-share",
            type=float,
            default=0.5,
            metavar="SHARE",
            help="share of the contexts to test on (default 0.5)",
        )
        parser.add_argument("--seed", type=int, metavar="N", help="seed of the draw (default: a fresh one, printed)")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        dataset = get_dataset(options["name"])
        split_dataset(dataset, test_share=options["test_share"], seed=options["seed"])
        return {"dataset": dataset.name, **dataset.split}

    def show(self, result: dict[str, Any]) -> None:
        parts = " and ".join(f"{counted(result[part], 'context')} in {part}" for part in (DEVELOPMENT, TEST))
        self.stdout.write(f"{result['dataset']}: {parts} (seed {result['seed']})")
