"""What a metric is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judging.engine.questions.scale_questions import ScaleQuestion

Against = Literal["reference", "context", ""]


@dataclass(frozen=True, slots=True)
class MetricQuestion(ScaleQuestion):
    """A text to be measured. Its score is no number of a scale: the label words are empty.

    text: both texts together, as a person is shown them. candidate: the text measured.
    against: what it is held against: the context's reference, the context's text, or nothing (empty).
    other: that text; empty where there is none.
    """

    candidate: str = ""
    against: Against = ""
    other: str = ""

    @property
    def lacks(self) -> str:
        """Why it cannot be measured: what it should be held against is missing. Empty if it can."""
        if self.against == "reference" and not self.other.strip():
            return "the context has no reference to hold the text against"
        if self.against == "context" and not self.other.strip():
            return "the context has no text to hold the candidate against"
        return ""
