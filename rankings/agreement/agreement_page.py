"""Sentences, cards and the matrix of the page of agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.agreement.agreement_row import AttributeAgreement, GroupRow, JudgeRow, RaterRow, RatingAgreement
from rankings.agreement.judges_table import judges_table, votes_table
from rankings.agreement.raters_table import raters_table
from rankings.charts.dot_chart import Dot, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.number_text import coefficient, interval, percent
from rankings.report.pages.run_page import Card, accuracy_text
from rankings.report.report_table import GIVEN_ORDER

MOST_RATERS, MOST_IN_MATRIX, FEW_RATERS = 200, 80, 12
ALPHA_LEVELS = (0.2, 0.4, 0.6, 0.8)
"""The alphas at which a cell of the matrix is shaded one step stronger."""

GROUP_CARDS = {
    "percent_agreement": ("Percent agreement", "Share of the pairs of answers to one question that are equal."),
    "order_free_alpha": (
        "Alpha, order-free",
        "Agreement beyond chance, whichever candidate is named first: 1 is perfect, 0 chance.",
    ),
    "mean_order_free_alpha": ("Mean alpha, order-free", "Mean over all pairs of raters with a common pair."),
    "krippendorff_alpha": ("Krippendorff’s alpha", "The same, with the candidates in the dataset’s order."),
    "fleiss_kappa": ("Fleiss’ kappa", "As Krippendorff’s alpha, each pair counted alike."),
    "mean_cohen_kappa": ("Mean Cohen’s kappa", "Mean over all pairs of raters with a common pair; n is their number."),
    "human": (FIGURES["human"].title, FIGURES["human"].meaning),
}
RATING_CARDS = {
    "krippendorff_alpha_ordinal": ("Krippendorff’s alpha, ordinal", "Ratings as an order: 1 is perfect, 0 chance."),
    "krippendorff_alpha_interval": ("Krippendorff’s alpha, interval", "Ratings as numbers: 1 is perfect, 0 chance."),
}
SHARES = {"percent_agreement", "human", "p_first", "order_agreement", "prefers_longer", "tie_rate", "accuracy"}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The agreement of two raters. level: of its shade, 0 to 4; None without an alpha."""

    alpha: Figure | None
    level: int | None
    is_self: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One rater, and a cell for each rater."""

    name: str
    cells: list[MatrixCell]


def agreement_content(row: AttributeAgreement, address: QueryDict, *, subsets_by: str) -> dict[str, object]:
    """Return the template context of one attribute. address: the choices that links for sorting keep.

    subsets_by: the field of contexts whose values are the subsets.
    """
    raters, rows = most_active_raters(row.raters, MOST_RATERS), matrix(row)
    people = group_cards(row.people)
    return {
        "row": row,
        "given_order": GIVEN_ORDER,
        "sentences": agreement_sentences(row),
        "people": people,
        "has_accuracy": any(rater.accuracy.value is not None for rater in raters),
        "people_agree": any(card.figure.value is not None for card in people),
        "judges": group_cards(row.judges) if row.judges.raters > 1 else [],
        "ratings": group_cards(row.ratings) if row.ratings.raters else [],
        "against_people": judges_table(judges_against_people(row), address),
        "votes": votes_table(row.votes, address, subsets_by=subsets_by),
        "table": raters_table(raters, address),
        "raters_left_out": len(row.raters) - len(raters),
        "matrix": rows,
        "matrix_left_out": len(row.raters) - len(rows),
        "few_raters": FEW_RATERS,
    }


def agreement_sentences(row: AttributeAgreement) -> list[str]:
    """Write the agreement between people and that of the best judge. A sentence without a figure comes last."""
    sentences = [people_sentence(row), judge_sentence(row)]
    if row.people.percent_agreement.value is None:
        sentences.reverse()
    return [sentence for sentence in sentences if sentence]


def people_sentence(row: AttributeAgreement) -> str:
    """Write the agreement between people."""
    people = row.people
    same, alpha, human = people.percent_agreement, people.order_free_alpha, people.human
    if not people.raters:
        return f"Nobody has voted on {row.attribute}, so judges cannot be compared with people here."
    if same.value is None:
        return f"No agreement between people: {same.undefined}."
    sentence = f"Two people agree on {percent(same.value)} of the pairs that both voted on"
    sentence += f" (95 % interval {interval(same)})" if same.low is not None else ""
    sentence += f"; beyond chance, alpha is {coefficient(alpha.value)}." if alpha.value is not None else "."
    if human.value is None:
        return sentence
    return f"{sentence} One person agrees with the majority of the others on {percent(human.value)} of the votes."


def judge_sentence(row: AttributeAgreement) -> str:
    """Write the run that agrees most with people; empty if no run has an accuracy."""
    runs = [rater for rater in row.raters if rater.kind == "judge" and rater.accuracy.value is not None]
    if not runs:
        return ""
    best, n_judges = max(runs, key=lambda run: defined(run.accuracy.value)), len({run.judge for run in runs})
    of_runs = f"{len(runs)} runs of " if n_judges < len(runs) else ""
    of_several = f"Of {of_runs}{counted(n_judges, 'judge')}, {best.name} agrees most often"
    begin = of_several if len(runs) > 1 else f"{best.name} agrees"
    return f"{begin} with the majority of people: {accuracy_text(best.accuracy)}."


def _definition_of(name: str) -> str:
    """Return the address of the definition of a figure."""
    return "agreement/#agreement-of-a-group" if name in RATING_CARDS else f"agreement/#{name}"


def group_cards(group: GroupRow | RatingAgreement) -> list[Card]:
    """Return the agreement between some raters, on pairs or on single candidates."""
    return [
        Card(title, figure, explanation, name in SHARES, _definition_of(name))
        for name, (title, explanation) in (GROUP_CARDS | RATING_CARDS).items()
        if (figure := getattr(group, name, None)) is not None
    ]


def most_active_raters(raters: Sequence[RaterRow], most: int) -> list[RaterRow]:
    """Return at most `most` raters, in their order: judges before people, then those with the most votes."""
    by_weight = sorted(raters, key=lambda rater: (rater.kind != "judge", -rater.votes))
    names = {rater.name for rater in by_weight[:most]}
    return [rater for rater in raters if rater.name in names]


def matrix(row: AttributeAgreement) -> list[MatrixRow]:
    """Return the order-free alpha of all pairs of raters."""
    alphas = {}
    for pair in row.pairs_of_raters:
        alphas[pair.one, pair.other] = alphas[pair.other, pair.one] = pair.order_free_alpha
    names = [rater.name for rater in most_active_raters(row.raters, MOST_IN_MATRIX)]
    return [
        MatrixRow(one, [matrix_cell(alphas.get((one, other)), is_self=one == other) for other in names])
        for one in names
    ]


def matrix_cell(alpha: Figure | None, *, is_self: bool) -> MatrixCell:
    if alpha is None or alpha.value is None:
        return MatrixCell(alpha, None, is_self)
    return MatrixCell(alpha, sum(alpha.value >= level for level in ALPHA_LEVELS), is_self)


def judges_against_people(row: AttributeAgreement) -> list[tuple[RaterRow, JudgeRow]]:
    """Return each judge as a rater, and its agreement with people."""
    raters = {rater.name: rater for rater in row.raters}
    return [(raters[judge.name], judge) for judge in row.judges_against_people]


def raters_chart(row: AttributeAgreement) -> Chart | None:
    """Draw the accuracy of each rater against the majority of the others, with a line at the mean of people."""
    return dots_chart(
        list(_dots(most_active_raters(row.raters, MOST_RATERS))),
        name="raters",
        title="Agreement with the majority of people",
        people=row.people.human.value,
    )


def _dots(raters: Sequence[RaterRow]) -> Iterator[Dot]:
    for rater in raters:
        if rater.accuracy.value is not None:
            short = f"run {rater.run}" if rater.run else rater.name
            yield Dot(rater.name, short, rater.accuracy)
