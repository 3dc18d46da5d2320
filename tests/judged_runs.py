"""Runs for tests, judged in this process by an engine without a model."""

from __future__ import annotations

import numpy as np

from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from tests.evenhand.engine.fake_engine import FakeEngine


def judge_all(run: Run, engine: FakeEngine | None = None, **options: object) -> None:
    """Judge every chunk of a run. options: as in `execute_chunk`."""
    for chunk_id in run.chunks.values_list("pk", flat=True):
        execute_chunk(chunk_id, load=lambda settings: engine or FakeEngine(), **options)
    run.refresh_from_db()


def answers_in_context(run: Run, context: str) -> np.ndarray:
    """Return p_first of each ordered pair of positions, (n, n); NaN for pairs that were not asked or have no answer."""
    n = run.dataset.contexts.get(key=context).candidates.count()
    answers = np.full((n, n), np.nan)
    answered = run.comparisons.filter(context__key=context, p_first__isnull=False)
    for first, second, p_first in answered.values_list("first__position", "second__position", "p_first"):
        answers[first, second] = p_first
    return answers
