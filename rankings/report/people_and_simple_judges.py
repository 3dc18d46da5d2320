"""Rows for comparison: what people reach with each other, and judges that read nothing, on the pairs of the runs."""

from collections.abc import Iterable, Iterator, Sequence

from rankings.report.figures.simple_judges import ForComparison
from rankings.report.pages.sentences_and_cards import by_reason
from rankings.report.report_columns import NAMES, SETTINGS, ReportColumn
from rankings.report.report_row import ReportRow
from rankings.tables.table import FOR_COMPARISON, Row

MOST_SETS_OF_PAIRS = 3
COMPARISON_NOTE = (
    "For comparison: one person against the majority of the others, and two judges that read nothing. "
    "They have no mark and are in no test."
)
MANY_SETS = "Rows for comparison are left out where runs were asked more than three sets of pairs."
_OWN_NAMES = ("attribute", "subset", *SETTINGS)
Compared = tuple[ForComparison, list[ReportRow]]
"""Figures for comparison, and the rows on whose pairs they rest."""


def rows_for_comparison(rows: Sequence[ReportRow], names: Sequence[str], columns: Sequence[ReportColumn]) -> list[Row]:
    """Return the rows below those of the runs, by attribute and subset.

    A table of one run that names no judge has them on all contexts; one of several has none.
    names, columns: of the table. Only accuracy and kappa have a figure.
    """
    shown = [one.column.name for one in columns]
    if "judge" not in names and len({row.name.run for row in rows}) == 1:
        rows, names = [row for row in rows if row.is_whole], ["judge" if name == "subset" else name for name in names]
    if "judge" not in names or not {"accuracy", "kappa"} & {*shown}:
        return []
    return [
        Row(
            tuple(_name(name, one, own, is_only=len(sets) == 1) for name in names),
            tuple({"accuracy": one.accuracy, "kappa": one.kappa}.get(name) for name in shown),
            of="comparison",
            section=FOR_COMPARISON,
        )
        for sets in map(_defined, compared_sets(rows))
        for one, own in sets
        if len(sets) <= MOST_SETS_OF_PAIRS
    ]


def notes_on_comparison(rows: Sequence[ReportRow]) -> list[str]:
    """Return what rows for comparison are, who lacks one, and that the runs answered too many sets of pairs."""
    numbers = [len(_defined(sets)) for sets in compared_sets(rows)]
    shown = [COMPARISON_NOTE] * any(0 < number <= MOST_SETS_OF_PAIRS for number in numbers)
    missing = [f"No row for {who[0].lower()}{who[1:]}." for who in by_reason(_missing(rows))]
    return [*shown, *missing, *[MANY_SETS] * any(number > MOST_SETS_OF_PAIRS for number in numbers)]


def _missing(rows: Sequence[ReportRow]) -> Iterator[tuple[str, str]]:
    """Yield who lacks a row on an attribute, and why: ("People on coherence", "the attribute has no votes")."""
    for sets in compared_sets(rows):
        if not _defined(sets) and sets[0][1][0].is_whole:
            yield from ((f"{one.name} on {own[0].name.attribute}", one.accuracy.undefined or "") for one, own in sets)


def _defined(sets: Sequence[Compared]) -> list[Compared]:
    return [one for one in sets if one[0].accuracy.value is not None]


def compared_sets(rows: Iterable[ReportRow]) -> Iterator[list[Compared]]:
    """Yield, for each attribute, subset and name, its different figures."""
    questions: dict[tuple[str, str], list[ReportRow]] = {}
    for row in rows:
        questions.setdefault((row.name.attribute, row.subset), []).append(row)
    for own in questions.values():
        yield from (_sets(own, place) for place in range(len(own[0].for_comparison)))


def _sets(rows: Sequence[ReportRow], place: int) -> list[Compared]:
    """Return the figures of one name. Of runs that were asked the same pairs, those of the run that answered most."""
    asked: dict[object, list[ReportRow]] = {}
    for row in rows:
        asked.setdefault(row.asked and row.asked.shown, []).append(row)
    sets: dict[object, Compared] = {}
    for own in asked.values():
        one = max((row.for_comparison[place] for row in own), key=lambda one: one.accuracy.n or 0)
        sets.setdefault((one.accuracy.value, one.accuracy.n, one.kappa.value), (one, []))[1].extend(own)
    return list(sets.values())


def _name(name: str, one: ForComparison, rows: Sequence[ReportRow], *, is_only: bool) -> str:
    """Return the text in a column of names. Where runs differ in their pairs, the numbers of the runs follow."""
    if name == "judge":
        return one.name if is_only else f"{one.name} (run {', '.join(str(row.name.run) for row in rows)})"
    return str({**NAMES, **SETTINGS}[name](rows[0])) if name in _OWN_NAMES else ""
