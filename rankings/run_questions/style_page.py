"""`style`: effects of length and Markdown, and the ranking without them."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient
from rankings.run_questions.style_report import StyledSystem, StyleReport, style_report
from rankings.tables.table import Column, Row, Table

EFFECT = Column(name="coefficient", title="Coefficient", kind="coefficient", reference=0, definition="style/#the-model")
STYLED_COLUMNS = (
    Column(name="after", title="Score, controlled", kind="coefficient", reference=0, definition="style/#the-model"),
    Column(name="before", title="Score", kind="coefficient", reference=0),
    Column(name="rank_after", title="Rank, controlled", kind="number", parts=(), lowest_first=True),
    Column(name="rank_before", title="Rank", kind="number", parts=(), lowest_first=True),
)


def _blocks(report: StyleReport) -> Iterator[Block]:
    yield Sentence(style_sentence(report), is_lede=True)
    yield TitledTable(_effects(report), "Effects of style", has_heading=True)
    systems = Table(("System",), STYLED_COLUMNS, tuple(map(_row, report.systems)))
    yield TitledTable(systems, "Systems", has_heading=True)
    contexts = counted(report.contexts, "context")
    yield Sentence(f"{counted(report.comparisons, 'comparison')} between systems, in {contexts}.")


def style_sentence(report: StyleReport) -> str:
    """Write the strongest clear effect of style, and how many systems change rank."""
    clear = [one for one in report.coefficients if one.coefficient.low is not None and _is_clear(one.coefficient)]
    moved = sum(row.rank_before != row.rank_after for row in report.systems)
    end = f"With style held fixed, {moved} of {len(report.systems)} systems change rank."
    if not clear:
        return f"No feature of style has a clear effect on this judge. {end}"
    strongest = max(clear, key=lambda one: abs(defined(one.coefficient.value)))
    value = defined(strongest.coefficient.value)
    prefers = "more" if value > 0 else "fewer"
    return f"This judge prefers texts with {prefers} {strongest.feature} (coefficient {coefficient(value)}). {end}"


def _effects(report: StyleReport) -> Table:
    """Return a row for each feature with a coefficient, and one for the position bias."""
    known = [one for one in report.coefficients if one.coefficient.value is not None]
    rows = [Row((one.feature,), (one.coefficient,)) for one in known]
    rows.append(Row(("position, first",), (report.position_bias,)))
    notes = ["In log-odds, for two texts if only one has the feature. Intervals allow dependence within contexts."]
    if absent := [one.feature for one in report.coefficients if one.coefficient.value is None]:
        notes.append(f"The compared texts never differ in {', '.join(absent)}.")
    return Table(("Feature",), (EFFECT,), tuple(rows), notes=tuple(notes))


def _row(row: StyledSystem) -> Row:
    return Row((row.system,), (row.after, row.before, Figure(row.rank_after), Figure(row.rank_before)))


def _is_clear(figure: Figure) -> bool:
    return defined(figure.low) > 0 or defined(figure.high) < 0


ANALYSIS = Analysis(
    name="style",
    title="Style",
    section=TabSection("Scores", "And with style held fixed?", place=2),
    function=style_report,
    blocks=_blocks,
    examples=("style 7", "style 7 --without-system M0 --json"),
    answers=("order", *LEFT_OUT),
    of_pairs=False,
)
