"""The tables of agreement: of groups, of ratings, of all pairs of raters, and of judges against people."""

from collections.abc import Iterator, Sequence
from functools import partial

from django.urls import reverse

from evenhand.numerics import Figure
from rankings.agreement.agreement_row import (
    AlternativeAnnotatorRow,
    AttributeAgreement,
    GroupRow,
    JudgeRow,
    PairOfRaters,
    RaterRow,
    RatingAgreement,
    VoteAgreementRow,
)
from rankings.report.figures.figure_definitions import FIGURES
from rankings.tables.table import Column, Row, Table


def _kappa(name: str, title: str, group: str = "") -> Column:
    return Column(name=name, title=title, group=group, kind="coefficient", definition=f"agreement/#{name}")


COLUMNS_OF_GROUPS = (
    Column(name="percent_agreement", title="Percent agreement", definition="agreement/#percent_agreement"),
    _kappa("order_free_alpha", "all", "Alpha, order-free"),
    _kappa("mean_order_free_alpha", "mean of two", "Alpha, order-free"),
    _kappa("krippendorff_alpha", "Krippendorff’s alpha"),
    _kappa("fleiss_kappa", "Fleiss’ kappa"),
    _kappa("mean_cohen_kappa", "Mean Cohen’s kappa"),
    Column(name="human", title=FIGURES["human"].title, definition="agreement/#human"),
)
NOTES_ON_GROUPS = (
    "Percent agreement: share of the pairs of answers to one question that are equal.",
    "Alpha, order-free: agreement beyond chance, whichever candidate is named first: 1 is perfect, 0 chance. "
    "Mean of two: over all pairs of raters with a common pair.",
    "Krippendorff’s alpha: the same, with the candidates in the dataset’s order. Fleiss’ kappa: each pair alike.",
)
COLUMNS_OF_RATINGS = tuple(
    Column(
        name=f"krippendorff_alpha_{kind}",
        title=f"Krippendorff’s alpha, {kind}",
        kind="coefficient",
        definition="agreement/#agreement-of-a-group",
    )
    for kind in ("ordinal", "interval")
)
NOTE_ON_MATRIX = "Order-free alpha: 1 is perfect agreement, 0 is chance. An empty cell: no common pair."


def groups_table_of(row: AttributeAgreement) -> Table:
    """Return the agreement between people, and between judges if there are two."""
    groups: list[tuple[str, GroupRow]] = []
    if row.people.raters:
        groups.append(("People", row.people))
    if row.judges.raters > 1:
        groups.append(("Judges", row.judges))
    rows = tuple(Row((f"{name} ({group.raters})",), tuple(_figures(group))) for name, group in groups)
    return Table(("Raters",), COLUMNS_OF_GROUPS, rows, notes=NOTES_ON_GROUPS)


def _figures(group: GroupRow) -> Iterator[Figure | None]:
    for column in COLUMNS_OF_GROUPS:
        yield getattr(group, column.name, None)


def ratings_table(ratings: RatingAgreement) -> Table:
    """Return the agreement of people who rated single candidates."""
    name = f"{ratings.raters} people; {ratings.shared_candidates:,} candidates with two ratings or more"
    figures = tuple(getattr(ratings, column.name) for column in COLUMNS_OF_RATINGS)
    return Table(("Ratings",), COLUMNS_OF_RATINGS, (Row((name,), figures),))


def alphas_table(pairs: Sequence[PairOfRaters], names: Sequence[str]) -> Table:
    """Return the order-free alpha of all pairs of some raters."""
    alphas = {(pair.one, pair.other): pair.order_free_alpha for pair in pairs}
    alphas |= {(other, one): alpha for (one, other), alpha in alphas.items()}
    columns = tuple(
        Column(name=f"rater_{number}", title=f"{number}", kind="coefficient", parts=())
        for number in range(1, len(names) + 1)
    )
    rows = tuple(
        Row((f"{number}. {one}",), tuple(_without_ends(alphas.get((one, other))) for other in names))
        for number, one in enumerate(names, start=1)
    )
    return Table(("Rater",), columns, rows, notes=(NOTE_ON_MATRIX,))


def _without_ends(alpha: Figure | None) -> Figure | None:
    return alpha if alpha is None or alpha.value is None else Figure(alpha.value)


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
