"""Chat messages of questions to an endpoint."""

from __future__ import annotations

import json

from evenhand.engine.questions.pair_questions import Question, RenderedPrompt
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.replies.label_probabilities import label_words

ChatMessage = dict[str, str]


class ChatRenderer:
    """Renderer of chat messages. The endpoint applies its own chat template, which is unknown here."""

    def render(self, question: Question) -> RenderedPrompt:
        """Return the messages as JSON in prompt_text. Chat endpoints take no answer prefix, so it is empty."""
        messages = json.dumps(question_messages(question), ensure_ascii=False)
        labels = (question.label_first, question.label_second, question.label_tie)
        first, second, tie = (label.strip() for label in labels)
        return RenderedPrompt(messages, "", first, second, add_special_tokens=False, label_tie=tie)

    def fingerprint(self) -> str:
        return ""


def question_messages(question: Question) -> list[ChatMessage]:
    """Return the messages for a question: its prompt, and the request for a bare answer. Raises QuestionRefused."""
    return chat_messages(answer_text(question), question.system)


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
