"""`ChosenRuns`: the runs that charts of a study show, and the answers of them that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.options import Option
from judging.models import Run, Study
from rankings.studies.charts.judged_answers import AnswersChoice
from rankings.studies.charts.run_labels import run_labels
from rankings.studies.dimensions import Names
from rankings.studies.pivots.best_cells import members_of
from rankings.studies.pivots.pivot_choice import PivotChoice

Debias = Annotated[bool, Option("Figures without position bias.", "Bias", choices={False: "raw", True: "debiased"})]


@dataclass(frozen=True, slots=True)
class ChosenRuns:
    """The runs that charts show, and the answers of them that count.

    names: of all runs of the study. subset: the one whose contexts count; ALL for all. rows: the report rows to read.
    """

    study: Study
    runs: Sequence[Run]
    names: Mapping[int, Names]
    subset: str
    rows: PivotChoice

    @property
    def labels(self) -> dict[int, str]:
        """Return run -> its name among the runs."""
        return run_labels(self.runs, self.names)

    @property
    def subsets(self) -> frozenset[str] | None:
        """Return the subsets whose contexts count; None for all."""
        return members_of(self.subset, self.rows)

    def answers(self, *, debiased: bool) -> AnswersChoice:
        """Return the answers of the subset that count."""
        return AnswersChoice(self.rows.answers, self.subsets, debiased)
