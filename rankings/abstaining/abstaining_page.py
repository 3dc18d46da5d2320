"""How abstaining is shown."""

from collections.abc import Iterator, Sequence

from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.abstaining.abstaining_report import (
    SURENESS_TITLES,
    Abstaining,
    MeasureOfSureness,
    Threshold,
    abstaining_of,
    unasked_pairs,
)
from rankings.analyses.record import Action, Analysis, Block, Drawing, Sentence, TabSection, TitledTable
from rankings.charts.line_chart import DrawnLine, line_of_figures, lines_chart, padded, y_span
from rankings.charts.palette import line_colour, line_symbol
from rankings.charts.plotly_chart import Chart
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import percent
from rankings.tables.table import Column, Row, Table

SHOWN_COVERAGES = (1.0, 0.9, 0.8, 0.6, 0.4, 0.2)
NOTE_ON_SURENESS = "The surest comparisons first; bands: 95 % intervals over contexts."


def _blocks(report: Abstaining) -> Iterator[Block]:
    yield Sentence(threshold_sentence(report), is_lede=True)
    one = report.threshold
    if one.threshold is not None:
        if doubt := doubt_sentence(one):
            unasked = len(unasked_pairs(one))
            button = f"Ask people about {counted(unasked, 'pair')}" if unasked else ""
            yield Action(doubt, button, "run-doubtful-campaign")
        tested, ordering = (counted(n or 0, "context") for n in (one.testing_contexts, one.ordering_contexts))
        yield Sentence(f"Thresholds were tested on {tested}. Another {ordering} set the order of the tests.")
    if chart := coverage_chart(report.measures):
        yield Drawing(
            chart, "Accuracy against coverage; the same figures are in the table below", "abstaining/#measures"
        )
    yield TitledTable(_coverage_table(report.measures), "Accuracy against coverage")


def threshold_sentence(report: Abstaining) -> str:
    """Write the threshold with its guarantee, or why there is none."""
    one = report.threshold
    if one.threshold is None:
        return f"No threshold with a guarantee: {one.answered.undefined}."
    if one.answered.value == 1 and not one.doubtful_pairs:
        return (
            f"{report.name.judge} never needs to abstain: at most {_whole_percent(one.alpha)} errors hold on all "
            f"comparisons ({_whole_percent(one.confidence)} confidence; {_measured_share(one)}). {_meaning(one)}"
        )
    return (
        f"{report.name.judge} answers {percent(defined(one.answered.value))} of the comparisons with at most "
        f"{percent(one.alpha)} errors (confidence {percent(one.confidence)}). {_rule(one)} "
        f"{_measured(one)} {_meaning(one)}"
    )


def _meaning(one: Threshold) -> str:
    """Write what the confidence leaves open."""
    return (
        f"Up to {_whole_percent(1 - one.confidence)} of all datasets like this one get a threshold with more errors. "
        "Of those that get one at all, it may be a larger share."
    )


def _measured(one: Threshold) -> str:
    """Write the share of errors where it was measured."""
    if one.test_error is None:
        return f"On the testing contexts, {percent(defined(one.error.value))} are wrong."
    if one.test_error.value is None:
        return f"On the test part: – {one.test_error.undefined}."
    return (
        f"It was chosen on the {one.chosen_on} part. On the test part, {percent(defined(one.test_error.value))} of its "
        "answers are wrong."
    )


def _measured_share(one: Threshold) -> str:
    """Write the share of errors where it was measured, in brackets."""
    if one.test_error is None:
        return f"{percent(defined(one.error.value))} on the testing contexts"
    if one.test_error.value is None:
        return f"on the test part: {one.test_error.undefined}"
    return f"{percent(one.test_error.value)} on the test part"


def _whole_percent(share: float) -> str:
    return f"{100 * share:.4g}\u202f%"


def _rule(one: Threshold) -> str:
    """Write which comparisons are answered."""
    sureness = defined(one.threshold)
    if one.by == "probability":
        return f"It abstains where p is between {0.5 - sureness:.3f} and {0.5 + sureness:.3f}."
    if one.by == "orders":
        return f"It abstains where p differs by more than {1 - 2 * sureness:.3f} between both orders."
    return f"It abstains where the standard deviation of the members’ p is above {0.5 - sureness:.3f}."


def doubt_sentence(one: Threshold) -> str:
    """Write how many pairs are in doubt, and how many of them people have not decided; "" without a pair."""
    if not one.doubtful_pairs:
        return ""
    unasked = sum(not pair.preferred_by_people for pair in one.doubtful_pairs)
    return (
        f"{counted(len(one.doubtful_pairs), 'pair')} of the run {'is' if len(one.doubtful_pairs) == 1 else 'are'} in "
        f"doubt; on {unasked:,} of them, people have no preference yet."
    )


def coverage_chart(measures: Sequence[MeasureOfSureness]) -> Chart | None:
    """Draw accuracy against coverage, a line for each measure; None without a line."""
    lines = [_line(one, place) for place, one in enumerate(measures) if _is_drawn(one)]
    if not lines:
        return None
    low, high = padded(y_span(lines), share=0.06, least=0.01)
    return lines_chart(
        lines,
        name="coverage",
        note=NOTE_ON_SURENESS,
        x={"title": "Share of the comparisons, the surest first", "tickformat": ".0%", "range": [0.05, 1.03]},
        y={"title": "Accuracy", "tickformat": ".0%", "range": [low, min(high, 1.0)]},
    )


def _is_drawn(one: MeasureOfSureness) -> bool:
    return bool(one.coverages) and all(row.accuracy.value is not None for row in one.coverages)


def _line(one: MeasureOfSureness, place: int) -> DrawnLine:
    return line_of_figures(
        SURENESS_TITLES[one.by],
        [(row.coverage, row.accuracy) for row in one.coverages],
        colour=line_colour(place),
        symbol=line_symbol(place),
        hover="%{y:.1%} on %{x:.0%}",
    )


def _coverage_table(measures: Sequence[MeasureOfSureness]) -> Table:
    """Return a row for each measure that the run has, with its accuracy at SHOWN_COVERAGES."""
    columns = tuple(
        Column(
            name=f"coverage_{100 * share:.0f}",
            title="all" if share == 1 else f"surest {100 * share:.0f}\u202f%",
            group="Accuracy",
            definition="report/#accuracy" if share == 1 else "abstaining/#measures",
        )
        for share in SHOWN_COVERAGES
    )
    rows = tuple(_row(one) for one in measures if not one.undefined)
    notes = tuple(f"By {SURENESS_TITLES[one.by]}: – {one.undefined}." for one in measures if one.undefined)
    return Table(("Sure by",), columns, rows, notes=notes)


def _row(one: MeasureOfSureness) -> Row:
    at = {row.coverage: row.accuracy for row in one.coverages}
    return Row((SURENESS_TITLES[one.by],), tuple(at[share] for share in SHOWN_COVERAGES))


ANALYSIS = Analysis(
    name="abstaining",
    title="Abstaining",
    section=TabSection("Reliability", "When should it abstain?", place=2, keeps_choices=True),
    function=abstaining_of,
    blocks=_blocks,
    examples=("abstain 3", "abstain 3 --by orders --alpha 0.15 --confidence 0.9 --json"),
    answers=LEFT_OUT,
    hidden=lambda run: () if run.dataset.split else ("choose_on",),
)
