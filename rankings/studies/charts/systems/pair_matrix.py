"""The mean p_first of every two systems by one run, or of the candidates of one context, in the order of a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evenhand.numerics import Debiasing, Undefined
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.reliability.pair_means import PairMeans
from evenhand.numerics.scores import rounded
from judging.models import Run
from rankings.diagnostics.calibration import NO_PROBABILITY
from rankings.loading import Answers, CandidateTable
from rankings.report.report_rows import Sources
from rankings.report.run_figures import score_or_why
from rankings.studies.charts.judged_answers import AnswersChoice
from rankings.studies.charts.systems.system_ranks import UNNAMED_SYSTEMS
from rankings.studies.measured_runs import cached_by_run

MOST_IN_MATRIX = 60
NAME_A_CONTEXT = "name a context to compare its candidates"
NO_HUMAN_SCORES = "people gave these texts no scores"
NOTHING_COMPARED = "no comparison of two of them has an answer"


@dataclass(frozen=True, slots=True)
class MatrixChoice:
    """The choices of a matrix. context: the key of one context, for its candidates; "" for systems over all contexts.

    ranking: orders rows and columns. by_people: people's scores order them instead.
    """

    answers: AnswersChoice
    ranking: str
    by_people: bool
    context: str


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrix:
    """The matrix of a run. names: of rows and columns, best first. ranks: theirs; None without a score.

    undefined: why there is no matrix, or "".
    """

    names: Sequence[str]
    ranks: Sequence[float | None]
    means: PairMeans
    undefined: str = ""

    @classmethod
    def missing(cls, reason: str) -> PairMatrix:
        """Return no matrix, with the reason."""
        return cls((), (), PairMeans(np.zeros((0, 0)), np.zeros((0, 0), dtype=np.intp)), reason)

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs with an answer."""
        return int((~np.isnan(self.means.preferences)).sum())

    @property
    def n_against(self) -> int:
        """Number of unordered pairs in which the lower row is preferred."""
        return int((rounded(self.means.preferences) > 0.5).sum())


def pair_matrices(runs: Sequence[Run], choice: MatrixChoice) -> dict[Run, PairMatrix]:
    """Return the matrix of each run, from the cache or computed."""
    key = (choice.answers.key, choice.ranking, choice.by_people, choice.context)
    return cached_by_run("pair-matrix", runs, choice.answers.answers, key, partial(_matrix, choice=choice))


def _matrix(sources: Sources, run: Run, choice: MatrixChoice) -> PairMatrix:
    own = sources.without(run.exclusion)
    try:
        return _defined_matrix(own, own.answers(run), run, choice)
    except Undefined as undefined:
        return PairMatrix.missing(undefined.reason)


def _defined_matrix(own: Sources, answers: Answers, run: Run, choice: MatrixChoice) -> PairMatrix:
    """Return the matrix of a run. Raises Undefined."""
    if answers.values is not None:
        raise Undefined(NO_PROBABILITY)
    names, numbers = _rows(own.table, choice.context)
    raw = answers.comparisons.of_contexts(_contexts(own.table, choice))
    debiasing = Debiasing.of_run(answers.comparisons) if choice.answers.debiased else None
    if choice.by_people:
        values = own.people(run.attribute).human.scores
    else:
        scores = score_or_why(choice.ranking, raw, debiasing)
        if isinstance(scores, str):
            raise Undefined(scores)
        values = scores.values
    comparisons = raw.with_p_first(debiasing.p_first(raw.p_first)) if debiasing else raw
    means = PairMeans.of(comparisons, numbers, n_systems=len(names))
    mean_scores = _mean_scores(values, numbers, len(names))
    compared = np.flatnonzero(means.counts.any(axis=0) | means.counts.any(axis=1))
    if np.isnan(means.preferences).all():
        raise Undefined(NOTHING_COMPARED)
    if choice.by_people and np.isnan(mean_scores[compared]).all():
        raise Undefined(NO_HUMAN_SCORES)
    return _in_order(names, mean_scores, means, compared)


def _in_order(names: Sequence[str], scores: FloatArray, means: PairMeans, chosen: IntArray) -> PairMatrix:
    """Return the matrix of the chosen rows, best first, those without a score last."""
    order = chosen[np.argsort(-scores[chosen], kind="stable")]  # NaN comes last
    ranked = scores[order]
    known = int((~np.isnan(ranked)).sum())
    ranks = [*average_ranks(-ranked[:known]).tolist(), *[None] * (len(order) - known)]
    return PairMatrix([names[at] for at in order], ranks, means.in_order(order))


def _rows(table: CandidateTable, context: str) -> tuple[list[str], IntArray]:
    """Return the names of the rows, and the row of each candidate, (n_candidates,); -1 for none. Raises Undefined."""
    labels: Sequence[str] = table.systems
    if context:
        if context not in table.context_keys:
            raise Undefined(f'the dataset has no context "{context}"')
        chosen = table.contexts == table.context_keys.index(context)
        labels = [key if is_chosen else "" for key, is_chosen in zip(table.keys, chosen, strict=True)]
    names = list(dict.fromkeys(filter(None, labels)))
    if len(names) < 2:
        raise Undefined("the context has one candidate" if context else f"{UNNAMED_SYSTEMS}; {NAME_A_CONTEXT}")
    if len(names) > MOST_IN_MATRIX:
        raise Undefined(f"there are {len(names)} rows, and a matrix has at most {MOST_IN_MATRIX}")
    number_of: Mapping[str, int] = {name: number for number, name in enumerate(names)}
    return names, np.array([number_of.get(label, -1) for label in labels], dtype=np.intp)


def _contexts(table: CandidateTable, choice: MatrixChoice) -> BoolArray:
    """Return True for the contexts that count, (n_contexts,)."""
    if choice.context:
        return np.array([key == choice.context for key in table.context_keys], dtype=bool)
    subsets = choice.answers.subsets
    return np.array([subsets is None or one in subsets for one in table.subsets], dtype=bool)


def _mean_scores(scores: FloatArray, numbers: IntArray, n_rows: int) -> FloatArray:
    """Return the mean score of each row's candidates, (n_rows,); NaN without one. scores: (n_candidates,)."""
    scored = ~np.isnan(scores) & (numbers >= 0)
    sizes = counts(numbers[scored], n_rows)
    means = sums(numbers[scored], scores[scored], n_rows) / np.maximum(sizes, 1)
    return np.where(sizes > 0, rounded(means), np.nan)
