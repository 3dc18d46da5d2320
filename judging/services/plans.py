"""Which ordered pairs a run asks, drawn before the first answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from judging.exceptions import Refused
from judging.models import Candidate, Dataset
from rankings.numerics.selection import SELECTIONS, most_comparisons, select

SMALLEST_CHUNK = 100
LARGEST_CHUNK = 2_000

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Choice:
    """How the pairs of each context are chosen.

    budget: comparisons per context; None for every pair. A context with fewer pairs gives all it has.
    context_limit: only the first so many contexts of the dataset; None for all.
    """

    selection: str = "full"
    budget: int | None = None
    context_limit: int | None = None
    seed: int = 0


EVERY_PAIR = Choice()


@dataclass(frozen=True, slots=True)
class PlanSize:
    """What a run would ask: comparisons, of how many candidates of how many contexts with two or more."""

    contexts: int
    candidates: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered pairs (candidate ids) of each chunk."""

    chunks: tuple[tuple[Pair, ...], ...]

    @property
    def planned(self) -> int:
        return sum(map(len, self.chunks))

    @property
    def candidates(self) -> int:
        """How many candidates are in some pair."""
        return len({candidate for pairs in self.chunks for pair in pairs for candidate in pair})


@dataclass(frozen=True, slots=True)
class _Context:
    position: int
    candidates: tuple[int, ...]


def plan_size(dataset: Dataset, *, choice: Choice = EVERY_PAIR) -> PlanSize:
    """How much a run would ask. Raises Refused as `make_plan` does."""
    contexts = _contexts(dataset, choice)
    _require_possible(choice, contexts)
    comparable = [len(context.candidates) for context in contexts if len(context.candidates) > 1]
    comparisons = sum(_budget(choice, n) or most_comparisons("full", n) for n in comparable)
    return PlanSize(len(comparable), sum(comparable), comparisons)


def make_plan(dataset: Dataset, *, choice: Choice) -> Plan:
    """Draw the pairs; the same for the same dataset and choice. Raises Refused with every reason why it cannot be."""
    contexts = _contexts(dataset, choice)
    _require_possible(choice, contexts)
    return Plan(tuple(_chunks([_pairs(context, choice) for context in contexts])))


def _contexts(dataset: Dataset, choice: Choice) -> list[_Context]:
    """The contexts in order, each with its candidates in order; a context without candidates has nothing to show."""
    candidates = Candidate.objects.filter(context__dataset=dataset)
    if choice.context_limit is not None:
        candidates = candidates.filter(context__position__lt=choice.context_limit)
    rows = candidates.order_by("context__position", "position").values_list("context__position", "pk")
    return [_Context(place, tuple(pk for _, pk in group)) for place, group in groupby(rows, key=itemgetter(0))]


def _require_possible(choice: Choice, contexts: list[_Context]) -> None:
    problems = choice_problems(choice)
    largest = max((len(context.candidates) for context in contexts), default=0)
    if largest < 2 and not problems:
        problems = ["there is nothing to compare: no context has two candidates"]
    elif not problems and choice.budget is not None and choice.budget > most_comparisons(choice.selection, largest):
        most = most_comparisons(choice.selection, largest)
        problems = [
            f'comparisons: {choice.budget} — "{choice.selection}" can make at most {most} in the largest context '
            f"({largest} candidates)"
        ]
    if problems:
        raise Refused(*problems)


def choice_problems(choice: Choice) -> list[str]:
    """What is wrong with a choice whatever the dataset."""
    problems = []
    if choice.selection not in SELECTIONS:
        problems.append(f'selection: "{choice.selection}" is unknown; choose one of: {", ".join(SELECTIONS)}')
    elif choice.selection == "full" and choice.budget is not None:
        problems.append(
            f"comparisons: {choice.budget} — selection full asks every ordered pair; leave the number out or choose "
            f"another selection: {', '.join(SELECTIONS[1:])}"
        )
    elif choice.selection != "full" and choice.budget is None:
        problems.append(f"comparisons: missing — selection {choice.selection} needs a number per context")
    if choice.budget is not None and choice.budget < 1:
        problems.append(f"comparisons: {choice.budget} — give a whole number above 0")
    elif choice.selection == "symmetric" and choice.budget is not None and choice.budget % 2:
        problems.append(f"comparisons: {choice.budget} — symmetric asks both orders of each pair; give an even number")
    if choice.context_limit is not None and choice.context_limit < 1:
        problems.append(f"contexts: {choice.context_limit} — give a whole number above 0")
    if not 0 <= choice.seed < 2**63:
        problems.append(f"seed: {choice.seed} — give a whole number from 0 to {2**63 - 1}")
    return problems


def _budget(choice: Choice, n_candidates: int) -> int | None:
    """The comparisons of one context: as many as asked for, or as there are."""
    if choice.budget is None:
        return None
    return min(choice.budget, most_comparisons(choice.selection, n_candidates))


def _pairs(context: _Context, choice: Choice) -> list[Pair]:
    """The pairs of one context; none where it has one candidate. Sorted, so that prompts with one beginning meet."""
    n = len(context.candidates)
    if n < 2:
        return []
    rng = np.random.default_rng([choice.seed, context.position])
    chosen = select(choice.selection, n, _budget(choice, n), rng)
    places = sorted(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))
    return [(context.candidates[first], context.candidates[second]) for first, second in places]


def _chunks(contexts: list[list[Pair]]) -> Iterator[tuple[Pair, ...]]:
    """Small contexts together, large ones in parts: work of a few seconds up to a few minutes."""
    gathered: list[Pair] = []
    for pairs in contexts:
        gathered += pairs
        while len(gathered) > LARGEST_CHUNK:
            yield tuple(gathered[:LARGEST_CHUNK])
            gathered = gathered[LARGEST_CHUNK:]
        if len(gathered) >= SMALLEST_CHUNK:
            yield tuple(gathered)
            gathered = []
    if gathered:
        yield tuple(gathered)
