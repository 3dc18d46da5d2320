"""The tab of P by order: each pair asked in one order against the other."""

from __future__ import annotations

from rankings.studies.charts.bias.order_pairs_of_runs import (
    ORDER_NOTE,
    lean_size,
    order_charts,
    order_columns,
    order_sentence,
    orders_of_runs,
)
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
from rankings.studies.charts.panels import MOST_PANELS, titles_of_runs
from rankings.studies.charts.run_table import table_of_runs


def order_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw P by order, the runs that depend most on the order first."""
    runs, labels = chosen.runs, chosen.labels
    orders = orders_of_runs(runs, labels, chosen.answers(debiased=debias))
    by_size = sorted((one for one in orders if one.is_drawn), key=lambda one: -lean_size(one))
    drawn, titles = by_size[:MOST_PANELS], titles_of_runs(runs, labels)
    reasons = dict.fromkeys(one.own.lean.undefined or "no value" for one in orders if not one.is_drawn)
    notes = [ORDER_NOTE]
    if len(by_size) > len(drawn):
        notes.append(f"The {len(drawn)} runs with the largest lean are drawn, of {len(by_size)}; the table has all.")
    return ChartTab(
        name="order",
        title=f"P by order, {'debiased' if debias else 'raw'}",
        definition="studies/#by-order",
        sentence=order_sentence(orders),
        charts=named_charts([titles[one.run.pk] if len(by_size) > 1 else "" for one in drawn], order_charts(drawn)),
        table=table_of_runs(order_columns(), runs, labels, {one.run.pk: one.figures for one in orders}, people={}),
        usual_sort="lean",
        empty="" if drawn else "; ".join(reasons),
        notes=notes if drawn else [],
    )
