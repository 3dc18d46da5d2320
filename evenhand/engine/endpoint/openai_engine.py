"""The engine of a judge behind an OpenAI-compatible endpoint. It needs no torch.

probe.py finds the request fields that the endpoint takes; retries.py decides when to retry.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from evenhand.engine.endpoint.batch_ledger import BatchLedger, BatchState
from evenhand.engine.endpoint.batch_requests import BatchRequests, cancel_batch
from evenhand.engine.endpoint.chat_messages import ChatRenderer, answer_text
from evenhand.engine.endpoint.decision_models import DecisionAsker, ask_decisions
from evenhand.engine.endpoint.direct_requests import DirectRequests, Exchange, Transport
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.label_scoring import LabelScorer, score_labels
from evenhand.engine.endpoint.model_watch import ModelWatch
from evenhand.engine.endpoint.probe import EndpointTrial, probe
from evenhand.engine.endpoint.request_form import RequestBody, RequestForm, RequestPart, describe_fields
from evenhand.engine.endpoint.retries import RequestFailed, RequestRefused
from evenhand.engine.endpoint.written_texts import generation_body, generation_of
from evenhand.engine.exceptions import BatchPending, EngineError, LoadFailed, QuestionRefused
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import ANSWER_TOKENS, Answer, Batch, Generation, Question, Request
from evenhand.engine.questions.reply_questions import DecisionQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.questions.thinking import ReadingProblem, Thinking
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply
from evenhand.engine.replies.label_probabilities import hard_answer, label_words, soft_answer
from evenhand.engine.replies.reading_problems import AnswerT, FindVerdict, explain, unparsed
from evenhand.engine.replies.score_probabilities import find_score, hard_score, soft_score
from evenhand.engine.settings import EngineDescription, EngineSettings

ItemT = TypeVar("ItemT", Question, ScaleQuestion, Request)

DEFAULT_THINKING = "as the endpoint does by default"
NO_LIKELIHOODS = "an endpoint gives no probability of a text that it did not write; choose a judge that runs here"


@dataclass(frozen=True, slots=True)
class CountedAnswer(Generic[AnswerT]):
    """An answer with the tokens that the endpoint computed for it."""

    answer: AnswerT
    computed_tokens: int = 0


class EndpointEngine(ChatRenderer):
    """Engine of an endpoint. One trial question shows which requests it takes and what it gives.

    transport: how requests are sent; several at once by default.
    """

    def __init__(self, settings: EngineSettings, client: EndpointClient, *, transport: Transport | None = None) -> None:
        super().__init__()
        self._settings = settings
        self._client = client
        self._transport = transport or DirectRequests(client)
        self._last_trial: EndpointTrial | None = None
        self._closed = False

    @property
    def _trial(self) -> EndpointTrial:
        """The last trial. After a failure it is repeated, because the endpoint may have been repaired."""
        if self._closed:
            raise EngineError("this engine is closed; load it again")
        if self._last_trial is None:
            self._last_trial = probe(self._client, self._settings)
            self.by_scoring = self._last_trial.scores
        return self._last_trial

    def in_batches(self, ledger: BatchLedger) -> "EndpointEngine":
        """Return an engine of the same endpoint that sends its requests as batches. It shares the connection.

        A batch holds chat requests alone, so nothing is scored in it.
        """
        trial, settings = self._trial, self._settings
        if trial.scores:
            trial, settings = replace(trial, scores=False), replace(settings, ask_by=trial.form.asked_by)
        engine = EndpointEngine(settings, self._client, transport=BatchRequests(self._client, ledger))
        engine._last_trial = trial
        return engine

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Do nothing: questions to an endpoint are not tokenised here."""

    def p_first(self, questions: Sequence[Question]) -> Batch:
        if self._trial.decides_at:
            return Batch(*_counted(self._decided(questions)))
        if self._trial.scores:
            return Batch(*_counted(self._scored(Answer, questions)))
        exchanges = self._ask(questions, RequestForm.question_body)
        answered = [self._pair_answer(*one) for one in zip(questions, exchanges, strict=True)]
        return Batch(*_counted(answered))

    def _pair_answer(self, question: Question, exchange: Exchange | QuestionRefused) -> CountedAnswer[Answer]:
        if not isinstance(exchange, EndpointReply):
            return CountedAnswer(Answer(error=str(exchange)))
        words = label_words(question)
        read = soft_answer if self._trial.form.top_logprobs else hard_answer
        return self._read(Answer, question, exchange, lambda reply: read(reply, words), words.find_answer)

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        if self._trial.scores:
            return ScoreBatch(*_counted(self._scored(ScoreAnswer, questions)))
        exchanges = self._ask(questions, RequestForm.question_body)
        answered = [self._score_answer(*one) for one in zip(questions, exchanges, strict=True)]
        return ScoreBatch(*_counted(answered))

    def _score_answer(
        self, question: ScaleQuestion, exchange: Exchange | QuestionRefused
    ) -> CountedAnswer[ScoreAnswer]:
        if not isinstance(exchange, EndpointReply):
            return CountedAnswer(ScoreAnswer(error=str(exchange)))
        read = soft_score if self._trial.form.top_logprobs else hard_score
        return self._read(
            ScoreAnswer,
            question,
            exchange,
            lambda reply: read(reply, question),
            lambda text: find_score(text, question),
        )

    def _scored(self, kind: type[AnswerT], questions: Sequence[Question]) -> list[CountedAnswer[AnswerT]]:
        """Score the label tokens of questions."""
        for question in questions:
            _require_thinking(question.thinking, self._settings.thinking)
        with self._ending_trial() as trial:
            scorer = LabelScorer(self._client, self._settings.model, trial.form)
            answers = score_labels(scorer, kind, questions, model=trial.model)
        return [CountedAnswer(answer, answer.prompt_tokens) for answer in answers]

    def _decided(self, questions: Sequence[Question]) -> list[CountedAnswer[Answer]]:
        """Ask a decision model. Raises EngineError for a question in words, which it does not answer."""
        typed = [question for question in questions if isinstance(question, DecisionQuestion)]
        if len(typed) < len(questions):
            raise EngineError("a decision model answers typed questions alone; choose the method decision")
        with self._ending_trial() as trial:
            asker = DecisionAsker(self._client, self._settings.model, trial.decides_at)
            answers = ask_decisions(asker, typed, model=trial.model)
        return [CountedAnswer(answer, answer.prompt_tokens) for answer in answers]

    @contextmanager
    def _ending_trial(self) -> Iterator[EndpointTrial]:
        """Yield the last trial. A failure ends it, so that it is repeated; an unfinished batch is none."""
        try:
            yield self._trial
        except BatchPending:
            raise
        except BaseException:
            self._last_trial = None
            raise

    def _read(
        self,
        kind: type[AnswerT],
        question: Question,
        reply: EndpointReply,
        read: Callable[[EndpointReply], AnswerT],
        find: FindVerdict,
    ) -> CountedAnswer[AnswerT]:
        """Return the answer that `read` finds in the reply after the reasoning, or an answer with the error."""
        try:
            if not reply.has_thought:
                reply.require_text()
            answer = read(reply)
        except MalformedReply as fault:
            answer = kind(error=str(fault), text=reply.text or "", prompt_tokens=reply.prompt_tokens)
        answer = explain(answer, reply, find, thinking=question.thinking, shows_reasoning=self._trial.shows_reasoning)
        if answer.problem == self._problem_of_ignoring(reply):
            answer = replace(answer, problem=ReadingProblem.IGNORED_PARAMETER)
        if reply.model != self._trial.model and not answer.error:
            answer = unparsed(answer, ReadingProblem.OTHER_MODEL)
        return CountedAnswer(answer, reply.computed_tokens)

    def _problem_of_ignoring(self, reply: EndpointReply) -> ReadingProblem | None:
        """Return the problem that an answer has if the endpoint ignored a parameter; None if it ignored none."""
        form = self._trial.form
        if form.top_logprobs and not reply.tokens:
            return ReadingProblem.UNKNOWN_PROBABILITY
        return ReadingProblem.NO_VERDICT if form.value(RequestPart.FORCED_CHOICE) else None

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        raise EngineError(NO_LIKELIHOODS)

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        exchanges = self._ask(requests, generation_body)
        return [
            self._generation(request, exchange)
            if isinstance(exchange, EndpointReply)
            else Generation(error=str(exchange))
            for request, exchange in zip(requests, exchanges, strict=True)
        ]

    def _generation(self, request: Request, reply: EndpointReply) -> Generation:
        if reply.model == self._trial.model:
            return generation_of(request, reply)
        return Generation(error=f'the model "{reply.model}" wrote this text, not "{self._trial.model}"')

    def answer_request(self, question: Question) -> Request:
        return Request(answer_text(question), question.system, ANSWER_TOKENS, thinking=question.thinking)

    def _ask(
        self, items: Sequence[ItemT], build: Callable[[RequestForm, str, ItemT], RequestBody]
    ) -> Iterator[Exchange | QuestionRefused]:
        """Yield the reply to each item, or the reason why there is none."""
        asked: dict[int, RequestBody] = {}
        refused: dict[int, QuestionRefused] = {}
        for number, item in enumerate(items):
            try:
                _require_thinking(item.thinking, self._settings.thinking)
                asked[number] = build(self._trial.form, self._settings.model, item)
            except QuestionRefused as reason:
                refused[number] = reason
        replies = dict(zip(asked, self._exchange(list(asked.values())), strict=True))
        return (refused.get(number) or replies[number] for number in range(len(items)))

    def _exchange(self, bodies: Sequence[RequestBody]) -> list[Exchange]:
        """Send requests. Those whose seed is refused are sent again without it. A failure ends the trial."""
        with self._ending_trial() as trial:
            watch = ModelWatch(trial.model)
            exchanges = self._transport.send(bodies, trial.dialect.reasoning, watch.check)
            watch.require_expected()
            refusal = next((one for one in exchanges if _refuses_seed(one)), None)
            without_seed = trial.form.next(RequestPart.SEED, str(refusal)) if refusal else None
            if without_seed is None:
                return exchanges
            self._last_trial = replace(trial, form=without_seed)
            again = [number for number, one in enumerate(exchanges) if _refuses_seed(one)]
            plain = [{name: value for name, value in bodies[number].items() if name != "seed"} for number in again]
            repeated = self._transport.send(plain, trial.dialect.reasoning, watch.check)
        replaced = dict(zip(again, repeated, strict=True))
        return [replaced.get(number, one) for number, one in enumerate(exchanges)]

    def describe(self) -> EngineDescription:
        trial = self._trial
        switch = describe_fields(trial.form, RequestPart.THINKING)
        return EngineDescription(
            backend=self._settings.backend,
            family="endpoint",
            architecture="decisions" if trial.decides_at else "chat completions",
            model=self._settings.model,
            revision=trial.model,
            dtype="",
            device="",
            chat_template=True,
            gives_probabilities=bool(trial.decides_at) or trial.scores or trial.form.top_logprobs > 0,
            top_logprobs=trial.form.top_logprobs,
            dialect=trial.dialect.name,
            asked_by=trial.asked_by,
            forced_choice=describe_fields(trial.form, RequestPart.FORCED_CHOICE),
            refused=dict(trial.form.refused),
            thinking=(switch or DEFAULT_THINKING) if trial.form.thinks else "",
            without_thinking="" if trial.form.thinks else switch,
        )

    def close(self) -> None:
        self._closed = True
        self._client.close()


