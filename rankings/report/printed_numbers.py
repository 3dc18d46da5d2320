"""Numbers and rankings as pages print them. Pages round; stored and downloaded figures keep full precision."""

from evenhand.numerics import CURVE_TITLES, RANKING_TITLES, Figure, rankings_with_chosen_pairs
from evenhand.numerics.figure import defined
from judging.templatetags.numbers import decimals
from rankings.report.report_row import Coefficient
from rankings.tables.table import SMALLEST_P

NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
coefficient = decimals


def percent(share: float) -> str:
    """Write 0.7123 as "71.2 %"."""
    return f"{100 * share:.1f}{NARROW_SPACE}%"


def interval(figure: Figure | Coefficient) -> str:
    """Write the ends of an interval as "66.7 to 75.4 %"."""
    return f"{100 * defined(figure.low):.1f} to {percent(defined(figure.high))}"


def points(difference: float) -> str:
    """Write -0.0213 as "−2.1 points"."""
    return f"{coefficient(100 * difference, 1)} points"


def points_interval(low: float | None, high: float | None) -> str:
    """Write the ends of an interval as "−0.4 to 4.6 points"."""
    return f"{coefficient(100 * defined(low), 1)} to {points(defined(high))}"


def p_value(p: float) -> str:
    """Write 0.0213 as "p = 0.021", and values below a thousandth as "p < 0.001"."""
    return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.3f}"


def ranking_title(ranking: str) -> str:
    """Return the title of a ranking on pages. Commands, the HTTP API and files use the name itself."""
    return CURVE_TITLES.get(ranking) or RANKING_TITLES.get(ranking, ranking)


def distortion_sentence() -> str:
    """Warn of the rankings that an adaptive choice of pairs distorts, and name those to prefer."""
    distorted = " and ".join(ranking.title for ranking in rankings_with_chosen_pairs("distorted"))
    sound = "; ".join(ranking.title for ranking in rankings_with_chosen_pairs("sound"))
    return (
        "This run chose its pairs by its own answers, so texts that win were compared mostly with others that win. "
        f"That distorts {distorted}, which ignore who the opponents were; prefer {sound}."
    )
