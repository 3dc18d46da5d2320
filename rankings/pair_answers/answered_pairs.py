"""`AnsweredPairs`: the pairs of a run, with the judge's answers in both orders and people's preference."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from django.db.models import F

from evenhand.numerics import Comparisons, decide, human_preferences
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from judging.models import Run
from judging.models.datasets import PART_FIELD
from rankings.bulk_reading import number_rows
from rankings.loading import ANSWER, CandidateTable, People
from rankings.record_states import states_of
from rankings.report.report_choice import SUBSET, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report_cache import cached

STORED_ANSWER = np.dtype([("id", np.int64), ("first", np.int64), ("second", np.int64), ("answer", np.float64)])
UNCERTAIN = 0.1
"""A pair is uncertain if the mean p_first of its orders is closer to 1/2 than this."""


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredPairs:
    """The pairs that a run asked about, in the dataset's order. Each has two candidates, A before B in the dataset.

    given, swapped: int, (n,). Ids of the comparisons that show A first and B first; 0 where not asked.
    p_given, p_swapped: float, (n,). p_first of each; NaN without an answer.
    preferred: float, (n,). 1 if people prefer A, 0 for B, NaN for neither.
    score_gap: float, (n,). Difference of the human scores, without sign; NaN if one is missing.
    length_gap: float, (n,). Characters of A minus those of B, as a share of the longer; NaN if both are empty.
    contexts: int, (n,). Index of each pair's context in `context_keys`.
    systems: int, (n, 2). Index of the systems of A and B in `system_names`; -1 for none.
    candidates: int, (n, 2). Index of the identifiers of A and B in `candidate_keys`.
    steering: bool, (n,). True if a text of the pair may steer a judge.
    parts: of each context, "development" or "test"; "" where the dataset is not split.
    """

    given: IntArray
    swapped: IntArray
    p_given: FloatArray
    p_swapped: FloatArray
    preferred: FloatArray
    score_gap: FloatArray
    length_gap: FloatArray
    contexts: IntArray
    systems: IntArray
    candidates: IntArray
    steering: BoolArray
    context_keys: Sequence[str]
    system_names: Sequence[str]
    candidate_keys: Sequence[str]
    parts: Sequence[str]

    def __len__(self) -> int:
        return len(self.given)

    @property
    def decisions(self) -> FloatArray:
        """Return the decisions in both orders, (2, n): 1 for A, 0 for B, 1/2 for a tie, NaN without an answer."""
        return np.stack([_decided(self.p_given), 1 - _decided(self.p_swapped)])

    @property
    def mean_p(self) -> FloatArray:
        """Return P(A is better), (n,): the mean of both orders, or the one that was answered; NaN without an answer."""
        both = 0.5 + (self.p_given - self.p_swapped) / 2
        one = np.where(np.isnan(self.p_given), 1 - self.p_swapped, self.p_given)
        return np.where(np.isnan(both), one, both)

    @property
    def is_wrong(self) -> BoolArray:
        """True if a decision is against people's preference in at least one order, (n,)."""
        return np.asarray((self.decisions == 1 - self.preferred).any(axis=0))

    @property
    def is_right(self) -> BoolArray:
        """True if every decision is that of people, (n,)."""
        agrees = self.decisions == self.preferred
        return np.asarray(agrees.any(axis=0) & (agrees | np.isnan(self.decisions)).all(axis=0))

    @property
    def orders_disagree(self) -> BoolArray:
        """True if both orders were answered, and their decisions differ, (n,)."""
        given, swapped = self.decisions
        return np.asarray((given != swapped) & ~np.isnan(given) & ~np.isnan(swapped))

    @property
    def prefers_longer(self) -> BoolArray:
        """True if the judge prefers the longer text, by the mean of both orders, (n,)."""
        return np.asarray((self.mean_p - 0.5) * self.length_gap > 0)

    @property
    def lacks_answer(self) -> BoolArray:
        """True if an order was asked and has no answer, (n,)."""
        unanswered = (self.given > 0) & np.isnan(self.p_given)
        return np.asarray(unanswered | ((self.swapped > 0) & np.isnan(self.p_swapped)))

    @property
    def order_effect(self) -> FloatArray:
        """Return how far P(A is better) moves with the order, (n,); NaN unless both orders were answered."""
        return np.abs(self.p_given + self.p_swapped - 1)

    @property
    def error(self) -> FloatArray:
        """Return how far P(A is better) is from people's preference, (n,), from 0 to 1; NaN where either is missing."""
        return np.abs(self.preferred - self.mean_p)


