"""Questions to a decision model: a state, and a question about it with two choices. No torch."""

from dataclasses import dataclass, field

from evenhand.engine.questions.pair_questions import Question


@dataclass(frozen=True, slots=True)
class DecisionQuestion(Question):
    """A question that a decision model answers with the probabilities of two choices. It writes nothing.

    state: the beginning of the text, which several questions share. label_first, label_second: the two choices.
    answer_prefix: empty.
    """

    state: str = field(kw_only=True)

    @property
    def instructions(self) -> str:
        """The text after the state."""
        return self.text.removeprefix(self.state).strip()
