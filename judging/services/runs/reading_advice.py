"""Advice for a run whose answers cannot be read, with one of its replies."""

from dataclasses import dataclass

from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.settings import FORCED_CHOICE
from judging.models import Outcome, Run

NEARLY_ALL, FEWEST = 0.9, 10
"""A run with some answers gets advice from this share of unparsed ones on, and from this number of replies on."""
SHOWN_CHARACTERS = 200
OF_FREE_REPLIES = frozenset(
    {
        ReadingProblem.NO_VERDICT,
        ReadingProblem.TWO_VERDICTS,
        ReadingProblem.REFUSAL,
        ReadingProblem.UNKNOWN_PROBABILITY,
    }
)
"""Problems that are rare where only a label word may be written."""
OTHER_FORM = "The judge does not answer in the form that the prompt asks for; choose another prompt or judge."
FORCE = (
    f"An endpoint that can force a choice writes a label word and nothing else: add the judge with --ask-by "
    f"{FORCED_CHOICE} (“Ask by” on the page, ask_by in the API). Otherwise choose a prompt whose verdict is read in a "
    "whole reply, or another judge."
)


@dataclass(frozen=True, slots=True)
class ReadingAdvice:
    """How many of the replies could not be read, one of them, and what would help."""

    unparsed: int
    replies: int
    reply: str
    advice: str

    def __str__(self) -> str:
        how_many = "all" if self.unparsed == self.replies else f"{self.unparsed:,} of {self.replies:,}"
        return f"{how_many} answers are unparsed. One of them: {self.reply!r}\n{self.advice}"


def reading_advice(run: Run, *, answered: int, unparsed: int) -> ReadingAdvice | None:
    """Return what would help; None for a run with more answers that could be read, and for answers made elsewhere."""
    replies = answered + unparsed
    few_are_read = unparsed >= NEARLY_ALL * replies and replies >= FEWEST
    if not unparsed or not run.judge.can_be_asked or (answered and not few_are_read):
        return None
    text, problem = run.answers.filter(outcome=Outcome.UNPARSED).values_list("text", "problem")[0]
    return ReadingAdvice(unparsed, replies, text[:SHOWN_CHARACTERS], _advice(run, problem))


def _advice(run: Run, problem: str) -> str:
    is_forced = run.environment.get("asked_by") == FORCED_CHOICE
    if run.judge.is_endpoint and not run.asks_one_reply and not is_forced and problem in OF_FREE_REPLIES:
        return FORCE
    return OTHER_FORM
