"""Which ordered pairs a run asks: drawn before the first answer, but for the later rounds of an adaptive choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from judging.exceptions import Refused
from judging.models import Candidate, Dataset
from judging.services.plans.adaptive_pairs import (
    ROUND_PER_CANDIDATE,
    Room,
    draw_held_out,
    held_out_numbers,
    next_pairs,
)
from judging.services.plans.pair_selection import EVERY_PAIR, Choice, choice_problems
from rankings.numerics.selection.pair_selection import most_comparisons, select

SMALLEST_CHUNK = 100
LARGEST_CHUNK = 2_000

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlanSize:
    """What a run would ask: comparisons, of how many candidates of how many contexts with two or more.

    Of a scoring run, comparisons are the scores, and every context counts.
    held_out: how many of the comparisons an adaptive choice draws at random.
    """

    contexts: int
    candidates: int
    comparisons: int
    held_out: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """The work of one chunk: ordered pairs (candidate ids).

    planned: comparisons; more than there are pairs where later rounds add to them.
    held_out: those of the pairs that are drawn at random beside an adaptive choice.
    """

    pairs: tuple[Pair, ...]
    planned: int
    held_out: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run asks, part by part."""

    parts: tuple[Part, ...]

    @property
    def planned(self) -> int:
        return sum(part.planned for part in self.parts)

    @property
    def candidates(self) -> int:
        """How many candidates are in some pair. Later rounds bring no new ones: the first connects all it can."""
        return len({candidate for part in self.parts for pair in part.pairs for candidate in pair})


@dataclass(frozen=True, slots=True)
class _Context:
    position: int
    candidates: tuple[int, ...]

    def pairs(self, places: Iterable[tuple[int, int]]) -> list[Pair]:
        """Pairs of places as candidate ids; sorted, so that prompts with one beginning meet."""
        return [(self.candidates[first], self.candidates[second]) for first, second in sorted(places)]


def plan_size(dataset: Dataset, *, choice: Choice = EVERY_PAIR) -> PlanSize:
    """How much a run would ask. Raises Refused as `make_plan` does."""
    contexts = _contexts(dataset, choice)
    _require_possible(choice, contexts)
    rooms = [_room(context, choice) for context in _comparable(contexts)]
    return PlanSize(
        contexts=len(rooms),
        candidates=sum(room.n_candidates for room in rooms),
        comparisons=sum(room.budget for room in rooms),
        held_out=2 * sum(held_out_numbers(rooms, share=choice.held_out_share)),
    )


def make_plan(dataset: Dataset, *, choice: Choice) -> Plan:
    """Draw the pairs; the same for the same dataset and choice. Raises Refused with every reason why it cannot be."""
    contexts = _contexts(dataset, choice)
    _require_possible(choice, contexts)
    comparable = _comparable(contexts)
    if choice.is_adaptive:
        return Plan(tuple(_whole_contexts(_first_rounds(comparable, choice))))
    chunks = _chunks([_pairs(context, choice) for context in comparable])
    return Plan(tuple(Part(pairs, len(pairs)) for pairs in chunks))


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


def _comparable(contexts: Iterable[_Context]) -> list[_Context]:
    """The contexts with something to compare."""
    return [context for context in contexts if len(context.candidates) > 1]


def _room(context: _Context, choice: Choice) -> Room:
    """The comparisons of one context: as many as asked for, or as there are."""
    n = len(context.candidates)
    most = most_comparisons(choice.selection, n)
    return Room(n, most if choice.budget is None else min(choice.budget, most))


def _pairs(context: _Context, choice: Choice) -> list[Pair]:
    """The pairs of one context."""
    n = len(context.candidates)
    budget = None if choice.budget is None else _room(context, choice).budget
    chosen = select(choice.selection, n, budget, np.random.default_rng([choice.seed, context.position]))
    return context.pairs(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))


def _first_rounds(contexts: Sequence[_Context], choice: Choice) -> Iterator[Part]:
    """Of each context, the pairs held out and those of the first round, which rest on no answer."""
    rooms = [_room(context, choice) for context in contexts]
    numbers = held_out_numbers(rooms, share=choice.held_out_share)
    for context, room, number in zip(contexts, rooms, numbers, strict=True):
        seed = (choice.seed, context.position)
        held_out = draw_held_out(room.n_candidates, number, seed=seed)
        size = ROUND_PER_CANDIDATE * room.n_candidates
        first = next_pairs(room, held_out=held_out, drawn=(), p_first={}, round_size=size, seed=seed)
        yield Part(tuple(context.pairs([*held_out, *first])), room.budget, tuple(context.pairs(held_out)))


def _whole_contexts(parts: Iterable[Part]) -> Iterator[Part]:
    """Small contexts together; none in two parts, as the rounds of a context follow each other."""
    gathered = Part((), 0)
    for part in parts:
        gathered = Part(gathered.pairs + part.pairs, gathered.planned + part.planned, gathered.held_out + part.held_out)
        if len(gathered.pairs) >= SMALLEST_CHUNK:
            yield gathered
            gathered = Part((), 0)
    if gathered.pairs:
        yield gathered


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
