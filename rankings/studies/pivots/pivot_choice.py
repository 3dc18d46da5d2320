"""`PivotChoice`: the rows, columns and figure of a pivot table, and the runs that it is limited to."""

from dataclasses import dataclass

from evenhand.refusals import Refused, did_you_mean
from rankings.report.report_choice import ALL, SUBSET, USUAL_CHOICE, ReportChoice
from rankings.studies.dimensions import DIMENSIONS, require_dimensions
from rankings.studies.pivots.pivot_figures import USUAL_FIGURE, FigureChoice, require_figure

Only = tuple[tuple[str, str], ...]
"""Pairs of a dimension and a name: the runs and subsets that a table is limited to."""


@dataclass(frozen=True, slots=True)
class PivotChoice:
    """The choices of a pivot table.

    rows, columns: dimensions. only: names of one dimension are alternatives; default: every run, all contexts.
    answers: the answers that count, and groups of subsets.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    figure: FigureChoice = USUAL_FIGURE
    only: Only = ()
    answers: ReportChoice = USUAL_CHOICE

    def require_valid(self) -> None:
        """Raise Refused for dimensions and figures that do not exist or do not go together."""
        require_dimensions(self.rows, self.columns)
        require_figure(self.figure)
        problems = [
            f'only: there is no dimension "{name}"{did_you_mean(name, DIMENSIONS)}; there are: {", ".join(DIMENSIONS)}'
            for name, _ in self.only
            if name not in DIMENSIONS
        ]
        if not self.has_subsets and len(self.limits(SUBSET)) > 1:
            problems += ["only: give one subset, or use subset as rows or columns; subsets are not averaged"]
        if problems:
            raise Refused(*problems)

    @property
    def has_subsets(self) -> bool:
        """Return True if subsets are rows or columns."""
        return SUBSET in (*self.rows, *self.columns)

    @property
    def reads_subsets(self) -> bool:
        """Return True if the table shows more than all contexts of each run, so that groups have a place."""
        return self.has_subsets or bool(self.limits(SUBSET))

    @property
    def subsets(self) -> list[str]:
        """Return the only subsets of the table; empty for every subset."""
        return self.limits(SUBSET) or ([] if self.has_subsets else [ALL])

    def limits(self, dimension: str) -> list[str]:
        """Return the names to which the table is limited in a dimension."""
        return [name for one, name in self.only if one == dimension]


def parse_only(text: str) -> tuple[str, str]:
    """Read DIMENSION=NAME. Raises Refused for any other text."""
    dimension, _, name = (part.strip() for part in text.partition("="))
    if not dimension or not name:
        raise Refused(f'only: "{text}" — write DIMENSION=NAME, for example attribute=coherence')
    return dimension, name
