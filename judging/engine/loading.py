"""Finds a model and its tokenizer, and says clearly why that failed."""

from __future__ import annotations

from typing import Any

from judging.engine.exceptions import LoadFailed
from judging.engine.settings import EngineSettings


def load_local_engine(settings: EngineSettings) -> Any:
    raise LoadFailed("loading is not written yet")


def load_local_renderer(settings: EngineSettings) -> Any:
    raise LoadFailed("loading is not written yet")
