"""Questions for metrics, the interface of a loaded metric, and the metrics that need no library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.settings import EngineDescription

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
            return "the context has no reference to compare the text with"
        if self.against == "context" and not self.other.strip():
            return "the context has no text to compare the candidate with"
        return ""


class Metric(Protocol):
    """A loaded metric. Every question has the text to compare with, if the metric needs one."""

    def measure(self, questions: Sequence[MetricQuestion]) -> ScoreBatch: ...

    def describe(self) -> EngineDescription: ...

    def close(self) -> None: ...


class TextsRefused(Exception):
    """The metric cannot measure these texts; the message says why."""


@dataclass(frozen=True, slots=True)
class TextMetric:
    """A metric that measures one pair of texts at a time.

    name: the judge's model. implementation: the library's class or function. signature: all settings that its scores
    depend on, with versions, to cite.
    score: takes the candidate and the other text, returns the score. Raises TextsRefused.
    release: closes open files.
    """

    name: str
    implementation: str
    signature: str
    score: Callable[[str, str], float]
    release: Callable[[], None] = lambda: None

    def measure(self, questions: Sequence[MetricQuestion]) -> ScoreBatch:
        return ScoreBatch(tuple(self._answer(question) for question in questions), computed_tokens=0)

    def _answer(self, question: MetricQuestion) -> ScoreAnswer:
        try:
            return ScoreAnswer(score=float(self.score(question.candidate, question.other)))
        except TextsRefused as refused:
            return ScoreAnswer(error=str(refused))

    def describe(self) -> EngineDescription:
        return EngineDescription(
            backend="metric",
            family="metric",
            gives_probabilities=False,
            architecture=self.implementation,
            model=self.name,
            revision="",
            dtype="",
            device="cpu",
            signature=self.signature,
        )

    def close(self) -> None:
        self.release()


def length_metric(name: str) -> TextMetric:
    """The length of a text. Preferring the longer text is a baseline of [Zeng2024]."""
    if name == "length":
        return TextMetric(name, "evenhand", "length|unit:character", lambda candidate, _: len(candidate))
    return TextMetric(name, "evenhand", "length|unit:word|tok:white space", lambda candidate, _: len(candidate.split()))
