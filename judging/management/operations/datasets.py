"""The command that splits a dataset."""

from typing import Any

from evenhand.units import counted
from judging.management.operations.record import Operation
from judging.models import Dataset
from judging.models.datasets import DEVELOPMENT, TEST
from judging.services.datasets.dataset_changes import split_dataset


def split(dataset: Dataset, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - options of the service
    """Split the contexts of a dataset at random into a development part and a test part. Choose prompts, thresholds
    and juries on development, and report on test (docs/reference/splits.md). A split stays.
    """
    split_dataset(dataset, **chosen)
    return {"dataset": dataset.name, **dataset.split}


def _described(result: dict[str, Any]) -> str:
    parts = " and ".join(f"{counted(result[part], 'context')} in {part}" for part in (DEVELOPMENT, TEST))
    return f"{result['dataset']}: {parts} (seed {result['seed']})"


SPLIT_DATASET = Operation(
    split,
    lambda result: [_described(result)],
    examples=("split_dataset SummEval", "split_dataset LLMBar --test-share 0.7 --seed 7 --json"),
    of="dataset",
    services=(split_dataset,),
)
