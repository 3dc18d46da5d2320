"""`study_looks`: how a file of a study's table looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.options import Option, options_of
from judging.models import Study
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_source import RunParts
from rankings.studies.pivots.pivot_table import pivot_table
from rankings.studies.study_choice import study_choice
from rankings.studies.study_page import with_references
from rankings.tables.table import MOST_DIGITS, IntervalStyle, Table, TableStyle


@dataclass(frozen=True, slots=True)
class StudyLooks:
    """The style of a table. has_references: with rows of people and simple judges."""

    style: TableStyle
    has_references: bool

    def table(self, parts: Sequence[RunParts], choice: PivotChoice) -> Table:
        """Return the table of a file."""
        table = pivot_table(parts, choice)
        return with_references(table, parts, choice) if self.has_references else table


def study_looks(
    study: Study,
    *,
    references: Annotated[bool, Option("Rows of people and simple judges in files but CSV.")] = True,
    digits: Annotated[int, Option("Decimals of percentages; coefficients have two more.", low=0, high=MOST_DIGITS)] = 1,
    interval: Annotated[IntervalStyle, Option("Notation of intervals.")] = "brackets",
    caption: Annotated[str | None, Option("Default: name of the study.")] = None,
    label: Annotated[str, Option("For \\ref in LaTeX.")] = "tab:study",
) -> StudyLooks:
    """Return the looks of a study's table. Raises Refused for a label with other characters than names have."""
    text = study.name if caption is None else " ".join(caption.split())
    return StudyLooks(TableStyle(digits, interval, text, label), references)


LOOKS = options_of(study_looks)
STUDY_OPTIONS = (*options_of(study_choice), *LOOKS)
