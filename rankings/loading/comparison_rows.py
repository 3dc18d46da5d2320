"""Loads the comparisons of a run as rows of numbers. The rows of the latest runs stay in memory between pages."""

from threading import Lock

import numpy as np
from cachetools import LRUCache, cached
from django.db.models import Case, FloatField, Q, When
from django.db.models.functions import Coalesce, Exp, Greatest

from judging.models import Outcome, Run
from judging.models.comparisons import BOUNDED, P_FIRST_OF_CHOICE
from rankings.bulk_reading import Rows, number_rows
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
