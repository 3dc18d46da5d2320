"""Load the engine that fits a model on this machine: a language model, or a pairwise classifier."""

from evenhand.engine.exceptions import EngineError
from evenhand.engine.local.classifiers.classifier_engine import (
    ClassifierEngine,
    load_classifier_engine,
    require_pair_labels,
)
from evenhand.engine.local.classifiers.sequence_classifier import labels_of
from evenhand.engine.local.loading import (
    find_device,
    load_config,
    load_local_engine,
    load_local_renderer,
    require_whole_files,
)
from evenhand.engine.local.local_engine import LocalEngine
from evenhand.engine.local.model.model_classes import classifier_architecture
from evenhand.engine.local.model.model_files import at_commit
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.settings import EngineSettings


def load_local_judge(settings: EngineSettings) -> LocalEngine | ClassifierEngine:
    """Load weights and tokenizer. Raises LoadFailed."""
    settings = at_commit(settings)
    if classifier_architecture(load_config(settings)):
        return load_classifier_engine(settings, load_local_renderer(settings))
    return load_local_engine(settings)


def local_problems(settings: EngineSettings, question: Question) -> list[str]:
    """Return the problems of a model's device, tokenizer, label words and files. Loads no weights."""
    checks = (
        lambda: find_device(settings.device),
        lambda: load_local_renderer(settings).tokenised(question),
        lambda: _require_files(settings),
    )
    problems: dict[str, None] = {}
    for check in checks:
        try:
            check()
        except EngineError as problem:
            problems[str(problem)] = None
    return list(problems)


def _require_files(settings: EngineSettings) -> None:
    config = require_whole_files(settings)
    if classifier_architecture(config):
        require_pair_labels(settings, labels_of(config))
