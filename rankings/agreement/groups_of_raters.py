"""The tables of agreement between raters: of people and of judges as groups, of ratings, and of all pairs of raters."""

from collections.abc import Iterator, Sequence

from evenhand.numerics import Figure
from rankings.agreement.agreement_row import AttributeAgreement, GroupRow, PairOfRaters, RatingAgreement
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