def load_endpoint_engine(settings: EngineSettings, *, attempts: int | None = None) -> EndpointEngine:
    """Connect to an endpoint and ask the trial question. Raises LoadFailed. attempts: as in RetryPolicy."""
    if not settings.base_url:
        raise LoadFailed("the judge has no base URL; add it with --base-url")
    engine = EndpointEngine(settings, EndpointClient(settings, attempts=attempts))
    try:
        engine.describe()
    except LoadFailed:
        engine.close()
        raise
    return engine


def cancel_at_endpoint(settings: EngineSettings, batch_ids: Sequence[str]) -> dict[str, BatchState]:
    """Cancel batches, and return their states. Raises EngineError."""
    with closing(EndpointClient(settings, attempts=1)) as client:
        try:
            return {batch_id: cancel_batch(client, batch_id) for batch_id in batch_ids}
        except RequestFailed as failure:
            raise EngineError(str(failure)) from None


def _counted(answered: Sequence[CountedAnswer[AnswerT]]) -> tuple[tuple[AnswerT, ...], int]:
    return tuple(one.answer for one in answered), sum(one.computed_tokens for one in answered)


def _require_thinking(asked: Thinking | None, tried: Thinking | None) -> None:
    """Raise EngineError for a question that thinks where the trial did not, or the reverse."""
    if (asked is None) != (tried is None):
        raise EngineError("the endpoint was tried with other settings of thinking than this question has")


def _refuses_seed(exchange: Exchange) -> bool:
    return isinstance(exchange, RequestRefused) and "seed" in (exchange.parameter or str(exchange))
