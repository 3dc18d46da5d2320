"""An engine over a model that runs here: questions to tokens, tokens to the model, its numbers to answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from judging.engine.exceptions import EngineError, QuestionRefused
from judging.engine.questions.encoding_ahead import EncodingAhead
from judging.engine.questions.label_tokens import Ids, LabelledPrompt
from judging.engine.questions.likelihood_questions import LikelihoodQuestion, TextPrompt
from judging.engine.questions.pair_questions import (
    ANSWER_TOKENS,
    Answer,
    Batch,
    Generation,
    Question,
    RenderedPrompt,
    Request,
)
from judging.engine.questions.rendering import PromptRenderer
from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.questions.scale_tokens import ScalePrompt
from judging.engine.questions.tie_tokens import verdict
from judging.engine.settings import EngineDescription

NO_TOKEN = -1
"""In place of a token where the model's numbers for the next one are none."""
NO_NUMBERS = "the model gave no probability for the next token (nan); try another dtype, such as float32 or bfloat16"


@dataclass(frozen=True, slots=True)
class LabelLogprobs:
    """Natural log-probabilities of the two labels, each summed over its tokens."""

    first: float
    second: float


@dataclass(frozen=True, slots=True)
class WrittenIds:
    """Tokens that a model wrote after a prompt, its end token included if it came to one, or NO_TOKEN in its place.

    shared: tokens of the prompt that were computed for another one already.
    """

    ids: Ids
    complete: bool
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Decoding:
    """How tokens are chosen; see Request. begin: of an encoder-decoder, what its text begins with; else empty."""

    max_new_tokens: int
    temperature: float
    seed: int
    begin: Ids = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """logprobs: of every prompt, in order. computed_tokens: what the model ran over for them, padding not counted."""

    logprobs: list[LabelLogprobs | None]
    computed_tokens: int


@dataclass(frozen=True, slots=True)
class ScaleValues:
    """values: of every prompt, in order, the log-probabilities of its rows' labels. computed_tokens: as in Scored."""

    values: list[list[float] | None]
    computed_tokens: int


class LanguageModel(Protocol):
    """How a model computes. None stands for a prompt that does not fit into memory even alone.

    batching: as EngineDescription has it.
    """

    vocabulary: int
    batching: str

    def score(self, prompts: Sequence[LabelledPrompt]) -> Scored: ...

    def score_scale(self, prompts: Sequence[ScalePrompt]) -> ScaleValues: ...

    def score_texts(self, prompts: Sequence[TextPrompt]) -> ScaleValues: ...

    def write(self, prompts: Sequence[Ids], decodings: Sequence[Decoding]) -> list[WrittenIds | None]: ...


