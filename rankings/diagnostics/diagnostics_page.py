"""`diagnostics`: calibration, consistency and reliability of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.text import slugify

from evenhand.numerics.intervals import COVERAGE
from evenhand.units import counted
from rankings.analyses.record import JSON_FILE, Analysis, Block, Drawing, Sentence, TabSection, TitledTable
from rankings.diagnostics import diagnostics_tables
from rankings.diagnostics.diagnostics_report import run_diagnostics
from rankings.diagnostics.diagnostics_row import (
    Calibration,
    Consistency,
    Diagnostics,
    UnjudgedSystems,
    VotesToBuy,
    diagnostics_long_form,
)
from rankings.diagnostics.diagnostics_tables import joint_chart, reliability_chart
from rankings.diagnostics.unjudged_systems import SYSTEMS_OF_95
from rankings.report.answer_options import LEFT_OUT
from rankings.report.pages.sentences_and_cards import Card
from rankings.report.printed_numbers import percent, points, points_interval
from rankings.tables.table import Column, Row, Table


def card_table(cards: Sequence[Card], *, name: str) -> Table:
    """Return the table of some cards of a judge. name: of its row."""
    columns = tuple(
        Column(
            name=slugify(card.title),
            title=card.title,
            kind="share" if card.is_share else "coefficient",
            definition=card.definition,
        )
        for card in cards
    )
    row = Row((name,), tuple(card.figure for card in cards))
    notes = tuple(f"{card.title}: {card.explanation}" for card in cards if card.figure.value is not None)
    return Table(("Judge",), columns, (row,), notes=notes)


CALIBRATION_CARDS = {
    "expected_calibration_error": (
        "Calibration error",
        "Mean gap between p and how often people prefer the first, over ten parts; 0 is perfect.",
    ),
    "brier_score": ("Brier score", "Mean squared gap, pair by pair: 0 is perfect, always saying one half gives 0.25."),
}
CONSISTENCY_CARDS = {
    "cyclic_triads": ("Cycles", "Share of the triads with A above B above C above A; a quarter for random answers."),
    "weak_violations": ("Weak transitivity broken", "A at least as good as B, B as C, and yet C above A."),
    "moderate_violations": ("Moderate", "P(A over C) is below the smaller of P(A over B) and P(B over C)."),
    "strong_violations": ("Strong", "P(A over C) is below the larger of the two."),
}


def calibration_sentence(diagnostics: Diagnostics) -> str:
    """Write the calibration error with its interval."""
    error = diagnostics.own.calibration.expected_calibration_error
    if error.value is None:
        return f"No calibration error: {error.undefined}."
    within = "" if error.low is None else f" (95 % interval {points_interval(error.low, error.high)})"
    return (
        f"The p of {diagnostics.name.judge} differs on average by {points(error.value)}{within} from how "
        f"often people prefer the first text (n = {error.n:,})."
    )


def figure_cards(block: Calibration | Consistency, titles: dict[str, tuple[str, str]], *, shares: bool) -> list[Card]:
    return [
        Card(title, getattr(block, name), explanation, shares, f"diagnostics/#{name}")
        for name, (title, explanation) in titles.items()
    ]


def correlation_card(diagnostics: Diagnostics) -> Card:
    correlation = diagnostics.own.calibration.score_differences.correlation
    title, meaning = "p and score difference", "Pearson’s correlation with the difference of the human scores."
    return Card(title, correlation, meaning, False, "diagnostics/#score_differences")


def _null_blocks(report: Diagnostics, *, is_lede: bool) -> Iterator[Block]:
    yield Sentence(report.null_pairs.sentence, is_lede=is_lede)
    if cards := report.null_pairs.cards:
        table = card_table(cards, name=report.name.judge)
        yield TitledTable(table, "Where nothing differs", has_heading=True)


def _blocks(report: Diagnostics) -> Iterator[Block]:
    if report.asks_null_pairs:
        yield from _null_blocks(report, is_lede=True)
        return
    counts = report.own.counts
    yield Sentence(calibration_sentence(report), is_lede=True)
    yield Sentence(
        f"Of {counted(counts.comparisons, 'answer')}; {counts.unparsed:,} unparsed and "
        f"{counted(counts.errors, 'error')} excluded. Intervals are 95 %, over contexts."
    )
    yield from _calibration_blocks(report)
    yield from _consistency_blocks(report)
    yield from _null_blocks(report, is_lede=False)
    if report.rater_fit.undefined:
        yield Sentence(f"Fit of the raters: – {report.rater_fit.undefined}.")
    else:
        table = diagnostics_tables.rater_fit_table(report.rater_fit.raters)
        yield TitledTable(table, "Fit of the raters", has_heading=True)
    table = diagnostics_tables.reliability_table(report.own.reliability, chose_pairs=report.chose_pairs)
    yield TitledTable(table, "Reliability of the scores", has_heading=True)
    powered = report.own.prediction_powered
    if powered.undefined:
        yield Sentence(f"Prediction-powered estimate: – {powered.undefined}.")
    else:
        table = diagnostics_tables.systems_table(powered)
        yield TitledTable(table, "Prediction-powered estimate", has_heading=True)
        yield Sentence(_to_buy_sentence(report.votes_to_buy))
        yield TitledTable(diagnostics_tables.errors_table(powered), "The judge alone, corrected", has_heading=True)


def _to_buy_sentence(plan: VotesToBuy) -> str:
    wanted = f"Intervals of {points(plan.width)} for every win rate"
    if plan.with_judge.value is None or plan.people_alone.value is None:
        return f"{wanted}: – {plan.with_judge.undefined}."
    with_judge, alone = int(plan.with_judge.value), int(plan.people_alone.value)
    begin = f"{wanted} take votes in {counted(with_judge, 'context')}"
    saved = f" with the judge, and in {alone:,} without" if with_judge < alone else "; the judge’s answers save none"
    return f"{begin}{saved}. So far {plan.contexts:,} have votes."


def _unjudged_sentence(unjudged: UnjudgedSystems) -> str:
    half, level = unjudged.half_width, unjudged.level
    if half.value is None or level.value is None:
        return f"Win rates of systems that no person judged: – {half.undefined}."
    few = "" if level.value >= COVERAGE else f" A 95 % interval needs {SYSTEMS_OF_95} of them."
    return (
        f"On a new system, the calibrated judge misses people’s win rate by at most "
        f"{points(half.value)} in {percent(level.value)} of cases. People judged {counted(half.n or 0, 'system')}.{few}"
    )


def _calibration_blocks(report: Diagnostics) -> Iterator[Block]:
    calibration = report.own.calibration
    cards = [*figure_cards(calibration, CALIBRATION_CARDS, shares=False), correlation_card(report)]
    table = card_table(cards, name=report.name.judge)
    if before := report.calibration_before:
        figures = (before.expected_calibration_error, before.brier_score, before.score_differences.correlation)
        table = replace(table, rows=(*table.rows, Row(("before calibration",), figures)))
    yield TitledTable(table, "Calibration", has_heading=True)
    if chart := reliability_chart(calibration.bins, before.bins if before else ()):
        yield Sentence(
            "On the dashed line the judge is calibrated. Flatter than the line: overconfident; steeper: underconfident."
        )
        yield Drawing(chart, "Reliability diagram; the same figures are in the table below", "diagnostics/#bins")
        table = diagnostics_tables.bins_table(calibration.bins)
        yield TitledTable(table, "Figures of the reliability diagram", is_folded=True)
    if chart := joint_chart(calibration.score_differences):
        yield Sentence(
            "Number of comparisons by p and difference of human scores; line: mean difference; bars: one standard "
            "deviation. Products of experts assume a straight line and bars of equal length."
        )
        label = "Probability against difference of human scores; the means are in the table below"
        yield Drawing(chart, label, "diagnostics/#score_differences")
        table = diagnostics_tables.differences_table(calibration.score_differences.by_p_first)
        yield TitledTable(table, "Differences of human scores", is_folded=True)
    yield Sentence(_unjudged_sentence(report.own.unjudged_systems))
    if report.own.unjudged_systems.systems:
        table = diagnostics_tables.unjudged_table(report.own.unjudged_systems)
        yield TitledTable(table, "Systems that no person judged", has_heading=True)


def _consistency_blocks(report: Diagnostics) -> Iterator[Block]:
    cards = figure_cards(report.own.consistency, CONSISTENCY_CARDS, shares=True)
    yield TitledTable(card_table(cards, name=report.name.judge), "Consistency", has_heading=True)
    if report.own.consistency.contexts:
        table = diagnostics_tables.cycles_table(report.own.consistency.contexts, run=report.name.run)
        yield TitledTable(table, "Contexts with cycles", is_folded=True)


ANALYSIS = Analysis(
    name="diagnostics",
    title="Diagnostics",
    section=TabSection("Reliability", "Are its probabilities right?", place=1, keeps_choices=True),
    function=run_diagnostics,
    blocks=_blocks,
    examples=("diagnostics 7", "diagnostics 7 --json"),
    answers=LEFT_OUT,
    of_pairs=False,
    long_form=diagnostics_long_form,
    file=JSON_FILE,
)
