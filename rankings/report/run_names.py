"""The names that a run goes by in reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from judging.models import Run
from rankings.report.report_json import Help, IfAny


@dataclass(frozen=True)
class Sampled:
    """How the judge's texts were sampled."""

    samples: Annotated[int | None, Help("Texts of each answer; null where it was read off.")]
    temperature: Annotated[float, Help("Of everything that the judge wrote.")]


@dataclass(frozen=True)
class RunName:
    """What tells a run from others. run: its number."""

    run: int
    judge: str
    method: str
    prompt: str
    attribute: str
    sampled: Annotated[IfAny[Sampled], Help("Of runs in which the judge's texts are sampled.")] = None
    own_metrics: Annotated[
        IfAny[str], Help("Of runs whose judge writes metrics of its own first: by which prompt.")
    ] = None

    @classmethod
    def of(cls, run: Run) -> RunName:
        """The names of a stored run."""
        return cls(
            run=run.pk,
            judge=run.judge.name,
            method=run.method,
            prompt=run.prompt_name,
            attribute=run.attribute.name,
            sampled=Sampled(run.samples, run.temperature) if run.temperature else None,
            own_metrics=run.criteria_name or None,
        )

    @property
    def settings(self) -> str:
        """How the run was asked besides method and prompt, to be read after them; empty where as usual."""
        told = []
        if self.sampled:
            samples = f"{self.sampled.samples} samples at " if self.sampled.samples else ""
            told.append(f"{samples}temperature {self.sampled.temperature:g}")
        if self.own_metrics:
            told.append(f"after {self.own_metrics}")
        return "".join(f", {one}" for one in told)
