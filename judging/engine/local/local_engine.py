"""An engine over a model that runs here: questions to tokens, tokens to the model, its numbers to answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from judging.engine.exceptions import EngineError, QuestionRefused
from judging.engine.questions.encoding_ahead import EncodingAhead
from judging.engine.questions.label_tokens import Ids, TokenisedPrompt
from judging.engine.questions.likelihood_questions import LikelihoodQuestion
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
from judging.engine.settings import Batching, EngineDescription

NO_TOKEN = -1
"""In place of a token where the model's numbers for the next one are none."""
NO_NUMBERS = "the model gave no probability for the next token (nan); try another dtype, such as float32 or bfloat16"


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
class RequestPrompt:
    """A request in tokens, and how its text is decoded."""

    ids: Ids
    decoding: Decoding

    @property
    def tokens(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Scored:
    """values: for each prompt, in order, the log-probabilities of its rows' labels.

    computed_tokens: tokens that the model ran over, padding not counted.
    """

    values: Sequence[list[float] | None]
    computed_tokens: int


class LanguageModel(Protocol):
    """How a model computes. None stands for a prompt that does not fit into memory even alone.

    batching, batching_note: for EngineDescription.
    """

    vocabulary: int
    batching: Batching
    batching_note: str

    def score(self, prompts: Sequence[TokenisedPrompt]) -> Scored: ...

    def score_texts(self, prompts: Sequence[TokenisedPrompt]) -> Scored:
        """The same for whole texts, each of whose tokens meets the vocabulary."""

    def write(self, prompts: Sequence[Ids], decodings: Sequence[Decoding]) -> list[WrittenIds | None]: ...


class Prompt(Protocol):
    """Something in tokens that a model is run over."""

    @property
    def tokens(self) -> int: ...


P = TypeVar("P", bound=Prompt)
V = TypeVar("V")
A = TypeVar("A", Answer, ScoreAnswer, Generation)
S = TypeVar("S", Answer, ScoreAnswer)


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
        self._encoding.expect(upcoming)

    def p_first(self, questions: Sequence[Question]) -> Batch:
        return Batch(*self._answered(questions, self._model.score, Answer))

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        return ScoreBatch(*self._answered(questions, self._model.score, ScoreAnswer))

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        return ScoreBatch(*self._answered(questions, self._model.score_texts, ScoreAnswer))

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        encoded = [self._encoded(request) for request in requests]
        prompts = _askable(encoded)
        written = self._model.write([one.ids for one in prompts], [one.decoding for one in prompts])
        return list(_in_order(encoded, written, self._generation, Generation))

    def _answered(
        self, questions: Sequence[Question], score: Callable[[Sequence[TokenisedPrompt]], Scored], kind: type[S]
    ) -> tuple[tuple[S, ...], int]:
        """Answers in the order asked, and the tokens computed for them. kind: what these questions are answered by."""
        encoded = [self._known(prompt) for prompt in self._encoding.encode_all(questions)]
        scored = score(_askable(encoded))

        def answer(prompt: TokenisedPrompt, values: list[float]) -> S:
            return cast(S, prompt.answer(values))

        return tuple(_in_order(encoded, scored.values, answer, kind)), scored.computed_tokens

    def _known(self, prompt: TokenisedPrompt | QuestionRefused) -> TokenisedPrompt | QuestionRefused:
        """The prompt, or why the model cannot take its tokens."""
        if isinstance(prompt, QuestionRefused):
            return prompt
        ids = [ids for row in prompt.rows() for ids in (row.ids, *row.labels)]
        return self._unknown(prompt.encoder_ids, *ids) or prompt

    def _unknown(self, *ids: Ids) -> QuestionRefused | None:
        """Why the model cannot take some tokens; None if it can."""
        largest = max(max(some, default=0) for some in ids)
        if largest < self._model.vocabulary:
            return None
        return QuestionRefused(
            f"the tokenizer gives token {largest}, and the model knows {self._model.vocabulary} tokens; "
            "they do not belong together"
        )

    def _encoded(self, request: Request) -> RequestPrompt | QuestionRefused:
        """A request in tokens, or why it cannot be written."""
        if request.max_new_tokens < 1:
            return QuestionRefused(f"max_new_tokens is {request.max_new_tokens}; it must be at least 1")
        if request.temperature < 0:
            return QuestionRefused(f"temperature is {request.temperature}; it must not be negative")
        try:
            ids = tuple(self._renderer.request_ids(request))
            self._renderer.require_fits(len(ids), new_tokens=request.max_new_tokens)
        except QuestionRefused as reason:
            return reason
        if not ids:
            return QuestionRefused("the prompt is empty, so the model has nothing to go on from")
        begin = self._renderer.begin_ids(request)
        decoding = Decoding(request.max_new_tokens, request.temperature, request.seed, begin)
        return self._unknown(ids) or RequestPrompt(ids, decoding)

    def _generation(self, prompt: RequestPrompt, written: WrittenIds) -> Generation:
        if NO_TOKEN in written.ids:
            return Generation(error=NO_NUMBERS, prompt_tokens=prompt.tokens, generated_tokens=len(written.ids))
        text = str(self._renderer.tokenizer.decode(list(written.ids), skip_special_tokens=True)).strip()
        return Generation(
            text=text,
            complete=written.complete,
            prompt_tokens=prompt.tokens,
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


def _askable(encoded: Iterable[P | QuestionRefused]) -> list[P]:
    """Those that the model can be run over."""
    return [one for one in encoded if not isinstance(one, QuestionRefused)]


def _in_order(
    encoded: Iterable[P | QuestionRefused],
    values: Iterable[V | None],
    answer: Callable[[P, V], A],
    kind: type[A],
) -> Iterator[A]:
    """An answer for each, in the order asked; an error where it was refused, or did not fit into memory.

    values: what the model gave for each that it was run over.
    """
    given = iter(values)
    for prompt in encoded:
        if isinstance(prompt, QuestionRefused):
            yield kind(error=str(prompt))
        elif (value := next(given)) is None:
            yield kind(error=_out_of_memory(prompt.tokens), prompt_tokens=prompt.tokens)
        else:
            yield answer(prompt, value)


def _out_of_memory(tokens: int) -> str:
    return (
        f"out of memory on a single prompt of {tokens} tokens; use a smaller model, a smaller dtype or another device"
    )