class LocalEngine:
    """Satisfies Engine. on_close: called when the model is gone."""

    def __init__(
        self,
        renderer: PromptRenderer,
        model: LanguageModel,
        description: EngineDescription,
        *,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._renderer = renderer
        self._encoding = EncodingAhead(renderer)
        self._open_model: LanguageModel | None = model
        self._description = description
        self._on_close = on_close

    @property
    def _model(self) -> LanguageModel:
        if self._open_model is None:
            raise EngineError("this engine is closed; load it again")
        return self._open_model

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Those that offer a tie are tokenised when they are asked."""
        self._encoding.expect(lambda: [question for question in upcoming() if not question.label_tie])

    def p_first(self, questions: Sequence[Question]) -> Batch:
        """Those that offer a tie and those that do not, each among themselves."""
        shares = self._shares([question for question in questions if not question.label_tie])
        verdicts = self._verdicts([question for question in questions if question.label_tie])
        of_two, of_three = iter(shares.answers), iter(verdicts.answers)
        answers = tuple(next(of_three if question.label_tie else of_two) for question in questions)
        return Batch(answers, shares.computed_tokens + verdicts.computed_tokens)

    def _verdicts(self, questions: Sequence[Question]) -> Batch:
        answers: dict[int, Answer] = {}
        prompts: dict[int, ScalePrompt] = {}
        for index, question in enumerate(questions):
            try:
                prompts[index] = self._known_scale(self._renderer.encode_verdict(question))
            except QuestionRefused as reason:
                answers[index] = Answer(error=str(reason))
        found = self._model.score_scale(list(prompts.values()))
        for (index, prompt), values in zip(prompts.items(), found.values, strict=True):
            answers[index] = _verdict(prompt, values)
        return Batch(tuple(answers[index] for index in range(len(questions))), found.computed_tokens)

    def _shares(self, questions: Sequence[Question]) -> Batch:
        answers: dict[int, Answer] = {}
        prompts: dict[int, LabelledPrompt] = {}
        for index, encoded in enumerate(self._encoding.encode_all(questions)):
            try:
                prompts[index] = self._known(encoded)
            except QuestionRefused as reason:
                answers[index] = Answer(error=str(reason))
        scored = self._model.score(list(prompts.values()))
        for (index, prompt), logprobs in zip(prompts.items(), scored.logprobs, strict=True):
            answers[index] = _answer(prompt, logprobs)
        return Batch(tuple(answers[index] for index in range(len(questions))), scored.computed_tokens)

    def _known(self, prompt: LabelledPrompt | QuestionRefused) -> LabelledPrompt:
        if isinstance(prompt, QuestionRefused):
            raise prompt
        self._require_known(prompt.encoder_ids + prompt.given_ids + prompt.first_ids + prompt.second_ids)
        return prompt

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        answers: dict[int, ScoreAnswer] = {}
        prompts: dict[int, ScalePrompt] = {}
        for index, question in enumerate(questions):
            try:
                prompts[index] = self._known_scale(self._renderer.encode_scale(question))
            except QuestionRefused as reason:
                answers[index] = ScoreAnswer(error=str(reason))
        found = self._model.score_scale(list(prompts.values()))
        for (index, prompt), values in zip(prompts.items(), found.values, strict=True):
            answers[index] = _score_answer(prompt, values)
        return ScoreBatch(tuple(answers[index] for index in range(len(questions))), found.computed_tokens)

    def _known_scale(self, prompt: ScalePrompt) -> ScalePrompt:
        labels = tuple(token for label in prompt.labels.values() for token in label)
        self._require_known(prompt.encoder_ids + prompt.given_ids + labels)
        return prompt

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        answers: dict[int, ScoreAnswer] = {}
        prompts: dict[int, TextPrompt] = {}
        for index, question in enumerate(questions):
            try:
                prompts[index] = self._encoded_text(question)
            except QuestionRefused as reason:
                answers[index] = ScoreAnswer(error=str(reason))
        found = self._model.score_texts(list(prompts.values()))
        for (index, prompt), values in zip(prompts.items(), found.values, strict=True):
            answers[index] = prompt.answer(values[0]) if values else _no_memory_for(prompt)
        return ScoreBatch(tuple(answers[index] for index in range(len(questions))), found.computed_tokens)

    def _encoded_text(self, question: LikelihoodQuestion) -> TextPrompt:
        prompt = self._renderer.encode_text(question)
        self._require_known(prompt.encoder_ids + prompt.given_ids + prompt.text_ids)
        return prompt

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        generations: dict[int, Generation] = {}
        prompts: dict[int, Ids] = {}
        for index, request in enumerate(requests):
            try:
                prompts[index] = self._request_ids(request)
            except QuestionRefused as reason:
                generations[index] = Generation(error=str(reason))
        decodings = [self._decoding(requests[index]) for index in prompts]
        written = self._model.write(list(prompts.values()), decodings)
        for (index, prompt), ids in zip(prompts.items(), written, strict=True):
            generations[index] = self._generation(prompt, ids)
        return [generations[index] for index in range(len(requests))]

    def _decoding(self, request: Request) -> Decoding:
        return Decoding(request.max_new_tokens, request.temperature, request.seed, self._renderer.begin_ids(request))

    def _request_ids(self, request: Request) -> Ids:
        if request.max_new_tokens < 1:
            raise QuestionRefused(f"max_new_tokens is {request.max_new_tokens}; it must be at least 1")
        if request.temperature < 0:
            raise QuestionRefused(f"temperature is {request.temperature}; it must not be negative")
        ids = tuple(self._renderer.request_ids(request))
        self._renderer.require_fits(len(ids), new_tokens=request.max_new_tokens)
        self._require_known(ids)
        if not ids:
            raise QuestionRefused("the prompt is empty, so the model has nothing to go on from")
        return ids

    def _require_known(self, ids: Ids) -> None:
        if max(ids, default=0) >= self._model.vocabulary:
            raise QuestionRefused(
                f"the tokenizer gives token {max(ids)}, and the model knows {self._model.vocabulary} tokens; "
                "they do not belong together"
            )

    def _generation(self, prompt: Ids, written: WrittenIds | None) -> Generation:
        if written is None:
            return Generation(error=_out_of_memory(len(prompt)), prompt_tokens=len(prompt))
        if NO_TOKEN in written.ids:
            return Generation(error=NO_NUMBERS, prompt_tokens=len(prompt), generated_tokens=len(written.ids))
        text = str(self._renderer.tokenizer.decode(list(written.ids), skip_special_tokens=True)).strip()
        return Generation(
            text=text,
            complete=written.complete,
            prompt_tokens=len(prompt),
            generated_tokens=len(written.ids),
            shared_tokens=written.shared,
        )

    def answer_request(self, question: Question) -> Request:
        """The prefix is put into the judge's mouth, as where its label words are read off."""
        return Request(question.text, question.system, ANSWER_TOKENS, answer_prefix=question.answer_prefix)

    def render(self, question: Question) -> RenderedPrompt:
        return self._renderer.render(question)

    def fingerprint(self) -> str:
        return self._renderer.fingerprint()

    def describe(self) -> EngineDescription:
        return self._description

    def close(self) -> None:
        self._encoding.close()
        self._open_model = None
        self._on_close()


def _answer(prompt: LabelledPrompt, logprobs: LabelLogprobs | None) -> Answer:
    if logprobs is None:
        return Answer(error=_out_of_memory(prompt.tokens), prompt_tokens=prompt.tokens)
    return Answer.from_logprobs(logprobs.first, logprobs.second, prompt_tokens=prompt.tokens)


def _verdict(prompt: ScalePrompt, values: list[float] | None) -> Answer:
    if values is None:
        return Answer(error=_out_of_memory(prompt.tokens), prompt_tokens=prompt.tokens)
    return verdict(prompt, values)


def _score_answer(prompt: ScalePrompt, values: list[float] | None) -> ScoreAnswer:
    if values is None:
        return _no_memory_for(prompt)
    return ScoreAnswer.from_logprobs(prompt.logprobs(values), prompt_tokens=prompt.tokens)


def _no_memory_for(prompt: ScalePrompt | TextPrompt) -> ScoreAnswer:
    return ScoreAnswer(error=_out_of_memory(prompt.tokens), prompt_tokens=prompt.tokens)


def _out_of_memory(tokens: int) -> str:
    return (
        f"out of memory on a single prompt of {tokens} tokens; use a smaller model, a smaller dtype or another device"
    )
