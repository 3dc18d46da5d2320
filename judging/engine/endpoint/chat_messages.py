"""What is sent to a judge behind an endpoint: the messages of a chat. Needs no connection."""

from __future__ import annotations

import json

from judging.engine.questions.pair_questions import Question, RenderedPrompt
from judging.engine.questions.scale_questions import ScaleQuestion
from judging.engine.replies.label_probabilities import label_words

Message = dict[str, str]


class ChatRenderer:
    """Satisfies Renderer: shows the messages that are sent; what the endpoint makes of them it alone knows."""

    def render(self, question: Question) -> RenderedPrompt:
        """prompt_text: the messages as JSON. Nothing is put into the judge's mouth, so answer_prefix is empty."""
        shown = json.dumps(question_messages(question), ensure_ascii=False)
        first, second = question.label_first.strip(), question.label_second.strip()
        return RenderedPrompt(shown, "", first, second, add_special_tokens=False, label_tie=question.label_tie.strip())

    def fingerprint(self) -> str:
        return ""


def question_messages(question: Question) -> list[Message]:
    """What is sent: the prompt, and the request to answer with a label word alone. Raises QuestionRefused."""
    return messages(answer_text(question), question.system)


def answer_text(question: Question) -> str:
    """The prompt and that request. Raises QuestionRefused."""
    return f"{question.text}\n\nAnswer only with {_allowed(question)}, and nothing else."


def _allowed(question: Question) -> str:
    if isinstance(question, ScaleQuestion):
        scores = question.labels()
        return f"a whole number from {min(scores)} to {max(scores)}"
    *others, last = label_words(question).all
    return f"{', '.join(others)} or {last}"


def messages(text: str, system: str) -> list[Message]:
    said = [{"role": "system", "content": system}] if system else []
    return [*said, {"role": "user", "content": text}]
