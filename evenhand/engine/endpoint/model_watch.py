"""Finds replies of another model than the one that answered the trial."""

from evenhand.engine.exceptions import EngineError
from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.replies.endpoint_reply import EndpointReply
from evenhand.engine.replies.reading_problems import AnswerT, unparsed

MOST_OTHERS = 8
"""An endpoint that never answers with the expected model is not asked more often than this."""


class ModelWatch:
    """Counts the replies of one call by their model.

    A single reply of another model is an answer of its own kind. Without a reply of the expected model, the endpoint's
    name now means another model, and every further answer would be lost.
    """

    def __init__(self, expected: str) -> None:
        self._expected = expected
        self._matches = 0
        self._others: list[str] = []

    def check(self, reply: EndpointReply) -> None:
        """Count a reply. Raises EngineError after MOST_OTHERS replies of other models alone."""
        if reply.model == self._expected:
            self._matches += 1
            return
        self._others.append(reply.model)
        if len(self._others) >= MOST_OTHERS:
            self.require_expected()

    def require_expected(self) -> None:
        """Raise EngineError if there are replies, and all of them are of other models."""
        if self._matches or not self._others:
            return
        raise EngineError(
            f'the endpoint now answers with the model "{self._others[0]}", '
            f'and answered with "{self._expected}" before; '
            "add a judge with one fixed version of the model, and start a new run"
        )


def of_model(answer: AnswerT, reply: EndpointReply, expected: str) -> AnswerT:
    """Return an answer; an unparsed one if another model gave it than the expected one."""
    return answer if reply.model == expected or answer.error else unparsed(answer, ReadingProblem.OTHER_MODEL)
