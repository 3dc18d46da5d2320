"""`QuestionForm`: the runs of one dataset and attribute of a study, for pages that show one question at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judging.models import Run
from rankings.studies.limits_form import EVERY, LimitsForm

QUESTION = ("dataset", "attribute")


class QuestionForm(LimitsForm):
    """The choices of a page of charts. Without a dataset and an attribute in the address, these are the first."""

    def __init__(self, data: Mapping[str, Any], *, runs: Sequence[Run]) -> None:
        super().__init__(data, runs=runs)
        self._choose_question()
        self.is_valid()

    def _choose_question(self) -> None:
        """Offer the datasets, and the attributes of the chosen one."""
        runs = list(self.runs)
        for dimension in QUESTION:
            if dimension in self.fields:
                names = self.names_in(dimension, runs)
                self.offer(dimension, [*((name, name) for name in names), (EVERY, f"all {len(names)}")])
                address = self.address.get(dimension)
                chosen = address if address in (*names, EVERY) else names[0]
                self.show({dimension: chosen})
                runs = [run for run in runs if chosen in (EVERY, self.names[run.pk][dimension])]

    @property
    def chosen_runs(self) -> list[Run]:
        """Return the runs that the choices leave."""
        return [run for run in self.runs if not self.is_limited(run)]

    @property
    def other_limits(self) -> list[str]:
        """Return the dimensions in which runs differ, but for dataset and attribute."""
        return [name for name in self.varying if name not in QUESTION]
