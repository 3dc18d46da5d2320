"""The table of all raters of an attribute: the same figures for people and judges."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import FigureOver
from rankings.agreement.agreement_row import RaterRow
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Row, Table

WITH_MAJORITY = "Agreement with the majority"
FIGURES_OF_RATERS = (
    Column(name="accuracy", title=WITH_MAJORITY, definition="agreement/#accuracy", reference=0.5),
    Column(
        name="mean_order_free_alpha",
        title="Mean alpha with people, order-free",
        kind="coefficient",
        definition="agreement/#mean_order_free_alpha",
    ),
    Column(name="p_first", title="P(first)", definition="agreement/#p_first", reference=0.5),
    Column(name="order_agreement", title="Order agreement", definition="agreement/#order_agreement"),
    Column(
        name="prefers_longer", title="Prefers the longer text", definition="agreement/#prefers_longer", reference=0.5
    ),
    Column(name="tie_rate", title="Ties", definition="agreement/#tie_rate"),
)
COUNTS_OF_RATERS = (
    Column(name="votes", title="Answers", kind="count"),
    Column(name="pairs", title="Pairs", kind="count"),
)
ACCURACY_NOTE = "The majority: of the votes of the other people. Human scores do not count here."


def raters_table(raters: Sequence[RaterRow]) -> Table:
    """Return the figures of all raters, by accuracy."""
    notes = [ACCURACY_NOTE] * any(rater.accuracy.value is not None for rater in raters)
    columns = (*COUNTS_OF_RATERS, *FIGURES_OF_RATERS)
    table = Table(("Rater", "Kind"), columns, tuple(map(_row, raters)), notes=tuple(notes))
    return sorted_table(table, Sort("accuracy"))


def _row(rater: RaterRow) -> Row:
    counts = (Figure(getattr(rater, column.name)) for column in COUNTS_OF_RATERS)
    of_column = {column.name: getattr(rater, column.name) for column in FIGURES_OF_RATERS}
    of_column["mean_order_free_alpha"] = FigureOver.people(rater.mean_order_free_alpha)
    remarks = (
        rater.method or "",
        rater.prompt or "",
        f"{rater.unparsed:,} unparsed" if rater.unparsed else "",
        f"{rater.errors:,} error{'s' if rater.errors > 1 else ''}" if rater.errors else "",
    )
    return Row(
        (rater.name, "person" if rater.kind == "human" else "judge"),
        (*counts, *of_column.values()),
        detail=" · ".join(filter(None, remarks)),
        href=reverse("run-results", args=[rater.run]) if rater.run else "",
    )
