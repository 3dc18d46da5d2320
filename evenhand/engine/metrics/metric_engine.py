"""The engine of a metric: it scores single texts, and answers no questions."""

import math
from collections.abc import Callable, Sequence
from typing import NoReturn

from evenhand.engine.exceptions import EngineError, LoadFailed, QuestionRefused
from evenhand.engine.metrics import METRICS, REWARD, Library, MetricQuestion, metric_name
from evenhand.engine.metrics.text_metrics import Metric, length_metric
from evenhand.engine.questions.pair_questions import Batch, Generation, Question, RenderedPrompt, Request
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.settings import EngineDescription, EngineSettings

NO_QUESTIONS = "a metric measures texts, each alone, and answers no questions; choose the method metric"


class MetricRenderer:
    """Renders the two texts as they are."""

    def render(self, question: Question) -> RenderedPrompt:
        return RenderedPrompt(question.text, "", "", "", add_special_tokens=False)

    def fingerprint(self) -> str:
        return ""


class MetricEngine(MetricRenderer):
    """Engine that measures texts. A text that cannot be measured gets an answer with an error."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        checked = [_measurable(question) for question in questions]
        measured = self._metric.measure([question for question in checked if not question.lacks])
        results = iter(measured.answers)
        answers = (ScoreAnswer(error=one.lacks) if one.lacks else _finite(next(results)) for one in checked)
        return ScoreBatch(tuple(answers), measured.computed_tokens)

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Do nothing: metrics prepare nothing ahead."""

    def p_first(self, questions: Sequence[Question]) -> Batch:
        _refuse()

    def log_likelihoods(self, questions: Sequence[Question]) -> ScoreBatch:
        _refuse()

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        _refuse()

    def answer_request(self, question: Question) -> Request:
        _refuse()

    def describe(self) -> EngineDescription:
        return self._metric.describe()

    def close(self) -> None:
        self._metric.close()


def load_metric_engine(settings: EngineSettings) -> MetricEngine:
    """Load a metric's library, and the model of BERTScore. Raises LoadFailed."""
    try:
        return MetricEngine(_load(settings))
    except ModuleNotFoundError as error:
        raise LoadFailed(
            f'the metric "{settings.model}" needs the package {error.name}, which is not installed; '
            "add it with: evenhand install_judge"
        ) from error


def _load(settings: EngineSettings) -> Metric:
    kind = metric_name(settings.model).kind
    if kind not in METRICS:
        raise LoadFailed(f'the metric "{settings.model}" is unknown; choose one of: {", ".join(METRICS)}')
    match METRICS[kind].library:
        case Library.OURS:
            return length_metric(kind)
        case Library.SACREBLEU:
            from evenhand.engine.metrics.word_overlap import sacrebleu_metric

            return sacrebleu_metric(kind)
        case Library.ROUGE_SCORE:
            from evenhand.engine.metrics.word_overlap import rouge_metric

            return rouge_metric(kind)
        case Library.NLTK:
            from evenhand.engine.metrics.meteor import meteor_metric

            return meteor_metric(kind)
        case Library.TRANSFORMERS:
            return _load_with_model(settings, kind)


def _load_with_model(settings: EngineSettings, kind: str) -> Metric:
    if kind == REWARD:
        from evenhand.engine.metrics.reward_model import load_reward_model

        return load_reward_model(settings)
    from evenhand.engine.metrics.bertscore import load_bertscore

    return load_bertscore(settings)


def require_metric_files(settings: EngineSettings) -> None:
    """Raise LoadFailed if the model of a metric cannot be loaded here. Loads no weights."""
    from evenhand.engine.local.loading import find_device

    find_device(settings.device)
    if metric_name(settings.model).kind == REWARD:
        from evenhand.engine.metrics.reward_model import require_reward_model

        return require_reward_model(settings)
    from evenhand.engine.metrics.bertscore import require_bertscore

    return require_bertscore(settings)


def _measurable(question: ScaleQuestion) -> MetricQuestion:
    if isinstance(question, MetricQuestion):
        return question
    raise QuestionRefused(NO_QUESTIONS)


def _finite(answer: ScoreAnswer) -> ScoreAnswer:
    if answer.score is None or math.isfinite(answer.score):
        return answer
    return ScoreAnswer(error=f"the metric gave no number: {answer.score}")


def _refuse() -> NoReturn:
    raise EngineError(NO_QUESTIONS)
