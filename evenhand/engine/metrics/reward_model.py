"""Reward models: sequence classifiers that give one number for a context with a response."""

from collections.abc import Sequence
from dataclasses import replace

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.local.classifiers.sequence_classifier import (
    EncodedText,
    SequenceClassifier,
    classifier_description,
    labels_of,
    load_classifier,
    require_classifier,
)
from evenhand.engine.local.loading import require_whole_files
from evenhand.engine.local.model import model_files
from evenhand.engine.metrics import MetricName, MetricQuestion, metric_name
from evenhand.engine.questions.scale_questions import ScoreAnswer, ScoreBatch
from evenhand.engine.settings import EngineDescription, EngineSettings

TEXT_TOO_LARGE = "this text does not fit into memory, even alone"


class RewardModel:
    """Scores candidates by the one number of a classifier, before any sigmoid.

    A tokenizer with a chat template gets the context as the user's message and the candidate as the assistant's. One
    without gets the pair of texts. Alone, the candidate is the assistant's message or the text.
    """

    def __init__(self, classifier: SequenceClassifier, description: EngineDescription) -> None:
        self._classifier = classifier
        self._description = description

    def measure(self, questions: Sequence[MetricQuestion]) -> ScoreBatch:
        texts = [self._encoded(question) for question in questions]
        problems = [
            _empty(question) or self._classifier.problem(text) for question, text in zip(questions, texts, strict=True)
        ]
        fitting = [text for text, problem in zip(texts, problems, strict=True) if not problem]
        numbers = iter(self._classifier.numbers(fitting))
        answers = [
            ScoreAnswer(error=problem) if problem else _answer(next(numbers), len(text.ids))
            for text, problem in zip(texts, problems, strict=True)
        ]
        return ScoreBatch(tuple(answers), sum(len(text.ids) for text in fitting))

    def _encoded(self, question: MetricQuestion) -> EncodedText:
        if not self._description.chat_template:
            texts = (question.other, question.candidate) if question.against else (question.candidate,)
            return self._classifier.encode(*texts)
        messages = [{"role": "user", "content": question.other}] if question.against else []
        messages.append({"role": "assistant", "content": question.candidate})
        text = str(self._classifier.tokenizer.apply_chat_template(messages, tokenize=False))
        return self._classifier.encode(text, special=False)

    def describe(self) -> EngineDescription:
        return self._description

    def close(self) -> None:
        del self._classifier


def _empty(question: MetricQuestion) -> str:
    return "" if question.candidate.strip() else "the text is empty; a reward model scores no empty text"


def _answer(numbers: list[float] | None, tokens: int) -> ScoreAnswer:
    return ScoreAnswer(error=TEXT_TOO_LARGE) if numbers is None else ScoreAnswer(score=numbers[0], prompt_tokens=tokens)


def load_reward_model(settings: EngineSettings) -> RewardModel:
    """Load a classifier with one label. Raises LoadFailed."""
    name = metric_name(settings.model)
    inner = model_files.at_commit(replace(settings, backend="transformers", model=name.model))
    classifier = load_classifier(inner)
    _require_one_label(name, classifier.labels)
    way = "chat template" if classifier.tokenizer.chat_template else "pair of texts"
    signature = f"reward model|model:{name.model}|input:{way}|score:logit"
    described = classifier_description(inner, classifier, signature=signature)
    return RewardModel(classifier, replace(described, backend=settings.backend, model=settings.model))


def require_reward_model(settings: EngineSettings) -> None:
    """Raise LoadFailed if the files hold no reward model. Loads no weights."""
    name = metric_name(settings.model)
    inner = replace(settings, backend="transformers", model=name.model)
    config = require_whole_files(inner)
    require_classifier(inner, config)
    _require_one_label(name, labels_of(config))


def _require_one_label(name: MetricName, labels: Sequence[str]) -> None:
    if len(labels) != 1:
        raise LoadFailed(
            f'the model "{name.model}" has {len(labels)} labels ({", ".join(labels)}), and a reward model has one; '
            "a classifier of two texts is a judge of backend transformers"
        )
