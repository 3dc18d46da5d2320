"""The tables that set judges against people: one line per judge, and one per couple of sides of votes."""

from collections.abc import Sequence
from functools import partial

from django.urls import reverse

from evenhand.numerics import Figure
from rankings.agreement.agreement_row import (
    AlternativeAnnotatorRow,
    AttributeAgreement,
    JudgeRow,
    RaterRow,
    VoteAgreementRow,
)
from rankings.report.figures.figure_definitions import FIGURES
from rankings.tables.table import Column, Row, Table

_ALPHA = partial(Column, group="Alpha of people", kind="coefficient")
FIGURES_OF_JUDGES = (
    Column(name="human", title=FIGURES["human"].title, definition="agreement/#human"),
    _ALPHA(name="order_free_alpha_people", title="alone", definition="agreement/#order_free_alpha_people"),
    _ALPHA(
        name="order_free_alpha_with_judge",
        title="with the judge",
        definition="agreement/#order_free_alpha_with_judge",
    ),
    Column(name="winning_rate", title="Winning rate", definition="agreement/#alternative_annotator_test"),
)
NOTES_ON_JUDGES = (
    "People, on votes: one person against the majority of the others, on the contexts of the run.",
    "Alpha (order-free): people alone and with the judge as one more, on the pairs that it and two people answered.",
    "Winning rate (alternative annotator test): the judge passes if it matches at least half of the people, one by "
    "one, within ε.",
)
FIGURES_OF_VOTES = (
    Column(name="per_vote", title="With ties", definition="agreement/#votes"),
    Column(name="per_vote_decided", title="Without ties", definition="agreement/#votes"),
)
NOTE_ON_VOTES = (
    "Each vote of one side is set against each vote of the other on the same pair. They agree if both prefer the same "
    "text, or both are ties: the agreement of MT-Bench’s tables."
)


def judges_table(row: AttributeAgreement) -> Table:
    """Return the table of judges against people."""
    raters = {rater.name: rater for rater in row.raters}
    rows = tuple(_judge_row(raters[judge.name], judge) for judge in row.judges_against_people)
    return Table(("Judge",), FIGURES_OF_JUDGES, rows, notes=NOTES_ON_JUDGES)


def votes_table(couples: Sequence[VoteAgreementRow], *, subsets_by: str) -> Table:
    """Return the table of agreement vote by vote. subsets_by: the field of contexts whose values are the subsets."""
    rows = tuple(Row((one.one, one.other, one.subset), (one.per_vote, one.per_vote_decided)) for one in couples)
    return Table(("One side", "Other side", subsets_by.capitalize()), FIGURES_OF_VOTES, rows, notes=(NOTE_ON_VOTES,))


def _judge_row(rater: RaterRow, judge: JudgeRow) -> Row:
    test = judge.alternative_annotator_test
    rate = Figure.missing(test.undefined or "no value") if test.winning_rate is None else Figure(test.winning_rate)
    figures = (judge.human, judge.order_free_alpha_people, judge.order_free_alpha_with_judge, rate)
    details = (rater.method or "", rater.prompt or "", _verdict(test))
    href = reverse("run-results", args=[judge.run]) if judge.run else ""
    return Row((judge.name,), figures, detail=" · ".join(filter(None, details)), href=href)


def _verdict(test: AlternativeAnnotatorRow) -> str:
    """Write the outcome of the alternative annotator test; "" without one."""
    if test.passed is None:
        return ""
    too_few = f", {len(test.left_out)} with too few pairs left out" if test.left_out else ""
    people = f"against {len(test.people)} people{too_few}"
    return f"test {'passed' if test.passed else 'failed'} {people} (ε = {test.epsilon:g})"
