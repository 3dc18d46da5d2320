"""`COLUMNS`: every column that a table of a report may have."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evenhand.numerics import Figure
from evenhand.numerics.correlation.coefficients import Level
from evenhand.report_json import shapes_of
from rankings.report.figures.figure_basis import FigureDefinition
from rankings.report.figures.figure_definitions import FIGURES, IN_ORDER
from rankings.report.report_row import AccuraciesWithTies, Correlations, ReportRow, SoftPairwiseAccuracies
from rankings.tables.table import Column

NAMES: Mapping[str, Callable[[ReportRow], str | int]] = MappingProxyType(
    {
        "run": lambda row: row.name.run,
        "judge": lambda row: row.name.judge,
        "method": lambda row: row.name.method,
        "prompt": lambda row: row.name.prompt,
        "attribute": lambda row: row.name.attribute,
        "subset": lambda row: row.subset,
    }
)
"""name of a column -> its text in a row."""
SETTINGS: Mapping[str, Callable[[ReportRow], str]] = MappingProxyType(
    {
        "order": lambda row: row.order or "",
        "unparsed_as": lambda row: row.unparsed_as or "",
        "subsets_by": lambda row: row.subsets_by or "",
    }
)
"""column -> the choice of answers. Tables have it wherever the choice is not the usual one."""
CORRELATIONS = {
    "spearman": "Spearman",
    "kendall": "Kendall",
    "pearson": "Pearson",
    "kendall_c": "Kendall’s tau-c",
    "accuracy_with_ties": "Accuracy with ties",
    "soft_pairwise_accuracy": "Soft pairwise accuracy",
}
SHARES_OF_PAIRS = ("accuracy_with_ties", "soft_pairwise_accuracy")
SCORES_ARE_NOT_DEBIASED = "scores have no order that could be debiased"


def settings_of(rows: Iterable[ReportRow]) -> list[str]:
    """Return the columns of the choices of answers that are not the usual ones."""
    chosen = list(rows)
    return [name for name, text in SETTINGS.items() if any(text(row) for row in chosen)]


def definition_of(name: str) -> str:
    """Return the address of the definition of a column in the reference."""
    if name in FIGURES:
        return f"report/#{name}"
    if (measure := name.removesuffix("_debiased")) in CORRELATIONS:
        return f"report/#{measure}"
    return "report/#which-run-and-how-much-it-answered"


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of a report, and its figure in a row by the chosen ranking at the chosen level.

    is_ranked: the figure is one of a ranking.
    """

    column: Column
    figure: Callable[[ReportRow, str, Level], Figure | None]
    is_ranked: bool = False


def _of_definition(definition: FigureDefinition) -> ReportColumn:
    return ReportColumn(
        Column(
            name=definition.name,
            title=definition.title,
            kind="share" if definition.is_share else "coefficient",
            marks_best=definition.higher_is_better,
            parts=shapes_of(ReportRow)[definition.name].carries or (),
            definition=definition_of(definition.name),
            reference=definition.reference,
        ),
        lambda row, ranking, level: row.value_of(definition),
    )


def _of_correlation(measure: str, title: str, *, debiased: bool) -> ReportColumn:
    column = Column(
        name=f"{measure}_debiased" if debiased else measure,
        title="debiased" if debiased else "raw",
        group=title,
        kind="share" if measure in SHARES_OF_PAIRS else "coefficient",
        marks_best=True,
        definition=definition_of(measure),
        observations="" if measure in SHARES_OF_PAIRS else "context",
    )

    def figure(row: ReportRow, ranking: str, level: Level) -> Figure:
        return correlation_at(getattr(row, measure), ranking, level, debiased)

    return ReportColumn(column, figure, is_ranked=True)


def correlation_at(
    correlations: Mapping[str, Correlations | AccuraciesWithTies | SoftPairwiseAccuracies],
    ranking: str,
    level: Level,
    debiased: bool,
) -> Figure:
    """Return the coefficient by a ranking at a level. A scoring run has one ranking of its own.

    The soft pairwise accuracy is between systems, whatever the level.
    """
    blocks = correlations.get(ranking) or next(iter(correlations.values()))
    block = blocks.debiased if debiased else blocks.raw
    if block is None:
        return Figure.missing(SCORES_ARE_NOT_DEBIASED)
    return block if isinstance(block, Figure) else block.figure(level)


def _of_count(name: str, title: str, count: Callable[[ReportRow], int | None]) -> ReportColumn:
    column = Column(name=name, title=title, kind="count", parts=(), definition=definition_of(name))
    return ReportColumn(column, lambda row, ranking, level: Figure(count(row)))


COLUMNS: Mapping[str, ReportColumn] = MappingProxyType(
    {
        one.column.name: one
        for one in (
            _of_count("answers", "Answers", lambda row: row.counts.comparisons),
            _of_count("unparsed", "Unparsed", lambda row: row.counts.unparsed),
            _of_count("errors", "Errors", lambda row: row.counts.errors),
            _of_count("bounded", "Bounded", lambda row: row.bounded or 0),
            _of_count("decided", "Decided", lambda row: row.accuracy.n),
            *map(_of_definition, IN_ORDER),
            *(
                _of_correlation(measure, title, debiased=debiased)
                for measure, title in CORRELATIONS.items()
                for debiased in (False, True)
            ),
        )
    }
)
"""name -> column, in the order of tables."""
DATASET_COLUMNS = (
    *NAMES,
    "answers",
    *(definition.name for definition in IN_ORDER if "runs" in definition.tables),
    *("spearman", "spearman_debiased", "kendall", "kendall_debiased"),
)
"""The usual columns of a table of several runs."""
RUN_COLUMNS = (
    *("subset", "answers", "unparsed", "errors"),
    *(definition.name for definition in IN_ORDER if "subsets" in definition.tables),
)
"""The usual columns of the table of one run."""
