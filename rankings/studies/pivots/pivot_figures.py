"""`PIVOT_FIGURES`: the figures of a report that the cells of a pivot table can show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES, Figure
from evenhand.numerics.correlation.coefficients import LEVELS, Level
from evenhand.refusals import Refused, did_you_mean
from rankings.report.figures.figure_basis import FigureDefinition
from rankings.report.figures.figure_definitions import IN_ORDER
from rankings.report.report_columns import CORRELATIONS, SHARES_OF_PAIRS, correlation_at
from rankings.report.report_row import ReportRow
from rankings.tables.table import Kind

ABSENT = {
    "accuracy_macro": "the mean over subsets exists for all contexts and for groups, not for one subset",
    "thinking_shift": "the judge does not think before it answers",
    "thinking_flips": "the judge does not think before it answers, or it scores candidates one by one",
}
"""figure -> why a report row may lack it."""


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """A figure, and where it is a correlation its ranking and level. debiased: without position bias."""

    name: str = "accuracy"
    ranking: str = DEFAULT_RANKING
    level: Level = "per_context"
    debiased: bool = False


USUAL_FIGURE = FigureChoice()


@dataclass(frozen=True, slots=True, kw_only=True)
class PivotFigure:
    """A figure of report rows.

    debiased: the name of its debiased form, which may be itself; "" if there is none.
    is_ranked: it depends on a ranking and a level. compute: None where the row lacks the figure.
    """

    name: str
    title: str
    kind: Kind
    higher_is_better: bool = False
    debiased: str = ""
    is_ranked: bool = False
    compute: Callable[[ReportRow, FigureChoice], Figure | None]


def figure_of(row: ReportRow, choice: FigureChoice) -> Figure:
    """Return the chosen figure of a report row; an undefined one with its reason where the row lacks it."""
    figure = pivot_figure(choice).compute(row, choice)
    return figure or Figure.missing(ABSENT.get(choice.name, "the report has no such figure"))


def pivot_figure(choice: FigureChoice) -> PivotFigure:
    """Return the chosen figure, in its debiased form where that is chosen."""
    figure = PIVOT_FIGURES[choice.name]
    return PIVOT_FIGURES[figure.debiased] if choice.debiased else figure


def require_figure(choice: FigureChoice) -> None:
    """Raise Refused for an unknown figure, ranking or level, and for a figure that has no debiased form."""
    known: dict[str, list[str]] = {"figure": [*PIVOT_FIGURES], "ranking": [*RANKING_TITLES], "level": [*LEVELS]}
    chosen: dict[str, str] = {"figure": choice.name, "ranking": choice.ranking, "level": choice.level}
    problems = [
        f'{kind}: there is no "{name}"{did_you_mean(name, known[kind])}; there are: {", ".join(known[kind])}'
        for kind, name in chosen.items()
        if name not in known[kind]
    ]
    if not problems and choice.debiased and not PIVOT_FIGURES[choice.name].debiased:
        debiased = ", ".join(name for name, figure in PIVOT_FIGURES.items() if figure.debiased)
        problems = [f'debias: "{choice.name}" has no debiased form; these have one: {debiased}']
    if problems:
        raise Refused(*problems)


def _of_definition(definition: FigureDefinition) -> PivotFigure:
    names = [one.name for one in IN_ORDER]
    itself = definition.name if definition.name.endswith("_debiased") else f"{definition.name}_debiased"
    return PivotFigure(
        name=definition.name,
        title=definition.title,
        kind="share" if definition.is_share else "coefficient",
        higher_is_better=definition.higher_is_better,
        debiased=itself if itself in names else "",
        compute=lambda row, choice: row.value_of(definition),
    )


def _of_correlation(name: str, title: str) -> PivotFigure:
    return PivotFigure(
        name=name,
        title=title,
        kind="share" if name in SHARES_OF_PAIRS else "coefficient",
        higher_is_better=True,
        debiased=name,
        is_ranked=True,
        compute=lambda row, choice: correlation_at(getattr(row, name), choice.ranking, choice.level, choice.debiased),
    )


def _of_count(name: str, title: str) -> PivotFigure:
    def compute(row: ReportRow, choice: FigureChoice) -> Figure:
        return Figure(getattr(row.counts, name))

    return PivotFigure(name=name, title=title, kind="count", compute=compute)


_EVERY = (
    *map(_of_definition, IN_ORDER),
    *(_of_correlation(name, title) for name, title in CORRELATIONS.items()),
    PivotFigure(
        name="length_preference",
        title="Preference for the longer text",
        kind="share",
        compute=lambda row, choice: row.length_preference.share,
    ),
    PivotFigure(
        name="self_preference",
        title="Preference for the own family",
        kind="share",
        compute=lambda row, choice: row.self_preference.share,
    ),
    _of_count("comparisons", "Answers"),
    _of_count("unparsed", "Unparsed"),
    _of_count("errors", "Errors"),
    PivotFigure(name="n", title="n", kind="count", compute=lambda row, choice: Figure(row.accuracy.n)),
)
PIVOT_FIGURES: Mapping[str, PivotFigure] = MappingProxyType({figure.name: figure for figure in _EVERY})
"""name -> figure, in the order of menus. `n` is the number of comparisons in the accuracy."""
