"""Rendering of a question into the exact text for a tokenizer, and into tokens. Needs no model weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from evenhand.engine.exceptions import LoadFailed, QuestionRefused
from evenhand.engine.questions.chat_templates import ChatTemplate
from evenhand.engine.questions.label_tokens import Ids, ReplyPrompt, TokenisedPrompt, labelled_prompt, scale_prompt
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion, likelihood_prompt
from evenhand.engine.questions.pair_questions import Question, RenderedPrompt, Request
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.questions.thinking import Thinking
from evenhand.engine.questions.thinking_styles import NO_THINKING, THINKING_MARKS, TRIAL_TEXT, find_thinking_style

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

FINGERPRINT_QUESTIONS = (
    Question("Wort für Wort, 1 + 1 = 2.", "Summary", " A", " B"),
    Question("x", "", "A", "B", system="Be fair."),
)
TOKENISED_TOGETHER = 64  # questions in one call of the tokenizer; a scale has one text for each score


@dataclass(frozen=True, slots=True)
class _PromptTexts:
    """The texts of a question for the tokenizer.

    prompts: for an encoder the prompt alone; for a decoder-only model the prompt with each label.
    endings: for the decoder of an encoder-decoder model, the answer prefix with each label; else empty.
    """

    prompts: list[str]
    endings: list[str]


def _labels(question: Question) -> list[str]:
    """Return each text that may follow the prompt and its answer prefix. Raises QuestionRefused if there is none."""
    if isinstance(question, LikelihoodQuestion):
        question.require_text()
        return ["", question.label_first]
    if isinstance(question, ScaleQuestion):
        return list(question.labels().values())
    if isinstance(question, ReplyQuestion):
        return [""]
    ties = [question.label_tie] if question.label_tie else []
    return [question.label_first, question.label_second, *ties]


def _split(question: Question, texts: Sequence[Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> TokenisedPrompt:
    """Split the tokens of the labelled texts into their common prefix and the labels.

    Raises QuestionRefused if the labels cannot be distinguished.
    """
    if isinstance(question, LikelihoodQuestion):
        return likelihood_prompt(texts[0], texts[1], encoder_ids=encoder_ids)
    if isinstance(question, ScaleQuestion):
        return scale_prompt(dict(zip(question.labels(), texts, strict=True)), encoder_ids=encoder_ids)
    if isinstance(question, ReplyQuestion):
        return ReplyPrompt(tuple(encoder_ids), tuple(texts[0]))
    return labelled_prompt(texts, encoder_ids=encoder_ids)


class PromptRenderer:
    """Renderer for one tokenizer. It tokenises whole texts, because tokens merge across the parts of a prompt."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        is_encoder_decoder: bool,
        decoder_start_id: int | None = None,
        max_prompt_tokens: int | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self._chat = ChatTemplate(tokenizer)
        self.has_chat_template = self._chat.is_given
        self.max_prompt_tokens = max_prompt_tokens
        self._is_encoder_decoder = is_encoder_decoder
        self._decoder_start_id = decoder_start_id
        self._leading_ids = _leading_special_ids(tokenizer)
        is_chat = self.has_chat_template and not is_encoder_decoder
        self.thinking = find_thinking_style(self._chat.text, self._trial_ending) if is_chat else NO_THINKING

    def render(self, question: Question) -> RenderedPrompt:
        """Return the exact strings for the tokenizer. Raises QuestionRefused if the chat template fails."""
        prefix = question.answer_prefix
        if prefix and not self._is_encoder_decoder and not question.follows_reply:
            prefix = f" {prefix}"
        return RenderedPrompt(
            prompt_text=self.prompt_text(
                question.text, system=question.system, thinking=question.thinking, thought=question.thought
            ),
            answer_prefix=prefix,
            label_first=question.label_first,
            label_second=question.label_second,
            add_special_tokens=not self.has_chat_template,
            label_tie=question.label_tie,
        )

    def prompt_text(
        self, text: str, *, system: str, thinking: Thinking | None = None, thought: str | None = None
    ) -> str:
        """Return the text in the chat template; without one, the system message, an empty line and the text.

        Without thinking, a model that would think is kept from it. With thinking, the block is open before `thought`
        is written, and closed after it. Raises QuestionRefused.
        """
        arguments = self.thinking.arguments(thinking)
        return self._chat.render(text, system, arguments) + self.thinking.addition(thinking, thought)

    def _trial_ending(self, arguments: Mapping[str, object]) -> str:
        """Return the text after the trial message, with these arguments of the chat template."""
        return self._chat.render(TRIAL_TEXT, "", arguments).rpartition(TRIAL_TEXT)[2]

    def fingerprint(self) -> str:
        """Return the SHA-256 of the tokenizer, its chat template, and the text and tokens of two questions."""
        whole = {
            "tokenizer": _serialised(self.tokenizer),
            "chat_template": self.tokenizer.chat_template,
            "decoder_start_id": self._decoder_start_id,
            "probes": [self._fingerprint_of(question) for question in FINGERPRINT_QUESTIONS],
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def _fingerprint_of(self, question: Question) -> list[object]:
        try:
            rendered = self.render(question)
        except QuestionRefused as reason:
            return [str(reason)]
        return [rendered.prompt_text, rendered.answer_prefix, self.prompt_ids(rendered.prompt_text)]

    def encode_all(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        """Return the tokens of each question, or its refusal. Many are tokenised together, on all cores."""
        starts = range(0, len(questions), TOKENISED_TOGETHER)
        return [outcome for start in starts for outcome in self._encoded(questions[start : start + TOKENISED_TOGETHER])]

    def _encoded(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        outcomes: dict[int, TokenisedPrompt | QuestionRefused] = {}
        texts_of: dict[int, _PromptTexts] = {}
        for index, question in enumerate(questions):
            try:
                texts_of[index] = self._prompt_texts(question)
            except QuestionRefused as reason:
                outcomes[index] = reason
        ids = self._ids_of([text for texts in texts_of.values() for text in texts.prompts])
        for index, texts in texts_of.items():
            try:
                outcomes[index] = prompt = self._tokenised(questions[index], texts, ids)
                self.require_fits(prompt.longest_part)
            except QuestionRefused as reason:
                outcomes[index] = reason
        return [outcomes[index] for index in range(len(questions))]

    def _prompt_texts(self, question: Question) -> _PromptTexts:
        """Return the texts of a question. Raises QuestionRefused if it is invalid or the chat template fails."""
        labels, rendered = _labels(question), self.render(question)
        endings = [rendered.answer_prefix + label for label in labels]
        if self._is_encoder_decoder:
            return _PromptTexts([rendered.prompt_text], endings)
        return _PromptTexts([rendered.prompt_text + ending for ending in endings], [])

    def _ids_of(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Return the tokens of each prompt, with the special tokens that a chat template does not contain."""
        if not (distinct := list(dict.fromkeys(texts))):
            return {}
        closed = self._is_encoder_decoder and not self.has_chat_template
        rows = self.tokenizer(distinct, add_special_tokens=closed).input_ids
        leading = [] if self._is_encoder_decoder or self.has_chat_template else self._leading_ids
        return {text: [*leading, *ids] for text, ids in zip(distinct, rows, strict=True)}

    def tokenised(self, question: Question) -> TokenisedPrompt:
        """Return the tokens of a question of any length. Raises QuestionRefused."""
        texts = self._prompt_texts(question)
        return self._tokenised(question, texts, self._ids_of(texts.prompts))

    def _tokenised(self, question: Question, texts: _PromptTexts, ids: Mapping[str, list[int]]) -> TokenisedPrompt:
        prompts = [ids[text] for text in texts.prompts]
        if self._is_encoder_decoder:
            return _split(question, [self._decoder_ids(ending) for ending in texts.endings], encoder_ids=prompts[0])
        return _split(question, prompts)

    def prompt_ids(self, prompt_text: str) -> list[int]:
        """Return the tokens of a prompt. For an encoder they end with the tokenizer's closing tokens."""
        return self._ids_of([prompt_text])[prompt_text]

    def request_ids(self, request: Request) -> list[int]:
        """Return the prompt tokens of a request. For a decoder-only model they end with the answer prefix."""
        text = self.prompt_text(request.text, system=request.system, thinking=request.thinking, thought=request.thought)
        if request.answer_prefix and not self._is_encoder_decoder:
            text = f"{text} {request.answer_prefix}"
        return self.prompt_ids(text)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of written tokens, with the marks of special tokens."""
        text = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return str(text)

    def reply_text(self, ids: Sequence[int]) -> str:
        """Return the text of written tokens without special tokens, except marks of thinking."""
        plain = str(self.tokenizer.decode(list(ids), skip_special_tokens=True))
        special = {token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special}
        marks = special.intersection(mark for pair in THINKING_MARKS for mark in pair)
        if not marks.intersection(map(self.tokenizer.convert_ids_to_tokens, ids)):
            return plain
        return reduce(lambda text, token: text.replace(token, ""), special - marks, self.decode(ids))

    def begin_ids(self, request: Request) -> Ids:
        """Return the first decoder tokens of an encoder-decoder, with the start token; empty without a prefix."""
        if request.answer_prefix and self._is_encoder_decoder:
            return tuple(self._decoder_ids(request.answer_prefix))
        return ()

    def _decoder_ids(self, text: str) -> list[int]:
        """Return the first decoder tokens of an encoder-decoder model: a text that continues, so it is not closed."""
        start = [] if self._decoder_start_id is None else [self._decoder_start_id]
        leading = [] if self.has_chat_template else self._leading_ids
        return [*start, *leading, *self.tokenizer(text, add_special_tokens=False).input_ids]

    def require_fits(self, tokens: int, *, new_tokens: int = 0) -> None:
        """Raise QuestionRefused if the tokens do not fit into the model's window."""
        if self.max_prompt_tokens is not None and tokens + new_tokens > self.max_prompt_tokens:
            room = f" and up to {new_tokens} new ones" if new_tokens else ""
            raise QuestionRefused(
                f"the prompt is too long: it has {tokens} tokens{room}, and the model takes {self.max_prompt_tokens}"
            )


def _serialised(tokenizer: PreTrainedTokenizerBase) -> object:
    """Return a fast tokenizer as JSON; for a slow one, its class and vocabulary."""
    fast = getattr(tokenizer, "backend_tokenizer", None)
    return fast.to_str() if fast is not None else [type(tokenizer).__name__, tokenizer.get_vocab()]


def _leading_special_ids(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Return the special tokens that the tokenizer puts before a text. Raises LoadFailed."""
    plain = list(tokenizer("a", add_special_tokens=False).input_ids)
    whole = list(tokenizer("a").input_ids)
    for start in range(len(whole) - len(plain) + 1):
        if plain and whole[start : start + len(plain)] == plain:
            return whole[:start]
    raise LoadFailed("the tokenizer changes the tokens of a text when it adds special tokens; it cannot be used")
