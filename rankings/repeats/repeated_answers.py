"""The answers of repeats, or of the members of a jury, on the same ordered pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from evenhand.numerics import Comparisons, RatingTable, decide
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.refusals import Refused
from judging.models import Run
from judging.models.comparisons import choices_of_samples
from rankings.agreement.raters import pairs_of
from rankings.loading import CandidateTable
from rankings.report.report_rows import Sources


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedAnswers:
    """The ordered pairs that every repeat, or every member of a jury, answered.

    pairs: with the answers of the first repeat. p_first: float, (n_repeats, n_pairs).
    partly_answered: number of ordered pairs that only some repeats answered. They are left out.
    """

    pairs: Comparisons
    p_first: FloatArray
    partly_answered: int

    def __len__(self) -> int:
        return len(self.p_first)

    @property
    def repeats(self) -> list[Comparisons]:
        """Return the answers of each repeat."""
        return [self.pairs.with_p_first(answers) for answers in self.p_first]

    @property
    def decisions(self) -> RatingTable:
        """Return the decisions, with a row for each repeat and a unit for each ordered pair."""
        return RatingTable.of_values(decide(self.p_first), self.pairs.contexts)


def answers_of_repeats(sources: Sources, runs: Sequence[Run]) -> RepeatedAnswers:
    """Load the answers of runs that repeat each other. Raises Refused if all of them answered no pair."""
    exclusion = reduce(lambda one, other: one | other, (run.exclusion for run in runs))
    own = sources.without(exclusion)
    return common_answers([pairs_of(own.table, own.answers(run)) for run in runs])


def common_answers(repeats: Sequence[Comparisons]) -> RepeatedAnswers:
    """Select the ordered pairs that every repeat answered. Raises Refused if there is none."""
    keys = [one.first * one.n_candidates + one.second for one in repeats]
    common = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), keys)
    if not len(common):
        raise Refused(
            "run: no comparison was answered by all of these repeats; leave out those with the fewest answers"
        )
    places = [_places(own, common) for own in keys]
    p_first = np.stack([one.p_first[at] for one, at in zip(repeats, places, strict=True)])
    bounded = [one.bounded[at] for one, at in zip(repeats, places, strict=True) if one.bounded is not None]
    pairs = replace(repeats[0].select(places[0]), bounded=np.any(bounded, axis=0) if bounded else None)
    return RepeatedAnswers(pairs, p_first, len(np.unique(np.concatenate(keys))) - len(common))


def answers_of_samples(table: CandidateTable, run: Run) -> RepeatedAnswers:
    """Load the samples of a run as repeats: the answer to a pair in repeat k is its sample number k.

    Raises Refused if no pair has an answer in every sample.
    """
    rows = run.comparisons.exclude(text="").order_by("pk").values_list("first", "second", "text")
    drawn = [(first, second, choices_of_samples(text)) for first, second, text in rows]
    known = [row for row in drawn if table.has([row[0]], [row[1]])[0]]
    complete = [row for row in known if len(row[2]) == run.samples and None not in row[2]]
    if not complete:
        raise Refused(f"run: {run.pk} has no comparison whose samples all have an answer")
    choices = np.array([samples for _, _, samples in complete], dtype=np.float64).T
    first = table.numbers([pair[0] for pair in complete])
    second = table.numbers([pair[1] for pair in complete])
    pairs = Comparisons(len(table), first, second, choices[0], table.starts)
    return RepeatedAnswers(pairs, choices, len(known) - len(complete))


def _places(keys: IntArray, wanted: IntArray) -> IntArray:
    """Return the index of each wanted key. All of them occur."""
    order = np.argsort(keys)
    return np.asarray(order[np.searchsorted(keys, wanted, sorter=order)])
