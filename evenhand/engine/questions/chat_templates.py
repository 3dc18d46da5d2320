"""A tokenizer's chat template: messages as the model reads them, equal on every day."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from jinja2.exceptions import TemplateError

from evenhand.engine.exceptions import QuestionRefused

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TEMPLATE_DATE = datetime(2024, 7, 26)  # noqa: DTZ001 - the default date of Llama's templates; no time zone is used
DATE_CALL = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
_LISTED_PART = ("{'type': 'text'", '{"type": "text"')  # a template that prints the list itself, and not its parts
_TEMPLATE_FAULTS = (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class ChatTemplate:
    """The chat template of a tokenizer. Without one, a system message, an empty line and the text are joined.

    text: the template for plain chats; empty without one. is_given: the tokenizer has a template.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer
        self.text = _template_text(tokenizer.chat_template)
        self.is_given = bool(tokenizer.chat_template)
        self._dated = _with_fixed_date(self.text)

    def render(self, text: str, system: str, arguments: Mapping[str, object]) -> str:
        """Return the messages as the template shows them. arguments: of the template. Raises QuestionRefused."""
        joined = f"{system}\n\n{text}" if system else text
        if not self.is_given:
            return joined
        user = {"role": "user", "content": text}
        if system:
            try:
                return self._templated([{"role": "system", "content": system}, user], arguments, system, text)
            except QuestionRefused:  # some templates support no system message
                pass
        return self._templated([user | {"content": joined}], arguments, joined)

    def _templated(self, messages: list[dict[str, str]], arguments: Mapping[str, object], *required: str) -> str:
        """Apply the template to texts; if it fails, to lists of parts, as some multimodal templates need.

        Raises QuestionRefused if both fail or omit a required text.
        """
        try:
            return self._applied(messages, arguments, *required)
        except QuestionRefused as refused:
            parts = [message | {"content": [{"type": "text", "text": message["content"]}]} for message in messages]
            try:
                prompt = self._applied(parts, arguments, *required)
            except QuestionRefused:
                raise refused from None
            if any(marker in prompt for marker in _LISTED_PART):
                raise
            return prompt

    def _applied(
        self, messages: Sequence[Mapping[str, object]], arguments: Mapping[str, object], *required: str
    ) -> str:
        """Apply the template. Raises QuestionRefused if it fails or omits a required text."""
        try:
            rendered = self._tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, chat_template=self._dated, **arguments
            )
        except _TEMPLATE_FAULTS as error:
            raise QuestionRefused(f"the model's chat template cannot render this prompt: {error}") from error
        prompt = str(rendered)
        if not all(text.strip() in prompt for text in required):
            raise QuestionRefused("the model's chat template leaves out a part of the prompt, or changes it")
        return prompt


def _with_fixed_date(template: str) -> str | None:
    """Return the template with TEMPLATE_DATE for today's date, so that a question reads the same on every day.

    Return None for a template without a date, which is used unchanged.
    """
    if not DATE_CALL.search(template):
        return None
    return DATE_CALL.sub(lambda call: json.dumps(TEMPLATE_DATE.strftime(call[2])), template)


def _template_text(chat_template: str | dict[str, str] | None) -> str:
    """Return the template for plain chats; empty without one."""
    template = chat_template.get("default") if isinstance(chat_template, dict) else chat_template
    return template or ""
