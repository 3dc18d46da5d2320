"""Metric judges and their questions for tests."""

from evenhand.engine import Engine, EngineSettings, load_engine
from evenhand.engine.metrics import MetricQuestion


def open_metric(model: str, **settings: str) -> Engine:
    return load_engine(EngineSettings(backend="metric", model=model, **settings))


def against_reference(candidate: str, reference: str) -> MetricQuestion:
    return MetricQuestion("", "", "", "", candidate=candidate, against="reference", other=reference)


def score_of(model: str, candidate: str, reference: str) -> float | None:
    """Return the score of one text."""
    engine = open_metric(model)
    (answer,) = engine.scores([against_reference(candidate, reference)]).answers
    engine.close()
    return answer.score
