"""Runs by context, for paired tests between the cells of a pivot table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import (
    RANKINGS,
    Comparisons,
    Debiasing,
    HumanScores,
    Judged,
    Scores,
    Undefined,
    decide,
)
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.correlation.correlations import matched_candidates, spearman_within_contexts
from evenhand.numerics.significance.paired_tests import ContextGaps, coefficient_gaps, ratio_gaps
from judging.models import Run
from rankings.agreement.raters import pairs_of, recorded_contexts
from rankings.record_states import states_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import judged_of, score_or_why, unanswered_pairs
from rankings.report_cache import cached
from rankings.studies.pivots.pivot_figures import FigureChoice, pivot_figure

Computed = TypeVar("Computed")
TESTED = ("accuracy", "accuracy_debiased", "spearman")
"""Figures whose differences between runs are tested."""


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """The comparisons of a run that count in its accuracy, and its correlations by context.

    keys: int, (n,). Both candidates, in the order shown. contexts: int, (n,). right, correct: float, (n,). The human
    preference, and the credit of the judge's decision; NaN without a preference.
    correlations: float, (n_contexts,). By the ranking of the figure; NaN where skipped, or for another figure.
    candidates: float, (n_contexts,). Number of those that are correlated.
    length_correlations: float, (n_contexts,). Likewise, with the length of a text as its score.
    subsets: str, (n_contexts,).
    """

    keys: IntArray
    contexts: IntArray
    right: FloatArray
    correct: FloatArray
    correlations: FloatArray
    candidates: FloatArray
    length_correlations: FloatArray
    subsets: NDArray[np.str_]

    def contexts_of(self, subsets: frozenset[str] | None) -> BoolArray:
        """Return True for the contexts of some subsets, (n_contexts,). None: all."""
        if subsets is None:
            return np.ones(len(self.subsets), dtype=bool)
        return np.isin(self.subsets, list(subsets))


def is_tested(figure: FigureChoice) -> bool:
    """Return True if differences of a figure are tested."""
    chosen = pivot_figure(figure)
    if not chosen.is_ranked:
        return chosen.name in TESTED
    return chosen.name in TESTED and figure.level == "per_context" and figure.ranking in RANKINGS


def measured_runs(runs: Sequence[Run], figure: FigureChoice, answers: ReportChoice) -> dict[int, MeasuredRun]:
    """Return run -> its measures, from the cache or computed."""
    key = (replace(answers, groups=()), figure)
    measured = cached_by_run("measured", runs, answers, key, partial(_measure, figure=figure))
    return {run.pk: one for run, one in measured.items()}


def cached_by_run(
    name: str,
    runs: Sequence[Run],
    answers: ReportChoice,
    key: tuple[object, ...],
    measure: Callable[[Sources, Run], Computed],
) -> dict[Run, Computed]:
    """Return run -> what is measured on its answers, from the cache or computed. name: of the figures.

    answers: those that count. key: all choices of the figures, without groups of subsets.
    """
    states, sources = states_of(runs), sources_of_runs(runs, answers)
    return {run: cached((name, states[run.pk], *key), partial(measure, sources[run.dataset_id], run)) for run in runs}


def sources_of_runs(runs: Sequence[Run], answers: ReportChoice) -> dict[int, Sources]:
    """Return dataset -> the sources of its answers that count, without groups of subsets."""
    datasets = {run.dataset_id: run.dataset for run in runs}
    return {pk: Sources(dataset, replace(answers, groups=())) for pk, dataset in datasets.items()}


def gaps_between(
    one: MeasuredRun, other: MeasuredRun, subsets: frozenset[str] | None, figure: FigureChoice
) -> ContextGaps | None:
    """Return the differences of two runs in each context, on the comparisons that both answered.

    Returns None if they answered other comparisons and the figure is a correlation, which would need other scores.
    """
    chosen = one.contexts_of(subsets)
    if pivot_figure(figure).is_ranked:
        same = np.array_equal(np.sort(one.keys), np.sort(other.keys))
        if not same:
            return None
        return coefficient_gaps(one.correlations[chosen], other.correlations[chosen], one.candidates[chosen])
    _, here, there = np.intersect1d(one.keys, other.keys, return_indices=True)
    counts = chosen[one.contexts[here]] & ~np.isnan(one.right[here])
    here, there = here[counts], there[counts]
    contexts, n = one.contexts[here], len(one.subsets)
    return ratio_gaps(
        sums(contexts, one.correct[here], n),
        sums(contexts, other.correct[there], n),
        sums(contexts, np.ones(len(here)), n),
    )


def _measure(sources: Sources, run: Run, figure: FigureChoice) -> MeasuredRun:
    own = sources.without(run.exclusion)
    table, people, answers = own.table, own.people(run.attribute), own.answers(run)
    answered = pairs_of(table, answers)
    wrong = unanswered_pairs(answers, table) if own.choice.unparsed == "wrong" else None
    judged = judged_of(answered, wrong, people)
    number_of = {key: number for number, key in enumerate(sources.table.context_keys)}
    numbers = np.array([number_of[key] for key in table.context_keys], dtype=np.intp)
    debiasing = Debiasing.of_run(answered) if figure.debiased and answers.values is None else None
    scores = Scores.of_values(answers.values) if answers.values is not None else _scores(answered, figure, debiasing)
    correlations, candidates, length_correlations = (np.full(len(number_of), np.nan) for _ in range(3))
    if scores is not None and pivot_figure(figure).is_ranked:
        correlations[numbers] = _correlations(scores, people.human, answered)
        candidates[numbers] = matched_candidates(scores, people.human, len(numbers))
        lengths = Scores.of_values(own.lengths.astype(np.float64))
        length_correlations[numbers] = _correlations(lengths, people.human, answered)
    pairs = judged.comparisons
    return MeasuredRun(
        keys=(table.ids[pairs.first].astype(np.int64) << 32) + table.ids[pairs.second],
        contexts=numbers[pairs.contexts],
        right=judged.right,
        correct=_credits(judged, debiasing),
        correlations=correlations,
        candidates=candidates,
        length_correlations=length_correlations,
        subsets=np.array(sources.table.subsets, dtype=np.str_),
    )


def _credits(judged: Judged, debiasing: Debiasing | None) -> FloatArray:
    """Return the credit of each decision, (n,): 1 if right, 1/2 for a tie, 0 if wrong."""
    decisions = decide(judged.comparisons.p_first)
    if debiasing is not None:
        try:
            decisions = judged.decisions(debiasing.decide(judged.answered.p_first))
        except Undefined:  # the figure of the run is undefined too, so no test reads its credits
            return np.full(len(decisions), np.nan)
    return 1 - np.abs(decisions - judged.right)


def _scores(answered: Comparisons, figure: FigureChoice, debiasing: Debiasing | None) -> Scores | None:
    """Return the scores of a ranking; None where they do not exist, or for a figure without a ranking."""
    if not pivot_figure(figure).is_ranked:
        return None
    scores = score_or_why(figure.ranking, answered, debiasing)
    return None if isinstance(scores, str) else scores


def _correlations(scores: Scores, human: HumanScores, answered: Comparisons) -> FloatArray:
    return spearman_within_contexts(scores, human, recorded_contexts(answered))
