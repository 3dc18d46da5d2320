"""The engine of a model on this machine. It turns questions into tokens, and the model's numbers into answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from evenhand.engine.exceptions import EngineError, QuestionRefused
from evenhand.engine.local.label_logprobs import LabelScores
from evenhand.engine.local.thinking import (
    Thought,
    answer_after_thinking,
    must_think,
    reads_cut_thinking,
    text_after_thinking,
    think,
    thinking_before_answer,
    thinking_before_text,
)
from evenhand.engine.local.written_texts import NO_NUMBERS, NO_TOKEN, OUT_OF_MEMORY, RequestPrompt, WrittenIds
from evenhand.engine.questions.encoding_ahead import EncodingAhead
from evenhand.engine.questions.label_tokens import Ids, TokenisedPrompt
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import (
    ANSWER_TOKENS,
    Answer,
    Batch,
    Generation,
    Question,
    RenderedPrompt,
    Request,
)
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.settings import Batching, EngineDescription


class LanguageModel(Protocol):
    """A loaded model that scores labels and writes text. None stands for a prompt that does not fit into memory.

    vocabulary: number of tokens that the model knows. batching, batching_note: for EngineDescription.
    """

    vocabulary: int
    batching: Batching
    batching_note: str

    def score(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores: ...

    def score_texts(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores:
        """Score whole texts. This needs logits over the vocabulary for each of their tokens."""

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]: ...

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]:
        """Yield texts by the number of their request. Questions that begin like them are answered fastest at once."""


P = TypeVar("P", TokenisedPrompt, RequestPrompt)
V = TypeVar("V")
A = TypeVar("A", Answer, ScoreAnswer, Generation)
S = TypeVar("S", Answer, ScoreAnswer)
AskedT = TypeVar("AskedT", Question, Request)


class LocalEngine:
    """Engine of a model on this machine. on_close: called after the model is dropped."""

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
        self._encoding.expect(lambda: [replace(question, thinking=None) for question in upcoming()])

    def p_first(self, questions: Sequence[Question]) -> Batch:
        return Batch(*self._labelled(questions, Answer))

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        return ScoreBatch(*self._labelled(questions, ScoreAnswer))

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        return ScoreBatch(*self._answered(questions, self._model.score_texts, ScoreAnswer))

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        thinking = self._think([one if must_think(one) else None for one in requests], thinking_before_text)
        thoughts = {number: thought for batch in thinking for number, thought in batch.items()}
        ready = [
            replace(request, thought=thoughts[number].text) if number in thoughts else request
            for number, request in enumerate(requests)
        ]
        encoded = [self._encoded(request) for request in ready]
        written = self._model.write(_accepted(encoded))
        generations = _in_order(encoded, written, self._generation, Generation)
        return [
            text_after_thinking(generation, thoughts[number], reads_cut=reads_cut_thinking(requests[number]))
            if number in thoughts
            else generation
            for number, generation in enumerate(generations)
        ]

    def _labelled(self, questions: Sequence[Question], kind: type[S]) -> tuple[tuple[S, ...], int]:
        """Return answers in the order asked, and the number of tokens computed. The model may think first."""
        answers: dict[int, S] = {}
        computed = 0
        for thoughts in self._think([one if must_think(one) else None for one in questions], thinking_before_answer):
            thought_over, tokens = self._answered_twice(questions, thoughts, kind)
            answers |= thought_over
            computed += tokens
        others = [number for number in range(len(questions)) if number not in answers]
        plain, tokens = self._answered([questions[number] for number in others], self._model.score, kind)
        answers |= zip(others, plain, strict=True)
        return tuple(answers[number] for number in range(len(questions))), computed + tokens

    def _answered_twice(
        self, questions: Sequence[Question], thoughts: Mapping[int, Thought], kind: type[S]
    ) -> tuple[dict[int, S], int]:
        """Answer questions before and after their thinking. Returns answers by number, and all tokens computed."""
        before: list[Question] = [replace(questions[number], thinking=None) for number in thoughts]
        after: list[Question] = [
            replace(questions[number], thought=thought.text) for number, thought in thoughts.items()
        ]
        answers, computed = self._answered([*before, *after], self._model.score, kind)
        combined = {
            number: answer_after_thinking(one, other, thought, reads_cut=reads_cut_thinking(questions[number]))
            for (number, thought), one, other in zip(
                thoughts.items(), answers[: len(before)], answers[len(before) :], strict=True
            )
        }
        return combined, computed + sum(thought.computed_tokens for thought in thoughts.values())

    def _think(
        self, asked: Sequence[AskedT | None], to_request: Callable[[AskedT], Request]
    ) -> Iterator[dict[int, Thought]]:
        """Write the thinking about each question or request that is not None. Yields thoughts by its number."""
        requests = {number: to_request(one) for number, one in enumerate(asked) if one is not None}
        if not requests:
            return
        numbers = list(requests)
        prompts = [self._encoded(request) for request in requests.values()]
        for thoughts in think(self._model, self._renderer, prompts):
            yield {numbers[index]: thought for index, thought in thoughts.items()}

    def _answered(
        self, questions: Sequence[Question], score: Callable[[Sequence[TokenisedPrompt]], LabelScores], kind: type[S]
    ) -> tuple[tuple[S, ...], int]:
        """Return answers in the order asked, and the number of tokens computed. kind: the class of the answers."""
        encoded = [self._known(prompt) for prompt in self._encoding.encode_all(questions)]
        scored = score(_accepted(encoded))

        def answer(prompt: TokenisedPrompt, values: list[float]) -> S:
            return cast(S, prompt.answer(values))

        return tuple(_in_order(encoded, scored.values, answer, kind)), scored.computed_tokens

    def _known(self, prompt: TokenisedPrompt | QuestionRefused) -> TokenisedPrompt | QuestionRefused:
        """Return the prompt, or the reason why the model cannot read its tokens."""
        if isinstance(prompt, QuestionRefused):
            return prompt
        ids = [ids for row in prompt.rows() for ids in (row.ids, *row.labels)]
        return self._unknown(prompt.encoder_ids, *ids) or prompt

    def _unknown(self, *ids: Ids) -> QuestionRefused | None:
        """Return the reason why the model cannot read some tokens; None if it can."""
        largest = max(max(some, default=0) for some in ids)
        if largest < self._model.vocabulary:
            return None
        return QuestionRefused(
            f"the tokenizer gives token {largest}, and the model knows {self._model.vocabulary} tokens; "
            "the tokenizer belongs to another model"
        )

    def _encoded(self, request: Request) -> RequestPrompt | QuestionRefused:
        """Return the tokens of a request, or the reason why it is refused."""
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
            return QuestionRefused("the prompt is empty, so the model has nothing to continue")
        begin = self._renderer.begin_ids(request)
        encoded = RequestPrompt(ids, request.max_new_tokens, request.temperature, request.seed, begin)
        return self._unknown(ids) or encoded

    def _generation(self, prompt: RequestPrompt, written: WrittenIds) -> Generation:
        if NO_TOKEN in written.ids:
            return Generation(error=NO_NUMBERS, prompt_tokens=prompt.tokens, generated_tokens=len(written.ids))
        text = self._renderer.reply_text(written.ids)
        return Generation(
            text=text.strip(),
            lead=text[: len(text) - len(text.lstrip())],
            complete=written.complete,
            prompt_tokens=prompt.tokens,
            generated_tokens=len(written.ids),
            shared_tokens=written.shared,
        )

    def answer_request(self, question: Question) -> Request:
        """Return a request for a short answer, with the same answer prefix that precedes the label words."""
        return Request(
            question.text,
            question.system,
            ANSWER_TOKENS,
            answer_prefix=question.answer_prefix,
            thinking=question.thinking,
        )

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


def _accepted(encoded: Iterable[P | QuestionRefused]) -> list[P]:
    """Return the prompts that were not refused."""
    return [one for one in encoded if not isinstance(one, QuestionRefused)]


def _in_order(
    encoded: Iterable[P | QuestionRefused],
    values: Iterable[V | None],
    answer: Callable[[P, V], A],
    kind: type[A],
) -> Iterator[A]:
    """Yield an answer for each prompt, in the order asked; an error if it was refused or does not fit into memory.

    values: the model's result for each prompt that was not refused.
    """
    results = iter(values)
    for prompt in encoded:
        if isinstance(prompt, QuestionRefused):
            yield kind(error=str(prompt))
        elif (value := next(results)) is None:
            yield kind(error=OUT_OF_MEMORY.format(prompt.tokens), prompt_tokens=prompt.tokens)
        else:
            yield answer(prompt, value)
