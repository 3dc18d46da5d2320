"""Which systems a judge prefers: their win rates."""

from __future__ import annotations

import numpy as np

from evenhand.numerics import Debiasing, Figure, Undefined, mean_of_both_orders
from evenhand.numerics.decisions import decide
from evenhand.numerics.preferences.win_rates import win_rates
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from rankings.agreement.raters import pairs_of
from rankings.record_states import states_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report_cache import cached

MOST_COMBINATIONS = 4_000_000  # contexts times systems: 64 MB for wins and comparisons
TOO_MANY = f"there are more than {MOST_COMBINATIONS:,} combinations of contexts and systems"


def system_win_rates(
    run: Run, *, debias: bool = False, average_orders: bool = False, exclusion: Exclusion = NOTHING_LEFT_OUT
) -> dict[str, Figure]:
    """Return system -> its win rate, or the reason why there is none; nothing for fewer than two systems.

    debias, average_orders, exclusion: as in `scores_of`. Raises Refused for an exclusion of unknown names.
    """
    sources = Sources.of_run(run, ReportChoice(exclusion=exclusion))
    key = ("win-rates", states_of([run])[run.pk], debias, average_orders, exclusion)
    rates: dict[str, Figure] = cached(key, lambda: _rates(sources, run, debias, average_orders))
    return rates


def _rates(sources: Sources, run: Run, debias: bool, average_orders: bool) -> dict[str, Figure]:
    table, answers = sources.table, sources.answers(run)
    names = list(dict.fromkeys(filter(None, table.systems)))
    if len(names) < 2:
        return {}
    if len(names) * table.n_contexts > MOST_COMBINATIONS:
        return dict.fromkeys(names, Figure.missing(TOO_MANY))
    numbers = {name: number for number, name in enumerate(names)}
    comparisons = pairs_of(table, answers)
    try:
        if average_orders:
            comparisons = mean_of_both_orders(comparisons)
        threshold = Debiasing.of_run(comparisons)
        decisions = threshold.decide(comparisons.p_first) if debias else decide(comparisons.p_first)
    except Undefined as undefined:
        return dict.fromkeys(names, Figure.missing(undefined.reason))
    systems = np.array([numbers.get(name, -1) for name in table.systems], dtype=np.intp)
    return dict(zip(names, win_rates(comparisons, decisions, systems), strict=True))
