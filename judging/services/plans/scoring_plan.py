"""The candidates that a scoring run asks about: all of them, each alone."""

from __future__ import annotations

from dataclasses import dataclass

from judging.exceptions import Refused
from judging.models import Candidate, Dataset
from judging.services.plans.pair_plan import LARGEST_CHUNK, PlanSize
from judging.services.plans.selection_settings import SelectionSettings


@dataclass(frozen=True, slots=True)
class PlannedScoringChunk:
    """The candidate ids of one chunk, with the attributes of a PlannedChunk."""

    candidates: tuple[int, ...]
    held_out: tuple[()] = ()

    @property
    def pairs(self) -> tuple[tuple[int], ...]:
        return tuple((candidate,) for candidate in self.candidates)

    @property
    def planned(self) -> int:
        return len(self.candidates)


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """The chunks of a scoring run."""

    chunks: tuple[PlannedScoringChunk, ...]

    @property
    def planned(self) -> int:
        return sum(chunk.planned for chunk in self.chunks)

    @property
    def candidates(self) -> int:
        return self.planned


def scoring_problems(selection: SelectionSettings) -> list[str]:
    """Return the problems of selection settings for a scoring run, which has no pairs."""
    if selection.rule == "full":
        return []
    return [
        f"selection: {selection.rule} — this method scores every candidate alone, so there are no pairs to choose; "
        "leave it out"
    ]


def scoring_size(dataset: Dataset, *, selection: SelectionSettings) -> PlanSize:
    """Count what a scoring run would ask. Raises Refused if there is nothing to score."""
    rows = _load_candidates(dataset, selection)
    return PlanSize(contexts=len({context for _, context in rows}), candidates=len(rows), comparisons=len(rows))


def make_scoring_plan(dataset: Dataset, *, selection: SelectionSettings) -> ScoringPlan:
    """Put every candidate into a chunk, context by context. Raises Refused if there is nothing to score."""
    candidates = [candidate for candidate, _ in _load_candidates(dataset, selection)]
    starts = range(0, len(candidates), LARGEST_CHUNK)
    return ScoringPlan(tuple(PlannedScoringChunk(tuple(candidates[start : start + LARGEST_CHUNK])) for start in starts))


def _load_candidates(dataset: Dataset, selection: SelectionSettings) -> list[tuple[int, int]]:
    """Return (candidate id, context id) in the dataset's order."""
    candidates = Candidate.objects.filter(context__dataset=dataset)
    if selection.context_limit is not None:
        candidates = candidates.filter(context__position__lt=selection.context_limit)
    rows = list(candidates.order_by("context__position", "position").values_list("pk", "context"))
    if not rows:
        raise Refused("there is nothing to score: no context has a candidate")
    return rows
