"""Load the engine that fits a model on this machine: a language model, or a pairwise classifier."""

from __future__ import annotations

from judging.engine.local.classifiers.classifier_engine import ClassifierEngine, load_classifier_engine
from judging.engine.local.loading import load_config, load_local_engine, load_local_renderer
from judging.engine.local.local_engine import LocalEngine
from judging.engine.local.model.model_classes import classifier_architecture
from judging.engine.local.model.model_files import at_commit
from judging.engine.settings import EngineSettings


def load_local_judge(settings: EngineSettings) -> LocalEngine | ClassifierEngine:
    """Load weights and tokenizer. Raises LoadFailed."""
    settings = at_commit(settings)
    if classifier_architecture(load_config(settings)):
        return load_classifier_engine(settings, load_local_renderer(settings))
    return load_local_engine(settings)
