"""Sentences, cards and tables of the results pages, from report rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from evenhand.numerics import Figure
from evenhand.numerics.correlation.coefficients import LEVELS, Level
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.report.figures.figure_basis import FigureDefinition, Section
from rankings.report.figures.figure_definitions import FIGURES, IN_ORDER
from rankings.report.printed_numbers import percent, ranking_title
from rankings.report.report_columns import SCORES_ARE_NOT_DEBIASED
from rankings.report.report_row import AccuraciesWithTies, Coefficient, Correlations, ReportRow
from rankings.report.trust_checks import checked_value, few_contexts, is_constant, rivals
from rankings.tables.table import Column, Row, Table

Blocks = Mapping[str, Correlations] | Mapping[str, AccuraciesWithTies]
SKIPPED = "Contexts whose human scores are all equal, or with fewer than two scored candidates, are skipped."
WITH_TIES_NOTE = (
    "Share of the pairs of a context, or of systems, that a ranking orders, or ties, as people do. Scores that differ "
    "by no more than ε are tied; ε is the one that gives the highest share, so the share is somewhat too high. Only "
    "contexts with fewer than two scored candidates are skipped."
)
_SOFT = partial(Column, group="Soft pairwise accuracy", parts=(), definition="report/#soft_pairwise_accuracy")
SOFT_COLUMNS = (
    _SOFT(name="raw", title="raw"),
    _SOFT(name="debiased", title="debiased"),
)
NONE_IS_BEST = "None is called the best: runs on fewer than ten contexts are not compared."
ALL_TIED = "every pair called a tie"


@dataclass(frozen=True, slots=True)
class Card:
    """One figure with its name and meaning. definition: its address in the reference; "" for none."""

    title: str
    figure: Figure
    explanation: str
    is_share: bool
    definition: str = ""


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """The coefficients of one ranking. cells: per context, pooled, by system, each raw and then debiased."""

    ranking: str
    cells: list[Coefficient]
    contexts: int
    skipped: int


@dataclass(frozen=True, slots=True)
class CorrelationTable:
    """The coefficients of every ranking, under one name.

    definition: its address in the reference. is_share: pages show percentages.
    """

    name: str
    definition: str
    rows: list[CorrelationRow]
    meaning: str = SKIPPED
    is_share: bool = False

    @property
    def is_empty(self) -> bool:
        """Return True if no coefficient exists. Pages then list the reasons instead of a table."""
        return all(cell.value is None for row in self.rows for cell in row.cells)

    @property
    def reasons(self) -> list[str]:
        """List why coefficients are undefined, each reason once."""
        return list(dict.fromkeys(cell.undefined for row in self.rows for cell in row.cells if cell.value is None))

    @property
    def skipped(self) -> int:
        return max(row.skipped for row in self.rows)


def cards(row: ReportRow, section: Section, *, has_subsets: bool = True) -> list[Card]:
    """Return the cards of a section of the results page. A subset has no mean over subsets."""
    definitions = [one for one in IN_ORDER if one.section == section and (has_subsets or not one.needs_subsets)]
    return [card(one, figure) for one in definitions if (figure := row.value_of(one)) is not None]


def hold_out_cards(row: ReportRow) -> list[Card]:
    """Return the cards of the held-out figures; none if the run is not adaptive."""
    if row.hold_out is None:
        return []
    return [card(FIGURES[name], getattr(row.hold_out, name)) for name in ("accuracy", "p_first", "order_agreement")]


def candidate_cards(row: ReportRow) -> list[Card]:
    """Return the cards of figures with intervals over candidates; none for several contexts."""
    found = row.over_candidates
    names = ("accuracy", "accuracy_debiased", "p_first", "p_first_debiased") if found else ()
    return [card(FIGURES[name], figure) for name in names if (figure := getattr(found, name)).value is not None]


def card(definition: FigureDefinition, figure: Figure) -> Card:
    """Return the card of a figure, with the title of its definition."""
    return Card(definition.title, figure, definition.meaning, definition.is_share, f"report/#{definition.name}")


def correlation_tables(row: ReportRow) -> list[CorrelationTable]:
    """Return one table per coefficient: Spearman, Kendall's tau-b, Pearson, Kendall's tau-c."""
    return [
        CorrelationTable("Spearman’s rank correlation", "report/#spearman", correlation_rows(row.spearman)),
        CorrelationTable("Kendall’s tau-b", "report/#kendall", correlation_rows(row.kendall)),
        CorrelationTable("Pearson’s correlation", "report/#pearson", correlation_rows(row.pearson)),
        CorrelationTable("Kendall’s tau-c", "report/#kendall_c", correlation_rows(row.kendall_c)),
    ]


def with_ties(row: ReportRow) -> CorrelationTable:
    """Return the table of accuracies with ties. Its last row calls every pair a tie."""
    rows = correlation_rows(row.accuracy_with_ties)
    return CorrelationTable(
        "Accuracy with ties",
        "report/#accuracy_with_ties",
        [*rows, _all_tied(row.accuracy_with_ties, rows)],
        WITH_TIES_NOTE,
        is_share=True,
    )


def soft_pairwise(row: ReportRow) -> Table:
    """Return the soft pairwise accuracy of each ranking, raw and debiased."""
    rows = tuple(
        Row(
            (ranking_title(ranking),),
            (one.raw, one.debiased or Figure.missing(SCORES_ARE_NOT_DEBIASED)),
        )
        for ranking, one in row.soft_pairwise_accuracy.items()
    )
    return Table(("Ranking",), SOFT_COLUMNS, rows)


def _all_tied(rankings: Mapping[str, AccuraciesWithTies], rows: Sequence[CorrelationRow]) -> CorrelationRow:
    """Return the row of all pairs tied. It depends on people alone, so any ranking gives the same share."""
    shares = [[one.all_tied for one in _coefficients(blocks)] for blocks in rankings.values()]
    cells = [
        Coefficient(next((share for share in of_rankings if share is not None), None), cell.undefined)
        for of_rankings, cell in zip(zip(*shares, strict=True), rows[0].cells, strict=True)
    ]
    return CorrelationRow(ALL_TIED, cells, rows[0].contexts, rows[0].skipped)


def correlation_rows(rankings: Blocks) -> list[CorrelationRow]:
    """Return one row per ranking."""
    return [
        CorrelationRow(ranking, _coefficients(blocks), blocks.raw.contexts, blocks.raw.skipped)
        for ranking, blocks in rankings.items()
    ]


def _coefficients(blocks: Correlations | AccuraciesWithTies) -> list[Coefficient]:
    return [one for level in LEVELS for one in at_level(blocks, level)]


def at_level(blocks: Correlations | AccuraciesWithTies, level: Level) -> list[Coefficient]:
    """Return the coefficient at one level, raw and debiased."""
    missing = Coefficient(None, SCORES_ARE_NOT_DEBIASED)
    return [blocks.raw.at(level), missing if blocks.debiased is None else blocks.debiased.at(level)]


def headline(row: ReportRow) -> str:
    """Write the accuracy with its interval, and the agreement between people if it is on the same judgments."""
    accuracy, people = row.accuracy, row.ceiling
    if accuracy.value is None:
        return f"Accuracy against human preference is undefined: {accuracy.undefined}."
    sentence = f"Accuracy against human preference: {accuracy_text(accuracy)}"
    if people.value is None:
        return f"{sentence}."
    return f"{sentence}. One person agrees with the majority of the others on {percent(people.value)} of the votes."


def accuracy_text(accuracy: Figure) -> str:
    """Write an accuracy as "81.4 % (95 % CI 80.1–82.8, n = 21,344)". A single context has no interval.

    An interval that does not lie above 50 % gets the words "no better than chance", or "worse than chance".
    """
    n = f"n = {accuracy.n or 0:,}"
    if accuracy.low is None:
        return f"{percent(defined(accuracy.value))} ({n}; {accuracy.undefined})"
    ends = f"{100 * accuracy.low:.1f}–{100 * defined(accuracy.high):.1f}"
    chance = (
        ""
        if accuracy.low > 0.5
        else ", worse than chance"
        if defined(accuracy.high) < 0.5
        else ", no better than chance"
    )
    return f"{percent(defined(accuracy.value))} (95\u202f% CI {ends}, {n}){chance}"


def leader_sentence(rows: Sequence[ReportRow]) -> str:
    """Write which run of each attribute has the highest accuracy, of those on the same pairs; how many are left out.

    Of several sets of pairs, the one with most runs counts, then the largest. Judges that always say the same do not
    count.
    """
    measured = [row for row in rows if row.accuracy.value is not None and not is_constant(row)]
    chosen = _compared(measured)
    if not chosen:
        return NONE_IS_BEST if any(map(few_contexts, measured)) else ""
    best = {name: max(of_name, key=lambda row: defined(row.accuracy.value)) for name, of_name in chosen.items()}
    begin, left_out = "Highest accuracy against human preference", len(measured) - sum(map(len, chosen.values()))
    others = f" Not compared: {counted(left_out, 'run')} on other pairs or fewer than ten contexts." * (left_out > 0)
    if len(best) == 1:
        [(attribute, row)] = best.items()
        return f"{begin} on {attribute}: {row.name.words}, {accuracy_text(row.accuracy)}.{others}"
    leaders = (f"{name}: {row.name.words}, {percent(defined(row.accuracy.value))}" for name, row in best.items())
    return f"{begin} on {'; on '.join(leaders)}.{others}"


def _compared(rows: Sequence[ReportRow]) -> dict[str, list[ReportRow]]:
    """Return attribute -> the rows whose accuracies are compared."""
    groups: dict[str, list[ReportRow]] = {}
    for row in rows:
        if rivals(row, is_ranked=False):
            groups.setdefault(rivals(row, is_ranked=False), []).append(row)
    chosen: dict[str, list[ReportRow]] = {}
    for group in sorted(groups.values(), key=lambda group: (-len(group), -(group[0].accuracy.n or 0))):
        chosen.setdefault(group[0].name.attribute, group)
    return chosen


def bias_sentence(row: ReportRow) -> str:
    """Write P(first) and the order agreement in two sentences."""
    p_first, same = row.p_first, row.order_agreement
    if p_first.value is None:
        return f"Position bias is undefined: {p_first.undefined}."
    sentence = f"It prefers the text shown first in {percent(p_first.value)} of its decisions"
    if same.value is None:
        return f"{sentence}. Order agreement is undefined: {same.undefined}."
    return f"{sentence}. Order agreement: {percent(same.value)} of the pairs."


def has_curve(row: ReportRow) -> bool:
    """True if a curve has more than two points, for more than two comparisons a context, and decisions that vary."""
    contexts = checked_value(row, "enough-contexts")
    return bool(contexts) and row.counts.comparisons > 2 * defined(contexts) and not is_constant(row)


def overall(rows: Sequence[ReportRow]) -> list[ReportRow]:
    """Return the rows of whole runs."""
    return [row for row in rows if row.is_whole]


def by_reason(undefined: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line per reason, which names each title once."""
    titles_by_reason: dict[str, dict[str, None]] = {}
    for title, why in undefined:
        titles_by_reason.setdefault(why, {})[title] = None
    return [f"{'; '.join(titles)}: {why}" for why, titles in titles_by_reason.items()]
