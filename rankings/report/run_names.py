"""The names and settings of a run in reports."""

from dataclasses import dataclass
from typing import Annotated

from evenhand.report_json import Help, IfAny
from judging.models import Run


@dataclass(frozen=True)
class Sampled:
    """Sampling settings of the judge's texts."""

    samples: Annotated[int | None, Help("Texts of each answer; null where it was read off.")]
    temperature: Annotated[float, Help("Sampling temperature of all text that the judge wrote.")]


@dataclass(frozen=True)
class ThinkingSettings:
    """Settings of the judge's thinking."""

    tokens: Annotated[int, Help("Most tokens of the thinking before one answer.")]
    effort: Annotated[str, Help("The effort asked for; empty for the model's own.")]


@dataclass(frozen=True)
class RunName:
    """The names that identify a run in reports. run: its number."""

    run: int
    judge: str
    method: str
    prompt: str
    attribute: str
    sampled: Annotated[IfAny[Sampled], Help("Of runs in which the judge's texts are sampled.")] = None
    thinking: Annotated[IfAny[ThinkingSettings], Help("Of runs whose judge thinks before it answers.")] = None
    own_metrics: Annotated[IfAny[str], Help("Prompt for self-generated criteria; only for runs with them.")] = None

    @classmethod
    def of(cls, run: Run) -> "RunName":
        """Return the names of a stored run."""
        return cls(
            run=run.pk,
            judge=run.judge.name,
            method=run.method,
            prompt=run.prompt_name,
            attribute=run.attribute.name,
            sampled=Sampled(run.samples, run.temperature) if run.temperature else None,
            thinking=ThinkingSettings(run.thinking.tokens, run.thinking.effort) if run.thinking else None,
            own_metrics=run.criteria_name or None,
        )

    @property
    def words(self) -> str:
        """Write the run within a sentence: "gpt-4 with comparative-1 (run 7)"."""
        return f"{self.judge} with {self.prompt} (run {self.run})"

    @property
    def settings(self) -> str:
        """Write the settings besides method and prompt, to follow them in a text; empty for the default."""
        texts = []
        if self.sampled:
            samples = f"{self.sampled.samples} samples at " if self.sampled.samples else ""
            texts.append(f"{samples}temperature {self.sampled.temperature:g}")
        if self.thinking:
            effort = f", effort {self.thinking.effort}" if self.thinking.effort else ""
            texts.append(f"thinking{effort}")
        if self.own_metrics:
            texts.append(f"after {self.own_metrics}")
        return "".join(f", {one}" for one in texts)
