"""The long form of comparisons of runs: one line per figure, with both runs of a difference."""

from collections.abc import Iterator
from typing import Any

from evenhand.numerics import Figure
from evenhand.report_json import as_json
from rankings.compare.comparison_of_runs import AllCompared, Difference, PairDifference, RunsCompared
from rankings.report.left_out import with_left_out
from rankings.report.long_lines import figure_lines, names_of
from rankings.tables.long_form import Line, LongForm

COMPARED_COLUMNS = ("other_run", "letters")
SIDE_FIGURES = ("accuracy", "p_first", "order_agreement")
BETWEEN_FIGURES = ("comparisons", "pairs", "contexts", "percent_agreement", "cohen_kappa", "mcnemar")
P_VALUES = ("p_value", "p_value_holm", "p_value_benjamini_hochberg")


def compared_long_form(report: RunsCompared | AllCompared) -> LongForm:
    """Return every figure of compared runs. A difference is `run` minus `other_run`; letters: groups of a run."""
    lines = _lines_of_all if isinstance(report, AllCompared) else _lines_of_two
    return with_left_out(LongForm(lambda: lines(report), COMPARED_COLUMNS), report.without)  # type: ignore[arg-type]  # by its type


def _lines_of_two(report: RunsCompared) -> Iterator[Line]:
    one, other = names_of(report.one.name), names_of(report.other.name)
    for names, side in ((one, report.one), (other, report.other)):
        document = as_json(side)
        yield from figure_lines({name: document[name] for name in SIDE_FIGURES}, names)
    both = {**one, "other_run": report.other.name.run}
    document = as_json(report)
    yield from figure_lines({name: document[name] for name in BETWEEN_FIGURES}, both)
    for row in report.differences:
        if row.ranking is not None:  # the accuracies of both runs are above
            yield _number(one, row.figure, row.ranking, row.one)
            yield _number(other, row.figure, row.ranking, row.other)
        yield from _difference_lines(both, row.figure, row)
        variant = ".".join(filter(None, (row.figure, row.ranking)))
        yield _figure(both, "noise_floor", variant, row.noise_floor)
    pooled = {row["ranking"]: {name: row[name] for name in row if name != "ranking"} for row in document["pooled"]}
    yield from figure_lines({"pooled": pooled}, both)


def _lines_of_all(report: AllCompared) -> Iterator[Line]:
    names = {run.name.run: names_of(run.name) for run in report.runs}
    for run in report.runs:
        yield _number(names[run.name.run], "comparisons", None, run.comparisons)
    for block in report.figures:
        for left_out in report.left_out:
            yield _figure(names_of(left_out.name), block.figure, None, Figure.missing(left_out.why))
        for row in block.runs:
            line = _figure(names[row.run], block.figure, row.ranking, row.figure)
            yield {**line, "letters": " ".join(row.letters) or None}
        for pair in block.pairs:
            yield from _difference_lines({**names[pair.one], "other_run": pair.other}, block.figure, pair)


def _difference_lines(names: Line, figure: str, row: Difference) -> Iterator[Line]:
    """Yield the difference and its p-values. variant: the figure, and the ranking of a correlation."""
    variant = ".".join(filter(None, (figure, row.ranking)))
    why = row.undefined if row.low is None else None
    difference = Figure(row.difference, row.low, row.high, row.contexts, why)
    yield _figure(names, "difference", variant, difference)
    yield _figure(names, "perm_both", variant, row.perm_both)
    for name in P_VALUES if isinstance(row, PairDifference) else P_VALUES[:2]:
        value = getattr(row, name)
        yield {**_number(names, name, variant, value), "undefined": row.undefined if value is None else None}


def _number(names: Line, figure: str, variant: str | None, value: float | None) -> Line:
    return {**names, "figure": figure, "variant": variant, "value": value}


def _figure(names: Line, figure: str, variant: str | None, one: Figure) -> Line:
    parts: dict[str, Any] = {name: getattr(one, name) for name in ("value", "low", "high", "n", "undefined")}
    return {**names, "figure": figure, "variant": variant, **parts}