def answered_pairs(run: Run) -> AnsweredPairs:
    """Return the pairs of a run without what the run leaves out, from the cache or computed."""
    state, by_part = states_of([run])[run.pk], bool(run.dataset.split)
    pairs: AnsweredPairs = cached(("answered pairs", state, by_part), partial(_load, run))
    return pairs


def _load(run: Run) -> AnsweredPairs:
    sources = Sources.of_run(run, ReportChoice(subsets_by=PART_FIELD if run.dataset.split else SUBSET))
    table, people = sources.table, sources.people(run.attribute)
    rows = number_rows(run.comparisons.all(), STORED_ANSWER, F("pk") * 1, "first", "second", ANSWER)
    rows = rows[table.has(rows["first"], rows["second"])]
    first, second = table.numbers(rows["first"]), table.numbers(rows["second"])
    keys, pair = np.unique(np.minimum(first, second) * len(table) + np.maximum(first, second), return_inverse=True)
    lower, higher = np.divmod(keys, max(len(table), 1))
    columns: dict[str, Any] = {}
    for order, chosen in (("given", first < second), ("swapped", first > second)):
        ids, p = np.zeros(len(keys), dtype=np.int64), np.full(len(keys), np.nan)
        ids[pair[chosen]] = rows["id"][chosen]
        p[pair[chosen]] = np.where(rows["answer"] < 0, np.nan, rows["answer"])[chosen]
        columns |= {order: ids, f"p_{order}": p}
    systems = [name for name in dict.fromkeys(table.systems) if name]
    steering = sources.steering(run)
    candidate_keys, key_numbers = np.unique(np.array(table.keys, dtype=object), return_inverse=True)
    return AnsweredPairs(
        **columns,
        preferred=_preferred(table, people, lower, higher),
        score_gap=np.abs(people.human.scores[lower] - people.human.scores[higher]),
        length_gap=_length_gap(sources.lengths[lower], sources.lengths[higher]),
        contexts=table.contexts[lower],
        systems=np.stack([_numbers_of_systems(table, systems)[side] for side in (lower, higher)], axis=1),
        candidates=np.stack([key_numbers[lower], key_numbers[higher]], axis=1),
        steering=steering[lower] | steering[higher],
        context_keys=list(table.context_keys),
        system_names=systems,
        candidate_keys=candidate_keys.tolist(),
        parts=list(table.subsets) if run.dataset.split else [""] * table.n_contexts,
    )


def _preferred(table: CandidateTable, people: People, lower: IntArray, higher: IntArray) -> FloatArray:
    pairs = Comparisons(len(table), lower, higher, np.full(len(lower), 0.5), table.starts)
    return human_preferences(pairs, people.human.scores, people.votes)


def _length_gap(lower: IntArray, higher: IntArray) -> FloatArray:
    longer = np.maximum(lower, higher)
    return (lower - higher) / np.where(longer > 0, longer, np.nan)


def _numbers_of_systems(table: CandidateTable, systems: Sequence[str]) -> IntArray:
    number_of = {name: number for number, name in enumerate(systems)}
    return np.array([number_of.get(name, -1) for name in table.systems], dtype=np.intp)


def _decided(p_first: FloatArray) -> FloatArray:
    """Return decisions for the first candidate: 1, 0 or 1/2; NaN without an answer."""
    return np.where(np.isnan(p_first), np.nan, decide(np.nan_to_num(p_first, nan=0.5)))
