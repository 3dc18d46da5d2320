"""From a question to exactly what a tokenizer is given, and to its tokens. Needs the tokenizer, not the weights."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from jinja2.exceptions import TemplateError

from judging.engine.exceptions import LoadFailed, QuestionRefused
from judging.engine.questions.label_tokens import Ids, TokenisedPrompt, labelled_prompt
from judging.engine.questions.likelihood_questions import LikelihoodQuestion, text_prompt
from judging.engine.questions.pair_questions import Question, RenderedPrompt, Request
from judging.engine.questions.scale_questions import ScaleQuestion
from judging.engine.questions.scale_tokens import scale_prompt
from judging.engine.questions.tie_tokens import verdict_prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

DAY = datetime(2024, 7, 26)  # noqa: DTZ001 - that of Llama's templates where none is told; nobody asks for a zone
ASKS_FOR_TODAY = re.compile(r"""strftime_now\(\s*(["'])(.*?)\1\s*\)""")
PROBES = (Question("Wort für Wort, 1 + 1 = 2.", "Summary", " A", " B"), Question("x", "", "A", "B", system="Be fair."))
TOGETHER = 64  # questions whose texts are tokenised in one call; a scale has a text for each of its scores
_TEMPLATE_FAULTS = (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _LaidOut:
    """The texts of a question that a tokenizer is given.

    read: what an encoder reads; of a decoder-only model the prompt with each label. endings: what a decoder beside an
        encoder is given, with each label; else empty.
    """

    read: list[str]
    endings: list[str]


def _labels(question: Question) -> list[str]:
    """Each text that may follow the prompt and its answer prefix. Raises QuestionRefused where there is none."""
    if isinstance(question, LikelihoodQuestion):
        question.require_text()
        return ["", question.label_first]
    if isinstance(question, ScaleQuestion):
        return list(question.labels().values())
    ties = [question.label_tie] if question.label_tie else []
    return [question.label_first, question.label_second, *ties]


def _split(question: Question, texts: Sequence[Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> TokenisedPrompt:
    """The tokens of the texts with each label, split into what they share and what tells them apart.

    Raises QuestionRefused where nothing does.
    """
    if isinstance(question, LikelihoodQuestion):
        return text_prompt(texts[0], texts[1], encoder_ids=encoder_ids)
    if isinstance(question, ScaleQuestion):
        return scale_prompt(dict(zip(question.labels(), texts, strict=True)), encoder_ids=encoder_ids)
    if question.label_tie:
        return verdict_prompt(texts, encoder_ids=encoder_ids)
    return labelled_prompt(texts[0], texts[1], encoder_ids=encoder_ids)


class PromptRenderer:
    """Renders for one tokenizer. Texts are always tokenised whole: tokens merge across the joins of a prompt."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        is_encoder_decoder: bool,
        decoder_start_id: int | None = None,
        max_prompt_tokens: int | None = None,
        usual_prompt_tokens: int | None = None,
    ) -> None:
        """usual_prompt_tokens: where nothing ends a prompt, how long those were that the model learned from."""
        self.tokenizer = tokenizer
        self.has_chat_template = bool(tokenizer.chat_template)
        self.max_prompt_tokens = max_prompt_tokens
        self.usual_prompt_tokens = usual_prompt_tokens
        self._chat_template = on_one_day(tokenizer.chat_template)
        self._is_encoder_decoder = is_encoder_decoder
        self._decoder_start_id = decoder_start_id
        self._leading_ids = _leading_special_ids(tokenizer)

    def render(self, question: Question) -> RenderedPrompt:
        """Raises QuestionRefused where the chat template fails."""
        prefix = question.answer_prefix
        if prefix and not self._is_encoder_decoder:
            prefix = f" {prefix}"
        return RenderedPrompt(
            prompt_text=self.prompt_text(question.text, system=question.system),
            answer_prefix=prefix,
            label_first=question.label_first,
            label_second=question.label_second,
            add_special_tokens=not self.has_chat_template,
            label_tie=question.label_tie,
        )

    def prompt_text(self, text: str, *, system: str) -> str:
        """Through the chat template if there is one; else the system message, an empty line and the text."""
        joined = f"{system}\n\n{text}" if system else text
        if not self.has_chat_template:
            return joined
        user = {"role": "user", "content": text}
        if system:
            try:
                return self._templated([{"role": "system", "content": system}, user], system, text)
            except QuestionRefused:  # some templates know no system message
                pass
        return self._templated([user | {"content": joined}], joined)

    def _templated(self, messages: list[dict[str, str]], *told: str) -> str:
        """Raises QuestionRefused where the template fails, or leaves out what the judge is to be told."""
        try:
            rendered = self.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, chat_template=self._chat_template
            )
        except _TEMPLATE_FAULTS as error:
            raise QuestionRefused(f"the model's chat template cannot render this prompt: {error}") from error
        prompt = str(rendered)
        if not all(text.strip() in prompt for text in told):
            raise QuestionRefused("the model's chat template leaves out a part of the prompt, or changes it")
        return prompt

    def fingerprint(self) -> str:
        """SHA-256 of the tokenizer and its chat template, and of how two questions read and which tokens they have."""
        whole = {
            "tokenizer": _whole(self.tokenizer),
            "chat_template": self.tokenizer.chat_template,
            "decoder_start_id": self._decoder_start_id,
            "probes": [self._probed(question) for question in PROBES],
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def _probed(self, question: Question) -> list[object]:
        try:
            rendered = self.render(question)
        except QuestionRefused as reason:
            return [str(reason)]
        return [rendered.prompt_text, rendered.answer_prefix, self.prompt_ids(rendered.prompt_text)]

    def encode_all(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        """The questions in tokens, or why one cannot be asked of this model; many tokenised together, on all cores."""
        starts = range(0, len(questions), TOGETHER)
        return [outcome for start in starts for outcome in self._encoded(questions[start : start + TOGETHER])]

    def _encoded(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        outcomes: dict[int, TokenisedPrompt | QuestionRefused] = {}
        laid_out: dict[int, _LaidOut] = {}
        for index, question in enumerate(questions):
            try:
                laid_out[index] = self._laid_out(question)
            except QuestionRefused as reason:
                outcomes[index] = reason
        ids = self._ids_of([text for one in laid_out.values() for text in one.read])
        for index, one in laid_out.items():
            try:
                outcomes[index] = prompt = self._tokenised(questions[index], one, ids.__getitem__)
                self.require_fits(self.length(prompt))
            except QuestionRefused as reason:
                outcomes[index] = reason
        return [outcomes[index] for index in range(len(questions))]

    def _laid_out(self, question: Question) -> _LaidOut:
        """Raises QuestionRefused where the question is faulty or the chat template fails."""
        labels, rendered = _labels(question), self.render(question)
        endings = [rendered.answer_prefix + label for label in labels]
        if self._is_encoder_decoder:
            return _LaidOut([rendered.prompt_text], endings)
        return _LaidOut([rendered.prompt_text + ending for ending in endings], [])

    def _ids_of(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """What `prompt_ids` gives of each."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        closed = self._is_encoder_decoder and not self.has_chat_template
        found = self.tokenizer(distinct, add_special_tokens=closed).input_ids
        leading = [] if self._is_encoder_decoder or self.has_chat_template else self._leading_ids
        return {text: [*leading, *ids] for text, ids in zip(distinct, found, strict=True)}

    def length(self, prompt: TokenisedPrompt) -> int:
        """What of a prompt has to fit into the model's window, in tokens; of an encoder-decoder, into either."""
        return max(len(prompt.encoder_ids), prompt.longest_row)

    def tokenised(self, question: Question) -> TokenisedPrompt:
        """The question in tokens, however many. Raises QuestionRefused if it cannot be put to this model."""
        return self._tokenised(question, self._laid_out(question), self.prompt_ids)

    def _tokenised(self, question: Question, one: _LaidOut, ids_of: Callable[[str], list[int]]) -> TokenisedPrompt:
        read = [ids_of(text) for text in one.read]
        if self._is_encoder_decoder:
            return _split(question, [self._decoder_ids(ending) for ending in one.endings], encoder_ids=read[0])
        return _split(question, read)

    def prompt_ids(self, prompt_text: str) -> list[int]:
        """A whole prompt for free text or for an encoder; an encoder also gets the tokenizer's closing tokens."""
        if self._is_encoder_decoder:
            return list(self.tokenizer(prompt_text, add_special_tokens=not self.has_chat_template).input_ids)
        return self.text_ids(prompt_text)

    def request_ids(self, request: Request) -> list[int]:
        """What a model reads before it writes; of a decoder-only model the answer prefix is its end."""
        text = self.prompt_text(request.text, system=request.system)
        if request.answer_prefix and not self._is_encoder_decoder:
            text = f"{text} {request.answer_prefix}"
        return self.prompt_ids(text)

    def begin_ids(self, request: Request) -> Ids:
        """What an encoder-decoder's text begins with, its start token included; empty where nothing is given."""
        if request.answer_prefix and self._is_encoder_decoder:
            return tuple(self._decoder_ids(request.answer_prefix))
        return ()

    def text_ids(self, text: str) -> list[int]:
        """A text that goes on: opening special tokens unless a chat template wrote them, never closing ones."""
        leading = [] if self.has_chat_template else self._leading_ids
        return [*leading, *self.tokenizer(text, add_special_tokens=False).input_ids]

    def _decoder_ids(self, text: str) -> list[int]:
        start = [] if self._decoder_start_id is None else [self._decoder_start_id]
        return [*start, *self.text_ids(text)]

    def require_fits(self, tokens: int, *, new_tokens: int = 0) -> None:
        """Raises QuestionRefused if the model's window is too small."""
        if self.max_prompt_tokens is not None and tokens + new_tokens > self.max_prompt_tokens:
            room = f" and up to {new_tokens} new ones" if new_tokens else ""
            raise QuestionRefused(
                f"the prompt is too long: it has {tokens} tokens{room}, and the model takes {self.max_prompt_tokens}"
            )


def on_one_day(chat_template: str | dict[str, str] | None) -> str | None:
    """A template that tells its model the date, with DAY for today: the same question reads the same tomorrow.

    None for any other template, which is taken as it is.
    """
    usual = chat_template.get("default") if isinstance(chat_template, dict) else chat_template
    if not usual or not ASKS_FOR_TODAY.search(usual):
        return None
    return ASKS_FOR_TODAY.sub(lambda call: json.dumps(DAY.strftime(call[2])), usual)


def _whole(tokenizer: PreTrainedTokenizerBase) -> object:
    """Everything that a fast tokenizer is, as JSON; of another one what it knows."""
    fast = getattr(tokenizer, "backend_tokenizer", None)
    return fast.to_str() if fast is not None else [type(tokenizer).__name__, tokenizer.get_vocab()]


def _leading_special_ids(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The special tokens that the tokenizer puts before a text."""
    plain = list(tokenizer("a", add_special_tokens=False).input_ids)
    whole = list(tokenizer("a").input_ids)
    for start in range(len(whole) - len(plain) + 1):
        if plain and whole[start : start + len(plain)] == plain:
            return whole[:start]
    raise LoadFailed("the tokenizer changes a text when it adds special tokens; such a tokenizer cannot be used")
