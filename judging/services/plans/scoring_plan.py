"""Which candidates a scoring run asks about: every one, each alone."""

from __future__ import annotations

from dataclasses import dataclass

from judging.exceptions import Refused
from judging.models import Candidate, Dataset
from judging.services.plans.pair_plan import LARGEST_CHUNK, PlanSize
from judging.services.plans.pair_selection import Choice


@dataclass(frozen=True, slots=True)
class ScoringPart:
    """The work of one chunk: candidates (ids), and the same as a chunk has them."""

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
    """What a scoring run asks, part by part."""

    parts: tuple[ScoringPart, ...]

    @property
    def planned(self) -> int:
        return sum(part.planned for part in self.parts)

    @property
    def candidates(self) -> int:
        return self.planned


def scoring_problems(choice: Choice) -> list[str]:
    """What of a choice of pairs makes no sense where there are no pairs."""
    if choice.selection == "full":
        return []
    return [
        f"selection: {choice.selection} — this method asks about every candidate alone; there are no pairs to choose, "
        "leave it out"
    ]


def scoring_size(dataset: Dataset, *, choice: Choice) -> PlanSize:
    """How much a scoring run would ask. Raises Refused where there is nothing to ask."""
    rows = _candidates(dataset, choice)
    return PlanSize(contexts=len({context for _, context in rows}), candidates=len(rows), comparisons=len(rows))


def make_scoring_plan(dataset: Dataset, *, choice: Choice) -> ScoringPlan:
    """Every candidate, context by context. Raises Refused where there is none."""
    asked = [candidate for candidate, _ in _candidates(dataset, choice)]
    starts = range(0, len(asked), LARGEST_CHUNK)
    return ScoringPlan(tuple(ScoringPart(tuple(asked[start : start + LARGEST_CHUNK])) for start in starts))


def _candidates(dataset: Dataset, choice: Choice) -> list[tuple[int, int]]:
    """Each candidate and its context, in order."""
    candidates = Candidate.objects.filter(context__dataset=dataset)
    if choice.context_limit is not None:
        candidates = candidates.filter(context__position__lt=choice.context_limit)
    rows = list(candidates.order_by("context__position", "position").values_list("pk", "context"))
    if not rows:
        raise Refused("there is nothing to score: no context has a candidate")
    return rows
