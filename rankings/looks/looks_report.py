"""Figures of the test part of a dataset that were shown so far. docs/reference/looks.md says what counts."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Annotated

from evenhand.report_json import Help
from evenhand.units import counted
from judging.models import Dataset
from judging.models.activity_and_looks import Look
from judging.models.datasets import TEST
from judging.models.runs import RunQuerySet


@dataclass(frozen=True)
class ShownLook:
    """Figures of one run on the test part, shown once."""

    at: Annotated[str, Help("ISO 8601, UTC.")]
    who: Annotated[str, Help("The account, or the door without one.")]
    door: Annotated[str, Help("page, API or command.")]
    run: int
    judge: Annotated[str, Help("Empty for a run that is gone, or that you may not see.")]
    figures: str


@dataclass(frozen=True)
class LooksReport:
    """All looks at the test part, latest first."""

    dataset: str
    test_contexts: Annotated[int | None, Help("Contexts of the test part; null if the dataset is not split.")]
    looks: int
    runs: Annotated[int, Help("Different runs among them.")]
    people: Annotated[int, Help("Different people among them; all commands count as one.")]
    shown: list[ShownLook]

    @property
    def sentence(self) -> str:
        """Write how often the test part was looked at."""
        if not self.looks:
            return "No figure of the test part was shown so far."
        times = "once" if self.looks == 1 else f"{self.looks:,} times"
        people = "1 person" if self.people == 1 else f"{self.people:,} people"
        return f"Figures of the test part were shown {times}, of {counted(self.runs, 'run')}, to {people}."


def looks_report(dataset: Dataset, runs: RunQuerySet) -> LooksReport:
    """Print how often figures of the test part of a dataset were shown, for each run, and to whom."""
    seen = set(runs.values_list("pk", flat=True))
    looks = list(Look.objects.filter(dataset=dataset).select_related("who").order_by("-pk"))
    shown = [
        ShownLook(one.at.isoformat(), one.who.get_username() if one.who else one.door, one.door, *_of_run(one, seen))
        for one in looks
    ]
    people = {(one.who_id, one.door if one.who is None else "") for one in looks}
    test = dataset.split.get(TEST) if dataset.split else None
    return LooksReport(dataset.name, test, len(looks), len({one.run for one in looks}), len(people), shown)


def _of_run(look: Look, seen: Container[int]) -> tuple[int, str, str]:
    return look.run, look.judge if look.run in seen else "", look.figures
