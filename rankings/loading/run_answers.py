"""Loads the comparisons or the scores of a run."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Comparisons
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts
from judging.models import Run
from rankings.loading.candidates import CandidateTable, at_candidates, columns_of, of_table
from rankings.loading.comparison_rows import BEFORE, BOUNDED_ANSWER, MASS, OUTCOMES, comparison_rows


@dataclass(frozen=True, slots=True)
class Answers:
    """The records of a run.

    comparisons: the answered ones; none for a run that gives scores.
    values: float, (n_candidates,). Scores, NaN where missing; None for a run that compares.
    outcomes: int, (n_contexts, 3). Numbers of answered, unparsed and error records of each context.
    held_out: bool, (n_comparisons,). True for the held-out comparisons of an adaptive run; None for any other run.
    unanswered: the unparsed and failed comparisons, with a p_first of 1/2; none for a run that gives scores.
    before_thinking: float, (n_comparisons,). p_first without thinking, NaN where it is not known; None for a run whose
        judge does not think.
    values_before: float, (n_candidates,). Scores without thinking, NaN where unknown; None as for before_thinking.
    label_mass: float, (n_comparisons,). Probability on the label words, NaN where unknown; None without any.
    unanswered_held_out: as held_out, for these. unscored: bool, (n_candidates,). True for unparsed and failed scores.
    """

    comparisons: Comparisons
    values: FloatArray | None
    outcomes: IntArray
    unanswered: Comparisons
    unscored: BoolArray
    held_out: BoolArray | None = None
    unanswered_held_out: BoolArray | None = None
    before_thinking: FloatArray | None = None
    values_before: FloatArray | None = None
    label_mass: FloatArray | None = None

    @property
    def recorded(self) -> BoolArray:
        """True for contexts with a record in the run, (n_contexts,)."""
        return np.asarray(self.outcomes.sum(axis=1) > 0)


def answers_of(table: CandidateTable, run: Run, *, in_given_order: bool = False) -> Answers:
    """Load the records of a run so far. A choice without p_first counts as p_first 1, 1/2 or 0.

    Comparisons of candidates with themselves are no answers here: `rankings/diagnostics/null_pairs.py` reads them.
    in_given_order: only comparisons whose first candidate stands before the second in the dataset.
    """
    return _score_answers(table, run) if run.is_scoring else _comparison_answers(table, run, in_given_order)


def _comparison_answers(table: CandidateTable, run: Run, in_given_order: bool) -> Answers:
    rows = comparison_rows(run)[: 0 if run.asks_null_pairs else None]
    if len(table.left_out):
        rows = rows[table.has(rows["first"], rows["second"])]
    if in_given_order:
        rows = rows[table.numbers(rows["first"]) < table.numbers(rows["second"])]
    first, second, answers = table.numbers(rows["first"]), table.numbers(rows["second"]), rows["answer"]
    answered = answers >= 0
    bounded = answers >= BOUNDED_ANSWER
    answers = answers - BOUNDED_ANSWER * bounded
    comparisons = Comparisons(
        *(len(table), first[answered], second[answered], answers[answered], table.starts),
        bounded[answered] if bounded.any() else None,
    )
    unanswered = Comparisons(
        len(table), first[~answered], second[~answered], np.full(np.count_nonzero(~answered), 0.5), table.starts
    )
    outcomes = np.where(answered, 0, -answers).astype(np.intp)
    is_adaptive = run.hold_out is not None
    names = rows.dtype.names or ()
    return Answers(
        comparisons,
        None,
        _outcomes_of_contexts(table, table.contexts[first], outcomes),
        unanswered,
        unscored=np.zeros(len(table), dtype=bool),
        held_out=_held_out(table, run, comparisons) if is_adaptive else None,
        unanswered_held_out=_held_out(table, run, unanswered) if is_adaptive else None,
        before_thinking=_before_thinking(run, rows[BEFORE][answered]) if BEFORE in names else None,
        label_mass=_known(rows[MASS][answered]) if MASS in names else None,
    )


def _before_thinking(run: Run, values: FloatArray) -> FloatArray | None:
    """Return p_first without thinking, NaN where unknown; None for a recorded run that has none."""
    known = _known(values)
    return known if run.thinking is not None or not np.isnan(known).all() else None


def _known(values: FloatArray) -> FloatArray:
    """Return the values, NaN where they are negative, which means unknown."""
    return np.where(values >= 0, values, np.nan)


def _held_out(table: CandidateTable, run: Run, comparisons: Comparisons) -> BoolArray:
    """Return True for comparisons of held-out pairs of an adaptive run, (n_comparisons,)."""
    first, second = np.array(list(run.held_out_pairs()), dtype=np.intp).reshape(-1, 2).T
    chosen = table.has(first, second)
    first, second = first[chosen], second[chosen]
    held_out = table.numbers(first) * len(table) + table.numbers(second)
    return np.isin(comparisons.first * len(table) + comparisons.second, held_out)


def _score_answers(table: CandidateTable, run: Run) -> Answers:
    rows = run.scores.order_by("pk").values_list("candidate", "outcome", "value", "value_before")
    candidates, outcomes, scores, scores_before = of_table(table, columns_of(rows, 4))
    members = table.numbers(candidates)
    values = at_candidates(table, members, np.array(scores, dtype=np.float64))
    columns = np.array([OUTCOMES.index(outcome) for outcome in outcomes], dtype=np.intp)
    no_comparisons = Comparisons(len(table), members[:0], members[:0], np.zeros(0), table.starts)
    unscored = np.zeros(len(table), dtype=bool)
    unscored[members] = np.isnan(values[members])
    of_contexts = _outcomes_of_contexts(table, table.contexts[members], columns)
    before = at_candidates(table, members, np.array(scores_before, dtype=np.float64))
    values_before = before if run.thinking is not None or not np.isnan(before).all() else None
    return Answers(no_comparisons, values, of_contexts, no_comparisons, unscored, values_before=values_before)


def _outcomes_of_contexts(table: CandidateTable, contexts: IntArray, outcomes: IntArray) -> IntArray:
    """Count the records of each context and outcome, (n_contexts, 3); outcomes: indices in OUTCOMES."""
    shape = (table.n_contexts, len(OUTCOMES))
    return counts(contexts * len(OUTCOMES) + outcomes, table.n_contexts * len(OUTCOMES)).reshape(shape)
