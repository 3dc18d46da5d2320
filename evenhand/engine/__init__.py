"""Engines, which turn questions into probabilities. `load_engine` is the only entry point.

Importing this package imports neither torch nor transformers, because web processes import it too.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Protocol

from evenhand.engine.endpoint.batch_ledger import BatchLedger, BatchState
from evenhand.engine.endpoint.chat_messages import ChatRenderer
from evenhand.engine.exceptions import AlwaysThinks, BatchPending, EngineError, LoadFailed, QuestionRefused, Unavailable
from evenhand.engine.metrics import metric_name
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import Answer, Batch, Generation, Question, RenderedPrompt, Request
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.questions.thinking import ReadingProblem, Thinking
from evenhand.engine.settings import (
    BACKENDS,
    DEMO_MODEL,
    DTYPES,
    MEASURED,
    SCORING,
    Batching,
    EngineDescription,
    EngineSettings,
)


class Renderer(Protocol):
    """Renderer of the exact prompt for the tokenizer, or the messages for an endpoint. Needs no model weights."""

    def render(self, question: Question) -> RenderedPrompt:
        """Return the exact prompt. Raises QuestionRefused if the model's chat template fails on the question."""

    def fingerprint(self) -> str:
        """Return a hash that changes with the rendered prompts or their tokens; empty for an endpoint or a metric."""


class Engine(Renderer, Protocol):
    """A judge that is ready to answer.

    Answers and generations have the order of the questions. A problem with one question is the error of its answer,
    and affects no other: a prompt too long for the model, indistinguishable label words, a model that gives NaN.
    """

    def p_first(self, questions: Sequence[Question]) -> Batch: ...

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Announce the questions of the call after the next, so that they are tokenised during the next call.

        upcoming: returns the questions; it is called during the next call, or never.
        """

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch: ...

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        """Return the mean natural log-probability of each text's tokens. An endpoint raises EngineError."""

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...

    def answer_request(self, question: Question) -> Request:
        """Return the request for a written answer to a question. Raises QuestionRefused."""

    def describe(self) -> EngineDescription: ...

    def close(self) -> None:
        """Release the weights. The engine cannot be used afterwards."""


def load_engine(settings: EngineSettings) -> Engine:
    """Load the engine of a judge. Raises LoadFailed; its message says what to do."""
    _sleep_while_waiting()
    if settings.backend == "openai":
        from evenhand.engine.endpoint.openai_engine import load_endpoint_engine

        return load_endpoint_engine(settings)
    if settings.backend == "metric":
        from evenhand.engine.metrics.metric_engine import load_metric_engine

        return load_metric_engine(settings)
    with _explaining_missing_packages():
        from evenhand.engine.local.local_judges import load_local_judge
    return load_local_judge(settings)


def load_renderer(settings: EngineSettings) -> Renderer:
    """Load the renderer of a judge: tokenizer and configuration; nothing for an endpoint or a metric.

    Raises LoadFailed.
    """
    _sleep_while_waiting()
    if settings.backend == "openai":
        return ChatRenderer(by_scoring=settings.ask_by == SCORING)
    if settings.backend == "metric":
        from evenhand.engine.metrics.metric_engine import MetricRenderer

        return MetricRenderer()
    with _explaining_missing_packages():
        from evenhand.engine.local.loading import load_local_renderer
    return load_local_renderer(settings)


def find_problems(settings: EngineSettings, question: Question) -> list[str]:
    """Return what keeps a model here or a metric from answering a question. Loads no weights."""
    if settings.backend == "transformers":
        with _explaining_missing_packages():
            from evenhand.engine.local.local_judges import local_problems
        return local_problems(settings, question)
    try:
        if metric_name(settings.model).loads_model:
            with _explaining_missing_packages():
                from evenhand.engine.metrics.metric_engine import require_metric_files

                require_metric_files(settings)
        else:
            load_engine(settings).close()
    except LoadFailed as failure:
        return [str(failure)]
    return []


def probe_endpoint(settings: EngineSettings) -> EngineDescription:
    """Ask an endpoint a small question, once in each form, and return what was found. Raises LoadFailed."""
    from evenhand.engine.endpoint.openai_engine import load_endpoint_engine

    with closing(load_endpoint_engine(settings, attempts=1)) as engine:
        return engine.describe()


def cancel_endpoint_batches(settings: EngineSettings, batch_ids: Sequence[str]) -> dict[str, BatchState]:
    """Ask an endpoint to cancel batches, and return their states. Raises EngineError."""
    from evenhand.engine.endpoint.openai_engine import cancel_at_endpoint

    return cancel_at_endpoint(settings, batch_ids)


def in_batches(engine: Engine, ledger: BatchLedger) -> Engine:
    """Return an engine that sends the requests of an endpoint as batches. Its calls may raise BatchPending."""
    from evenhand.engine.endpoint.openai_engine import EndpointEngine

    if not isinstance(engine, EndpointEngine):
        raise EngineError("only an endpoint takes batches")
    return engine.in_batches(ledger)


@contextmanager
def _explaining_missing_packages() -> Iterator[None]:
    """Raise LoadFailed if a package of local models is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise LoadFailed(
            f"local models need the package {error.name}, which is not installed; add it with: evenhand install_judge"
        ) from error


def _sleep_while_waiting() -> None:
    """Let the threads of one operation sleep while they wait, not spin, unless the user set OMP_WAIT_POLICY.

    Spinning is a little faster on an idle machine. With a web server or another worker on it, spinning threads keep
    the processors from the threads they wait for. torch reads the variable when it is loaded, so call this before.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
