"""A judge behind an OpenAI-compatible endpoint: chat completions, several at once. Needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from judging.engine.endpoint.chat_messages import ChatRenderer, Message, answer_text, messages, question_messages
from judging.engine.endpoint.http_client import CONCURRENCY, Endpoint, RequestFailed, RequestRefused
from judging.engine.endpoint.retry_delays import Stopped
from judging.engine.exceptions import EngineError, LoadFailed, QuestionRefused, Unavailable
from judging.engine.questions.likelihood_questions import LikelihoodQuestion
from judging.engine.questions.pair_questions import ANSWER_TOKENS, Answer, Batch, Generation, Question, Request
from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.replies.endpoint_reply import Malformed, Reply
from judging.engine.replies.label_probabilities import hard_answer, label_words, soft_answer
from judging.engine.replies.score_probabilities import hard_score, soft_score
from judging.engine.settings import EngineDescription, EngineSettings

T = TypeVar("T")
R = TypeVar("R")
Given = TypeVar("Given", Answer, ScoreAnswer)

NO_LIKELIHOODS = "an endpoint does not tell how likely a text is that it did not write; choose a judge that runs here"
PROBE = Question("Which of these two letters comes first in the alphabet, A or B?", "", "A", "B")


@dataclass(frozen=True, slots=True)
class Manner:
    """How an endpoint wants to be asked.

    top_logprobs: alternatives asked for at each token; 0 where it gives none. limit: its name for the most new tokens.
    """

    top_logprobs: int
    limit: str


# In this order: hosts differ in how many alternatives they give, and newer models in the name of the limit.
MANNERS = tuple(Manner(top, limit) for limit in ("max_tokens", "max_completion_tokens") for top in (20, 5, 0))


@dataclass(frozen=True, slots=True)
class Found:
    """What an endpoint turned out to be. model: its own name for what answers, often with a version."""

    manner: Manner
    model: str


@dataclass(frozen=True, slots=True)
class Asked(Generic[Given]):
    answer: Given
    computed_tokens: int = 0


class EndpointEngine(ChatRenderer):
    """Satisfies Engine. Whether it gives probabilities or hard answers is found out once, and never mixed."""

    def __init__(self, settings: EngineSettings, endpoint: Endpoint, *, concurrency: int = CONCURRENCY) -> None:
        self._settings = settings
        self._endpoint = endpoint
        self._concurrency = concurrency
        self._last_found: Found | None = None
        self._closed = False

    @property
    def _found(self) -> Found:
        """Found out anew after a failure, for the endpoint may have been set right meanwhile."""
        if self._closed:
            raise EngineError("this engine is closed; load it again")
        if self._last_found is None:
            self._last_found = self._find_out()
        return self._last_found

    def _find_out(self) -> Found:
        """One question that everybody can answer. Raises LoadFailed, Unavailable among it."""
        refusals = []
        for manner in MANNERS:
            try:
                reply = self._endpoint.ask(self._question_body(PROBE, manner))
            except RequestRefused as refusal:
                refusals.append(str(refusal))
            except Malformed as fault:
                refusals.append(f"{fault}; is {self._settings.base_url} the address of its API (most end with /v1)?")
            except Unavailable:
                raise
            except RequestFailed as failure:
                raise Unavailable(str(failure)) from None
            except EngineError as failure:
                raise LoadFailed(str(failure)) from None
            else:
                return Found(_require_writing(reply, manner), reply.model)
        raise LoadFailed(f'the model "{self._settings.model}" cannot be asked: {refusals[0]}')

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Nothing is worth doing ahead."""

    def p_first(self, questions: Sequence[Question]) -> Batch:
        found = self._found
        asked = self._all(lambda question: self._ask_pair(question, found), questions)
        return Batch(tuple(one.answer for one in asked), sum(one.computed_tokens for one in asked))

    def _ask_pair(self, question: Question, found: Found) -> Asked[Answer]:
        try:
            words = label_words(question)
        except QuestionRefused as reason:
            return Asked(Answer(error=str(reason)))
        read = soft_answer if found.manner.top_logprobs else hard_answer
        return self._ask(question, found, Answer, lambda reply: read(reply, words))

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        found = self._found
        asked = self._all(lambda question: self._ask_score(question, found), questions)
        return ScoreBatch(tuple(one.answer for one in asked), sum(one.computed_tokens for one in asked))

    def _ask_score(self, question: ScaleQuestion, found: Found) -> Asked[ScoreAnswer]:
        read = soft_score if found.manner.top_logprobs else hard_score
        return self._ask(question, found, ScoreAnswer, lambda reply: read(reply, question))

    def _ask(
        self, question: Question | ScaleQuestion, found: Found, kind: type[Given], read: Callable[[Reply], Given]
    ) -> Asked[Given]:
        """The answer that is read of the reply, or one of its kind that says what went wrong."""
        try:
            reply = self._reply(self._question_body(question, found.manner), found)
        except (QuestionRefused, RequestFailed, Malformed) as reason:
            return Asked(kind(error=str(reason)))
        try:
            reply.require_text()
            answer = read(reply)
        except Malformed as fault:
            answer = kind(error=str(fault), text=reply.text or "", prompt_tokens=reply.prompt_tokens)
        return Asked(answer, reply.computed_tokens)

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        raise EngineError(NO_LIKELIHOODS)

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        found = self._found
        return self._all(lambda request: self._write(request, found), requests)

    def _write(self, request: Request, found: Found) -> Generation:
        if request.max_new_tokens < 1 or request.temperature < 0:
            return Generation(
                error=f"max_new_tokens is {request.max_new_tokens} and temperature {request.temperature}; "
                "the first must be at least 1, the second not negative"
            )
        try:
            reply = self._reply(self._request_body(request, found.manner), found)
        except (RequestFailed, Malformed) as reason:
            return Generation(error=str(reason))
        return _generation(reply)

    def answer_request(self, question: Question) -> Request:
        return Request(answer_text(question), question.system, ANSWER_TOKENS)

    def _reply(self, body: dict[str, object], found: Found) -> Reply:
        reply = self._endpoint.ask(body)
        if reply.model != found.model:
            raise EngineError(
                f'the endpoint answers with the model "{reply.model}" now and with "{found.model}" before; '
                "name one version of it in a judge of its own, and start a new run"
            )
        return reply

    def _all(self, ask: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """In the order given, several at once. What fails the run ends all waiting, and nothing more is asked."""
        stopped = self._endpoint.patience.stopped

        def ask_unless_stopped(item: T) -> R:
            try:
                self._endpoint.patience.wait(0)
                return ask(item)
            except BaseException:
                stopped.set()
                raise

        pool = ThreadPoolExecutor(self._concurrency)
        try:
            futures = [pool.submit(ask_unless_stopped, item) for item in items]
            wait(futures, return_when=FIRST_EXCEPTION)
            if stopped.is_set():
                raise self._what_failed(pool, futures)
            return [future.result() for future in futures]
        except BaseException:
            self._last_found = None
            stopped.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            stopped.clear()

    @staticmethod
    def _what_failed(pool: ThreadPoolExecutor, futures: Sequence[Future[R]]) -> BaseException:
        """The first cause, not what others raised because of it."""
        pool.shutdown(cancel_futures=True)
        errors = [future.exception() for future in futures if not future.cancelled()]
        return next(error for error in errors if error is not None and not isinstance(error, Stopped))

    def _question_body(self, question: Question, manner: Manner) -> dict[str, object]:
        logprobs = {"logprobs": True, "top_logprobs": manner.top_logprobs} if manner.top_logprobs else {}
        return self._body(question_messages(question), ANSWER_TOKENS, 0.0, manner) | logprobs

    def _request_body(self, request: Request, manner: Manner) -> dict[str, object]:
        body = self._body(messages(request.text, request.system), request.max_new_tokens, request.temperature, manner)
        return body | ({"seed": request.seed} if request.temperature > 0 else {})

    def _body(self, said: list[Message], most: int, temperature: float, manner: Manner) -> dict[str, object]:
        return {"model": self._settings.model, "messages": said, manner.limit: most, "temperature": temperature}

    def describe(self) -> EngineDescription:
        top = self._found.manner.top_logprobs
        return EngineDescription(
            backend=self._settings.backend,
            family="endpoint",
            architecture="chat completions",
            model=self._settings.model,
            revision=self._found.model,
            dtype="",
            device="",
            chat_template=True,
            gives_probabilities=bool(top),
            top_logprobs=top,
        )

    def close(self) -> None:
        self._closed = True
        self._endpoint.close()


def load_endpoint_engine(settings: EngineSettings) -> EndpointEngine:
    """Find the endpoint, and find out how it answers. Raises LoadFailed."""
    if not settings.base_url:
        raise LoadFailed("the judge has no address of its endpoint; add it with --base-url")
    engine = EndpointEngine(settings, Endpoint(settings))
    try:
        engine.describe()
    except LoadFailed:
        engine.close()
        raise
    return engine


def _require_writing(reply: Reply, manner: Manner) -> Manner:
    """The manner, without log-probabilities if none came. Raises LoadFailed for a model that thinks first."""
    text = (reply.text or reply.refusal).strip()
    if not text or text.startswith("<think"):
        raise LoadFailed(
            f"the model wrote no answer within {ANSWER_TOKENS} tokens, as models do that think first; "
            "switch its thinking off at the endpoint, or choose another model"
        )
    return manner if reply.tokens else replace(manner, top_logprobs=0)


def _generation(reply: Reply) -> Generation:
    cost = Generation(prompt_tokens=reply.prompt_tokens, generated_tokens=reply.generated_tokens)
    if reply.finish_reason == "content_filter":
        return replace(cost, error="the endpoint's filter cut the text off")
    if reply.refusal or reply.text is None:
        reason = reply.refusal or reply.finish_reason or "no reason told"
        return replace(cost, error=f"the endpoint gave no text: {reason}", text=reply.refusal.strip())
    return replace(cost, text=reply.text.strip(), complete=reply.finish_reason != "length")
