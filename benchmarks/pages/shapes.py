"""Shapes of made datasets, and the rows that they store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evenhand.formats import ComparisonRecord, DatasetRecord, VoteRecord
    from judging.models import Dataset, Study

SEED = 0
ATTRIBUTE = "overall"
UNPARSED_SHARE = 0.01
LLMBAR_SUBSETS = {"Natural": 100, "Neighbor": 134, "GPTInst": 92, "GPTOut": 47, "Manual": 46}


@dataclass(frozen=True)
class Shape:
    """The size of a dataset and of its runs. Every run asks all ordered pairs.

    subsets: name -> its number of contexts; "" for contexts without a subset.
    hard: runs give choices, and some unparsed answers; else probabilities.
    has_systems: the candidates of a context come from named systems.
    has_votes: one person chose the better of each two candidates, as in LLMBar; else people scored each candidate.
    """

    name: str
    subsets: dict[str, int]
    candidates: int
    runs: int
    hard: bool = False
    has_systems: bool = True
    has_votes: bool = False

    @property
    def contexts(self) -> int:
        return sum(self.subsets.values())

    @property
    def comparisons(self) -> int:
        """The number of comparisons of all runs."""
        return self.runs * self.contexts * self.candidates * (self.candidates - 1)


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("summaries", {"": 100}, candidates=16, runs=9),
        Shape("verdicts", LLMBAR_SUBSETS, candidates=2, runs=58, hard=True, has_systems=False, has_votes=True),
        Shape("pairs", {"": 20_000}, candidates=2, runs=3),
        Shape("pairs-100000", {"": 100_000}, candidates=2, runs=3),
        Shape("million", {"": 417}, candidates=16, runs=10),
        Shape("answers", {"": 4_167}, candidates=16, runs=1),
    )
}


def stored(shape: Shape) -> Dataset:
    """Return the dataset of a shape with its runs; an earlier call's in the same database is used again."""
    from judging.models import Dataset
    from judging.services.datasets.dataset_import import import_dataset
    from judging.services.datasets.recorded.answer_rows import COMPARISONS
    from judging.services.datasets.recorded.recorded_runs import import_judgments

    name = f"benchmark {shape.name}"
    earlier = Dataset.objects.filter(name=name).first()
    if earlier is not None:
        return earlier
    dataset = import_dataset(_dataset(shape), name=name, sha256="0" * 64)
    for number in range(shape.runs):
        import_judgments(COMPARISONS, list(_answers(shape, number)), dataset=dataset, judge_name=f"{name} {number}")
    return dataset


def study_of(dataset: Dataset) -> Study:
    """Return the study of all runs of a dataset; an earlier call's in the same database is used again."""
    from judging.models import Study
    from judging.services.studies.study_changes import add_runs, create_study

    earlier = Study.objects.filter(name=dataset.name).first()
    if earlier is not None:
        return earlier
    study = create_study(dataset.name)
    add_runs(study, dataset.runs.order_by("pk"))
    return study


def _human_scores(shape: Shape) -> np.ndarray:
    """Return scores from 1 to 5 in thirds, (contexts, candidates)."""
    rng = np.random.default_rng(SEED)
    return rng.integers(3, 16, (shape.contexts, shape.candidates)) / 3


def _dataset(shape: Shape) -> DatasetRecord:
    from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord

    rng = np.random.default_rng(SEED)
    subsets = [name for name, n in shape.subsets.items() for _ in range(n)]
    contexts = tuple(
        ContextRecord(
            f"c{context}",
            "An article.",
            subset=subset,
            candidates=tuple(
                CandidateRecord(
                    f"M{number}",
                    "A word. " * words,
                    f"M{number}" if shape.has_systems else "",
                    scores={} if shape.has_votes else {ATTRIBUTE: float(score)},
                )
                for number, (score, words) in enumerate(zip(scores, rng.integers(1, 30, len(scores)), strict=True))
            ),
            votes=_votes(scores) if shape.has_votes else (),
        )
        for context, (subset, scores) in enumerate(zip(subsets, _human_scores(shape), strict=True))
    )
    return DatasetRecord(attributes=(AttributeRecord(ATTRIBUTE),), contexts=contexts)


def _votes(scores: np.ndarray) -> tuple[VoteRecord, ...]:
    """Return a vote for the better candidate of each pair of a context; equal ones have no vote."""
    from evenhand.formats import VoteRecord

    return tuple(
        VoteRecord(
            ATTRIBUTE, f"M{first}", f"M{second}", "first" if scores[first] > scores[second] else "second", "author"
        )
        for first, second in combinations(range(len(scores)), 2)
        if scores[first] != scores[second]
    )


def _answers(shape: Shape, number: int) -> Iterator[ComparisonRecord]:
    """Yield answers of a judge that follows the human scores, with noise and a preference for the first candidate."""
    from evenhand.formats import ComparisonRecord

    rng = np.random.default_rng(SEED + 1 + number)
    for context, scores in enumerate(_human_scores(shape)):
        for first, second in permutations(range(shape.candidates), 2):
            logit = 0.8 * (scores[first] - scores[second]) + 0.4 + rng.normal()
            answer = _choice(logit, rng) if shape.hard else {"p_first": float(1 / (1 + np.exp(-logit)))}
            yield ComparisonRecord("", 0, f"c{context}", ATTRIBUTE, f"M{first}", f"M{second}", **answer)


def _choice(logit: float, rng: np.random.Generator) -> dict[str, str]:
    if rng.random() < UNPARSED_SHARE:
        return {"choice": "unparsed", "text": "?"}
    return {"choice": "first" if logit > 0 else "second"}
