"""Chat messages of questions to an endpoint."""

import json

from evenhand.engine.questions.pair_questions import Question, RenderedPrompt
from evenhand.engine.questions.reply_questions import DecisionQuestion, ReplyQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.replies.label_probabilities import label_words

ChatMessage = dict[str, str]


class ChatRenderer:
    """Renderer of chat messages. The endpoint applies its own chat template, which is unknown here.

    by_scoring: True for an endpoint that scores label words after our own prompt.
    """

    def __init__(self, *, by_scoring: bool = False) -> None:
        self.by_scoring = by_scoring

    def render(self, question: Question) -> RenderedPrompt:
        """Return the messages as JSON in prompt_text. Chat endpoints take no answer prefix, so it is empty.

        A decision model gets a state and a question, which its server puts into words.
        """
        if isinstance(question, DecisionQuestion):
            typed = {"state": question.state, "question": question.instructions}
            choices = (question.label_first, question.label_second)
            return RenderedPrompt(json.dumps(typed, ensure_ascii=False), "", *choices, add_special_tokens=False)
        if self.by_scoring and not isinstance(question, ReplyQuestion):
            return self._continued(question)
        messages = json.dumps(question_messages(question), ensure_ascii=False)
        labels = (question.label_first, question.label_second, question.label_tie)
        first, second, tie = (label.strip() for label in labels)
        return RenderedPrompt(messages, "", first, second, add_special_tokens=False, label_tie=tie)

    def _continued(self, question: Question) -> RenderedPrompt:
        """Return the messages, and the beginning of the judge's turn."""
        messages = json.dumps(chat_messages(question.text, question.system), ensure_ascii=False)
        labels = (question.label_first, question.label_second)
        beginning = answer_beginning(question)
        return RenderedPrompt(messages, beginning, *labels, add_special_tokens=False, label_tie=question.label_tie)

    def fingerprint(self) -> str:
        return ""


def question_messages(question: Question) -> list[ChatMessage]:
    """Return the messages for a question: its prompt, and the request for a bare answer. Raises QuestionRefused."""
    return chat_messages(answer_text(question), question.system)


def answer_beginning(question: Question) -> str:
    """Return the beginning of the judge's turn before a label word, as a local judge reads it."""
    return (
        f" {question.answer_prefix}"
        if question.answer_prefix and not question.follows_reply
        else question.answer_prefix
    )


def answer_text(question: Question) -> str:
    """Return the prompt, followed by the request to answer with a label word only. Raises QuestionRefused.

    A question that a whole reply answers is the prompt alone.
    """
    if isinstance(question, ReplyQuestion):
        return question.text
    return f"{question.text}\n\nAnswer only with {_allowed_answers(question)}, and nothing else."


def _allowed_answers(question: Question) -> str:
    if isinstance(question, ScaleQuestion):
        scores = question.labels()
        return f"a whole number from {min(scores)} to {max(scores)}"
    *others, last = label_words(question).all
    return f"{', '.join(others)} or {last}"


def chat_messages(text: str, system: str) -> list[ChatMessage]:
    """Return a system message, if there is one, and the text as the user's message."""
    system_messages = [{"role": "system", "content": system}] if system else []
    return [*system_messages, {"role": "user", "content": text}]
