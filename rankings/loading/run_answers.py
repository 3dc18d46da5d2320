"""Loads the comparisons or the scores of a run. Rows of the latest runs stay in memory between pages."""

from dataclasses import dataclass
from threading import Lock

import numpy as np
from cachetools import LRUCache, cached
from django.db.models import Case, FloatField, Q, When
from django.db.models.functions import Coalesce, Exp, Greatest

from evenhand.numerics import Comparisons
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts
from judging.models import Outcome, Run
from judging.models.comparisons import BOUNDED, P_FIRST_OF_CHOICE
from rankings.bulk_reading import Rows, number_rows
from rankings.loading.candidates import CandidateTable, at_candidates, columns_of, of_table
from rankings.record_states import State, state_read

OUTCOMES = (Outcome.ANSWERED, Outcome.UNPARSED, Outcome.ERROR)
COMPARISON = np.dtype([("first", np.int64), ("second", np.int64), ("answer", np.float64)])
BEFORE, MASS = "before", "mass"
BOUNDED_ANSWER = 2.0
"""Added to the p_first, 1 or 0, of a bounded comparison in the rows: only its decision is known."""
ANSWER = Case(
    When(p_first__isnull=False, then="p_first"),
    *(When(choice=choice, then=p_first) for choice, p_first in P_FIRST_OF_CHOICE.items()),
    *(When(outcome=outcome, then=-float(column)) for column, outcome in enumerate(OUTCOMES) if column),
    output_field=FloatField(),
)
"""In SQL, the p_first of a comparison with an answer; else minus the index of its outcome in OUTCOMES."""
ROW_ANSWER = Case(
    When(p_first__isnull=False, then="p_first"),
    *(When(BOUNDED, choice=choice, then=BOUNDED_ANSWER + P_FIRST_OF_CHOICE[choice]) for choice in ("first", "second")),
    default=ANSWER,
    output_field=FloatField(),
)
"""ANSWER, with BOUNDED_ANSWER added for bounded comparisons."""
BEFORE_THINKING = Coalesce("p_first_before", -1.0, output_field=FloatField())
"""In SQL, the p_first without thinking; -1 where it is not known."""
HAS_RAW = Q(raw_first__isnull=False) | Q(raw_second__isnull=False)
LABEL_MASS = Case(
    When(
        HAS_RAW,
        then=sum(
            Coalesce(Exp(Greatest(name, -700.0)), 0.0)  # PostgreSQL refuses e**-746
            for name in ("raw_first", "raw_second", "raw_tie")
        ),
    ),
    default=-1.0,
    output_field=FloatField(),
)
"""In SQL, the probability that fell on the label words; -1 where it is not known."""
BYTES_OF_ROWS = 64 << 20
"""Memory of each process for rows: 2.8 million comparisons."""
_KEPT: LRUCache[State, Rows] = LRUCache(BYTES_OF_ROWS, getsizeof=lambda rows: rows.nbytes)


def comparison_rows(run: Run) -> Rows:
    """Return the comparisons of a run, (n_rows,), read-only, in the order of their keys.

    The columns are those of COMPARISON, `before` for a run with answers without thinking, and `mass` for one with
    log-probabilities. Rows are kept in memory for later pages if this request has read the state of the run, by which
    they are found again.
    """
    state = state_read(run)
    return _rows_of(run) if state is None else _kept_rows(run, state)


def forget_rows() -> None:
    """Forget the rows kept in memory, as in a new process."""
    _kept_rows.cache_clear()


@cached(_KEPT, key=lambda run, state: state, lock=Lock())
def _kept_rows(run: Run, state: State) -> Rows:
    return _rows_of(run)


def _rows_of(run: Run) -> Rows:
    is_recorded = run.prompt_id is None  # perhaps with answers to the same questions without thinking
    thinks = run.thinking is not None or (is_recorded and run.comparisons.filter(p_first_before__isnull=False).exists())
    more: dict[str, Case | Coalesce] = {BEFORE: BEFORE_THINKING} if thinks else {}
    if run.comparisons.filter(HAS_RAW).exists():
        more[MASS] = LABEL_MASS
    row_type = np.dtype([*COMPARISON.descr, *((name, np.float64) for name in more)])
    rows = number_rows(run.comparisons.all(), row_type, "first", "second", ROW_ANSWER, *more.values())
    rows.flags.writeable = False
    return rows


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
