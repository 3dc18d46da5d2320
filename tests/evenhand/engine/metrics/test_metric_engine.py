"""The engine of a metric."""

import pytest

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, QuestionRefused, load_renderer
from evenhand.engine.metrics import MetricName, MetricQuestion, metric_name
from evenhand.engine.metrics.metric_engine import MetricEngine
from evenhand.engine.metrics.text_metrics import TextMetric
from tests.evenhand.engine.metrics.questions import against_reference, open_metric


def test_score_that_cannot_be_is_an_error_that_harms_no_other():
    missing, there = open_metric("bleu").scores([against_reference("a", " "), against_reference("a", "a")]).answers

    assert missing.error == "the context has no reference to compare the text with"
    assert there.score == pytest.approx(100)

    (answer,) = open_metric("bleu").scores([MetricQuestion("", "", "", "", candidate="a", against="context")]).answers

    assert answer.error == "the context has no text to compare the candidate with"

    engine = MetricEngine(TextMetric("odd", "", "", lambda candidate, other: float("nan")))

    (answer,) = engine.scores([against_reference("a", "a")]).answers

    assert answer.error == "the metric gave no number: nan"


def test_metric_refuses_questions_and_scales():
    with pytest.raises(EngineError, match="choose the method metric"):
        open_metric("length").p_first([Question("Which is better?", "", "A", "B")])

    from evenhand.engine import ScaleQuestion

    with pytest.raises(QuestionRefused, match="choose the method metric"):
        open_metric("length").scores([ScaleQuestion("How good?", "", "1", "5")])


def test_renderer_of_a_metric_shows_both_texts():
    renderer = load_renderer(EngineSettings(backend="metric", model="bleu"))

    assert renderer.render(Question("Text: a\n\nReference: b", "", "", "")).prompt_text == "Text: a\n\nReference: b"


def test_unknown_metric_says_which_there_are():
    with pytest.raises(LoadFailed, match='the metric "blue" is unknown; choose one of: bleu, chrf'):
        open_metric("blue")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("bleu", MetricName("bleu")),
        ("bertscore:roberta-large", MetricName("bertscore", "roberta-large", 17)),
        ("bertscore:FacebookAI/roberta-large", MetricName("bertscore", "FacebookAI/roberta-large", 17)),
        ("bertscore:roberta-large#9", MetricName("bertscore", "roberta-large", 9)),
        ("bertscore:/models/own#3", MetricName("bertscore", "/models/own", 3)),
        ("bertscore:/models/own", MetricName("bertscore", "/models/own")),
        ("bertscore:/models/own#last", MetricName("bertscore", "/models/own")),
        ("bertscore", MetricName("bertscore")),
    ],
)
def test_metric_name_splits_a_judges_model(model, name):
    assert metric_name(model) == name
