"""The tables of all compared runs: their figures, the letters of their groups, and the differences of all pairs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from django.urls import reverse

from evenhand.numerics import Figure
from rankings.compare.comparison_of_runs import AllCompared, ComparedRun, FigureCompared, FigureOfRun, PairDifference
from rankings.tables.numbers_of_observations import few_observations
from rankings.tables.table import Column, Kind, Row, Table

NAME_TITLES = ("Judge", "Run", "Method", "Prompt")
NOTE_ON_LETTERS = (
    "Runs that share a letter in a column do not differ significantly in that figure (Holm-adjusted p ≥ .05; tests of "
    "all pairs), or have too few contexts to test."
)
NOTES_ON_PAIRS = (
    "The first run minus the second, on the ordered pairs that both answered, with its 95 % interval over contexts.",
    "p: two-sided sign-flip permutation test over contexts. Adjusted over this table: Holm (family-wise error), "
    "Benjamini-Hochberg (false discovery rate).",
)
NOTE_ON_SWAPS = "Scores swapped: p of the permutation test PERM-BOTH, not adjusted."
_P = partial(Column, kind="p", parts=(), lowest_first=True)
P_COLUMNS = tuple(
    _P(name=name, title=title, group="p", definition=f"agreement/#{name}")
    for name, title in (
        ("p_value", "raw"),
        ("p_value_holm", "Holm"),
        ("p_value_benjamini_hochberg", "Benjamini-Hochberg"),
    )
)
SWAPPED = _P(name="perm_both", title="scores swapped", group="p", definition="agreement/#perm_both")
COMPARISONS_OF_RUN = Column(name="comparisons", title="Comparisons", kind="count", parts=())


def groups_table(result: AllCompared) -> Table:
    """Return the figures of all runs, by accuracy. Those not significantly worse than the best are marked as ties."""
    blocks = [{row.run: row for row in block.runs} for block in result.figures]
    rows = (*_simple_rows(result), *(_row(run, blocks) for run in _by_accuracy(result)))
    return Table(NAME_TITLES, tuple(map(_column, result.figures)), rows)


def letters_table(result: AllCompared) -> Table:
    """Return the letters of the groups of each run by each figure."""
    letters = [{row.run: " ".join(row.letters) for row in block.runs} for block in result.figures]
    rows = tuple(
        Row((_title(run), *(of.get(run.name.run, "") for of in letters)), (Figure(run.comparisons),))
        for run in _by_accuracy(result)
    )
    titles = ("Run", *(block.title for block in result.figures))
    return Table(titles, (COMPARISONS_OF_RUN,), rows, notes=(NOTE_ON_LETTERS,))


def pairs_table(block: FigureCompared) -> Table:
    """Return the differences of all pairs of runs by a figure."""
    kind: Kind = "share" if block.is_share else "coefficient"
    column = partial(Column, kind=kind, reference=0, is_difference=True, observations="context")
    difference = column(name="difference", title="Difference", definition="agreement/#all-runs-with-all")
    swapped = () if block.is_share else (SWAPPED,)
    notes = (*NOTES_ON_PAIRS, *([] if block.is_share else [NOTE_ON_SWAPS]))
    rows = tuple(Row((f"{row.one} − {row.other}",), _of_pair(row, is_share=block.is_share)) for row in block.pairs)
    return Table(("Runs",), (difference, *P_COLUMNS, *swapped, COMPARISONS_OF_RUN), rows, notes=notes)


def _of_pair(row: PairDifference, *, is_share: bool) -> tuple[Figure, ...]:
    p_values = (row.p_value, row.p_value_holm, row.p_value_benjamini_hochberg)
    tests = [Figure.missing(row.undefined or "") if row.p_value_holm is None else Figure(one) for one in p_values]
    difference = Figure(row.difference, row.low, row.high, row.contexts, row.undefined)
    return (difference, *tests, *([] if is_share else [row.perm_both]), Figure(row.comparisons))


def _by_accuracy(result: AllCompared) -> list[ComparedRun]:
    runs = {run.name.run: run for run in result.runs}
    return [runs[row.run] for row in result.figures[0].runs]


def _title(run: ComparedRun) -> str:
    return f"{run.name.judge}, {run.name.prompt} (run {run.name.run})"


def _simple_rows(result: AllCompared) -> Iterator[Row]:
    """Yield the judges that read nothing, with the figures that they have."""
    for one in result.simple_judges:
        figures = [one.accuracy if block.is_share else one.spearman for block in result.figures]
        if any(figure.value is not None for figure in figures):
            own = tuple(None if figure.value is None else figure for figure in figures)
            yield Row((one.judge, "", "", ""), own, of="people")


def _column(block: FigureCompared) -> Column:
    if block.is_share:
        return Column(name="accuracy", title="Accuracy", marks_best=True, definition="report/#accuracy", reference=0.5)
    return Column(
        name="spearman",
        title=block.title,
        kind="coefficient",
        marks_best=True,
        definition="report/#spearman",
    )


def _row(run: ComparedRun, blocks: Sequence[Mapping[int, FigureOfRun]]) -> Row:
    name = run.name
    own = [block[name.run] for block in blocks]
    contexts = [one.figure.n for one in own if one.ranking and one.figure.n is not None]
    few = few_observations(min(contexts, default=None), "context")
    standings = [one.against_best for one in own]
    return Row(
        (name.judge, name.run, name.method, name.prompt),
        tuple(one.figure for one in own),
        rivals="" if few else "all",
        ties=frozenset(place for place, standing in enumerate(standings) if standing == "not worse"),
        untested=frozenset(place for place, standing in enumerate(standings) if standing == "not tested"),
        detail=", ".join(filter(None, [name.settings.removeprefix(", "), few])),
        href=reverse("run-results", args=[name.run]),
    )
