"""The questions for metrics: a text to measure, and the text to compare it with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judging.engine.questions.scale_questions import ScaleQuestion

Against = Literal["reference", "context", ""]


@dataclass(frozen=True, slots=True)
class MetricQuestion(ScaleQuestion):
    """A text to measure. Its score is not on a scale, so the label words are empty.

    text: both texts together, for people. candidate: the text to measure.
    against: the kind of the other text: the context's reference, the context's text, or nothing (empty).
    other: the text to compare with; empty if there is none.
    """

    candidate: str = ""
    against: Against = ""
    other: str = ""

    @property
    def lacks(self) -> str:
        """The reason why the text cannot be measured: the other text is missing. Empty if it can."""
        if self.against == "reference" and not self.other.strip():
            return "the context has no reference to hold the text against"
        if self.against == "context" and not self.other.strip():
            return "the context has no text to hold the candidate against"
        return ""
