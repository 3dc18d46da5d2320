"""The four figures at the top of the results of a run. Computes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.numerics import Figure
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.printed_numbers import coefficient, percent, ranking_title
from rankings.report.report_columns import COLUMNS
from rankings.report.report_row import ReportRow
from rankings.report.rows_of_one_run import SCORE
from rankings.report.trust_checks import few_contexts, weak_points
from rankings.tables.numbers_of_observations import few_observations

PERCENT_DIGITS, COEFFICIENT_DIGITS = 1, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineFigure:
    """One figure. value: "" if it is missing, with the reason. half: half the width of its interval.

    details: its interval, n, ranking or variant. warning: why a reader should doubt it, or "".
    """

    title: str
    definition: str
    value: str = ""
    half: str = ""
    details: Sequence[str] = ()
    warning: str = ""
    reason: str = ""


def headline_figures(row: ReportRow, ranking: str) -> list[HeadlineFigure]:
    """Return accuracy, P(first) raw and debiased, order agreement, and Spearman's correlation by a ranking.

    Where people gave no scores, as for pairs with a preference, accuracy in both orders stands for the correlation.
    """
    spearman = _spearman(row, ranking)
    has_stand_in = not spearman.value and row.accuracy_both_orders.value is not None
    weak, few = "; ".join(weak_points(row)), few_contexts(row)
    return [
        replace(_share("accuracy", row.accuracy), warning=weak),
        replace(_p_first(row.p_first, row.p_first_debiased), warning=weak),
        replace(_share("order_agreement", row.order_agreement), warning=few),
        replace(_share("accuracy_both_orders", row.accuracy_both_orders), warning=few) if has_stand_in else spearman,
    ]


def _share(name: str, figure: Figure) -> HeadlineFigure:
    one = HeadlineFigure(title=FIGURES[name].title, definition=f"report/#{name}")
    if figure.value is None:
        return replace(one, reason=figure.undefined or "")
    in_percent = _scaled(figure, 100)
    details = [*_interval(in_percent, PERCENT_DIGITS), *([] if figure.n is None else [f"n = {figure.n:,}"])]
    return replace(one, value=percent(figure.value), half=_half(in_percent, PERCENT_DIGITS), details=details)


def _p_first(raw: Figure, debiased: Figure) -> HeadlineFigure:
    """Return P(first) raw and debiased; only raw where there is no threshold."""
    one = _share("p_first", raw)
    if raw.value is None or debiased.value is None:
        return one
    value = f"{percent(raw.value)} → {percent(debiased.value)}"
    interval = [f"{text}, raw" for text in _interval(_scaled(raw, 100), PERCENT_DIGITS)]
    details = ["raw → debiased", *interval, *one.details[-1:]]
    return replace(one, value=value, half="", details=details)


def _spearman(row: ReportRow, ranking: str) -> HeadlineFigure:
    """Return the mean correlation over contexts, raw. A scoring run has its own scores instead of a ranking."""
    figure = COLUMNS["spearman"].figure(row, ranking, "per_context") or Figure.missing("")
    name = variant_title(SCORE if SCORE in row.spearman else ranking)
    one = HeadlineFigure(title="Spearman", definition="report/#spearman", details=[name])
    if figure.value is None:
        return replace(one, reason=figure.undefined or "")
    contexts = f"mean of {figure.n:,} context{'' if figure.n == 1 else 's'}"
    return replace(
        one,
        value=coefficient(figure.value),
        half=_half(figure, COEFFICIENT_DIGITS),
        details=[name, contexts, *_interval(figure, COEFFICIENT_DIGITS)],
        warning=few_observations(figure.n, "context"),
    )


def variant_title(ranking: str) -> str:
    """Return the ranking and the variant of a raw figure: "Bradley-Terry, raw". Scoring runs have their own scores."""
    return "own scores" if ranking == SCORE else f"{ranking_title(ranking)}, raw"


def _scaled(figure: Figure, scale: float) -> Figure:
    """Return the interval of a figure in another unit."""
    if figure.low is None or figure.high is None:
        return figure
    return Figure(figure.value, scale * figure.low, scale * figure.high)


def _half(figure: Figure, digits: int) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"±{(figure.high - figure.low) / 2:.{digits}f}"


def _interval(figure: Figure, digits: int) -> list[str]:
    if figure.low is None or figure.high is None:
        return []
    return [f"95\u202f% CI {coefficient(figure.low, digits)} to {coefficient(figure.high, digits)}"]
