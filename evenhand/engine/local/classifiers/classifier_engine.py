"""The engine of a pairwise classifier: it compares two texts in one prompt, and writes no text."""

from collections.abc import Callable, Sequence
from typing import NoReturn

import torch

from evenhand.engine.exceptions import EngineError, LoadFailed, QuestionRefused
from evenhand.engine.local.classifiers.sequence_classifier import (
    EncodedText,
    SequenceClassifier,
    classifier_description,
    load_classifier,
)
from evenhand.engine.local.local_engine import OUT_OF_MEMORY
from evenhand.engine.local.token_budgets import free_cached_memory
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import Answer, Batch, Generation, Question, RenderedPrompt, Request
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreBatch
from evenhand.engine.settings import EngineDescription, EngineSettings

ONLY_COMPARES = "a pairwise classifier compares two texts and writes none; choose the method comparative or pairwise"
NO_TIE = "the classifier has no label for a tie; choose a prompt without ties"
LABELS_WITH_TIE = 3


class ClassifierEngine:
    """Reads p_first from the labels of a classifier: the first text, the second text, and a tie if there is one.

    The classifier reads the whole prompt, in the chat template of its tokenizer if that has one. Without a label for a
    tie in the question, the probabilities of the two texts are normalised over both.
    """

    def __init__(
        self, classifier: SequenceClassifier, renderer: PromptRenderer, description: EngineDescription
    ) -> None:
        self._open_classifier: SequenceClassifier | None = classifier
        self._renderer = renderer
        self._description = description

    @property
    def _classifier(self) -> SequenceClassifier:
        if self._open_classifier is None:
            raise EngineError("this engine is closed; load it again")
        return self._open_classifier

    def p_first(self, questions: Sequence[Question]) -> Batch:
        encoded = [self._encoded(question) for question in questions]
        fitting = [text for text in encoded if isinstance(text, EncodedText)]
        numbers = iter(self._classifier.numbers(fitting))
        answers = [
            _answer(question, text, next(numbers)) if isinstance(text, EncodedText) else Answer(error=text)
            for question, text in zip(questions, encoded, strict=True)
        ]
        return Batch(tuple(answers), sum(len(text.ids) for text in fitting))

    def _encoded(self, question: Question) -> EncodedText | str:
        """Return the tokens of a prompt, or the reason why it cannot be asked."""
        if question.label_tie and len(self._classifier.labels) < LABELS_WITH_TIE:
            return NO_TIE
        try:
            ids = self._renderer.prompt_ids(self.render(question).prompt_text)
        except QuestionRefused as reason:
            return str(reason)
        text = EncodedText(tuple(ids))
        return self._classifier.problem(text) or text

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Do nothing: classifiers prepare nothing ahead."""

    def render(self, question: Question) -> RenderedPrompt:
        return self._renderer.render(question)

    def fingerprint(self) -> str:
        return self._renderer.fingerprint()

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        _refuse()

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        _refuse()

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        _refuse()

    def answer_request(self, question: Question) -> Request:
        _refuse()

    def describe(self) -> EngineDescription:
        return self._description

    def close(self) -> None:
        self._open_classifier = None
        free_cached_memory()


def load_classifier_engine(settings: EngineSettings, renderer: PromptRenderer) -> ClassifierEngine:
    """Load a classifier with two or three labels. settings: the result of at_commit. Raises LoadFailed."""
    classifier = load_classifier(settings)
    require_pair_labels(settings, classifier.labels)
    description = classifier_description(settings, classifier, tokenizer=renderer.fingerprint())
    return ClassifierEngine(classifier, renderer, description)


def require_pair_labels(settings: EngineSettings, labels: Sequence[str]) -> None:
    """Raise LoadFailed unless a classifier has two or three labels."""
    if len(labels) not in (2, 3):
        raise LoadFailed(_wrong_labels(settings, labels))


def _wrong_labels(settings: EngineSettings, labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return (
            f'the model "{settings.model}" gives one number for a text, so it is a reward model; add it with: '
            f"--backend metric --model reward:{settings.model}"
        )
    return (
        f'the model "{settings.model}" has {len(labels)} labels; a pairwise classifier has two, for the first and the '
        "second text, and perhaps a third for a tie"
    )


def _answer(question: Question, text: EncodedText, numbers: list[float] | None) -> Answer:
    tokens = len(text.ids)
    if numbers is None:
        return Answer(error=OUT_OF_MEMORY.format(tokens), prompt_tokens=tokens)
    first, second, *tie = torch.tensor(numbers, dtype=torch.float64).log_softmax(-1).tolist()
    if question.label_tie:
        return Answer.from_three_logprobs(first, second, *tie, prompt_tokens=tokens)
    return Answer.from_logprobs(first, second, prompt_tokens=tokens)


def _refuse() -> NoReturn:
    raise EngineError(ONLY_COMPARES)
