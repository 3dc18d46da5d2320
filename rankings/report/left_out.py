"""`LeftOutParts`: the systems and contexts that a report leaves out, as reports state them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from judging.models import Exclusion
from judging.units import counted
from rankings.report.report_json import Help
from rankings.tables.long_form import LongForm


@dataclass(frozen=True)
class LeftOutParts:
    """The systems and contexts that are left out, and the number of contexts that became too small."""

    systems: Annotated[Sequence[str], Help("Names of systems.")]
    contexts: Annotated[Sequence[str], Help("Identifiers of contexts.")]
    small_contexts: Annotated[int, Help("Contexts of which fewer than two candidates are left.")]

    @property
    def exclusion(self) -> Exclusion:
        return Exclusion(tuple(self.systems), tuple(self.contexts))

    @property
    def cell(self) -> str:
        """Write all names for a column of the long form: "system M1; context c3"."""
        names = [*(f"system {name}" for name in self.systems), *(f"context {name}" for name in self.contexts)]
        return "; ".join(names)

    def __str__(self) -> str:
        """Write "without system M1; 2 contexts have fewer than two candidates left"."""
        small = f"{counted(self.small_contexts, 'context')} with fewer than two candidates left"
        return f"{self.exclusion}; {small}" if self.small_contexts else str(self.exclusion)


def with_left_out(form: LongForm, without: LeftOutParts | None) -> LongForm:
    """Add a column with the systems and contexts that are left out, if there are any."""
    if without is None:
        return form
    cell = without.cell
    return LongForm(lambda: ({**line, "without": cell} for line in form.make_lines()), (*form.extra, "without"))


def left_out_notes(of_runs: Iterable[tuple[int, LeftOutParts | None]]) -> list[str]:
    """Return one note for each exclusion, with the runs that it concerns unless it concerns all. of_runs: by run."""
    runs: dict[str, dict[int, None]] = {}
    for run, without in of_runs:
        runs.setdefault(str(without) if without else "", {})[run] = None
    if len(runs) == 1:
        return [f"All figures are {text}." for text in runs if text]
    return [f"Figures of run {', '.join(map(str, numbers))} are {text}." for text, numbers in runs.items() if text]
