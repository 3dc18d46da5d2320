"""Scores without a scale: the share of Yes (unieval) and the likelihood of a text (gptscore)."""

import pytest

from evenhand.engine import DEMO_MODEL, EngineSettings, LikelihoodQuestion, load_renderer
from evenhand.refusals import Refused
from judging.models import Candidate, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.exported_answers import rows_with_prompts
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


def judge(run, engine):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine)
    run.refresh_from_db()


def test_unieval_score_is_the_share_of_yes():
    run = make_run(make_dataset(candidates=(2,)), prompt="unieval-1")
    engine = FakeEngine(lambda question: 0.75 if "Summary a " in question.text else 0.125)

    judge(run, engine)

    assert engine.asked[0].text == (
        "question: Is this summary coherent given the context? </s> summary: Summary a of article 0. </s> "
        "context: Article 0."
    )
    assert (engine.asked[0].label_first, engine.asked[0].label_second) == (" Yes", " No")
    assert list(run.scores.values_list("candidate__key", "value", "text")) == [("a", 0.75, "Yes"), ("b", 0.125, "No")]
    assert (run.is_scoring, run.status, run.prompt_tokens > 0) == (True, "done", True)


def test_gptscore_asks_how_likely_each_text_is_after_the_same_prompt():
    run = make_run(make_dataset(candidates=(2,)), prompt="gptscore-1")
    engine = FakeEngine(likelihood=lambda question: -1.5 if "Summary a " in question.label_first else -2.25)

    judge(run, engine)

    prompt = "Write one summary that is as coherent as possible for the following context.\n\nArticle 0.\n\nSummary:\n"
    assert engine.asked == [LikelihoodQuestion(prompt, "", f"Summary {key} of article 0.", "") for key in ("a", "b")]
    assert list(run.scores.values_list("candidate__key", "value", "outcome")) == [
        ("a", -1.5, "answered"),
        ("b", -2.25, "answered"),
    ]


def test_gptscore_of_an_empty_text_is_an_error_also_when_retried():
    dataset = make_dataset(candidates=(2,))
    Candidate.objects.filter(key="a").update(text=" ")
    run = make_run(dataset, prompt="gptscore-1")
    judge(run, FakeEngine())

    judge(resume(run, errors=True), FakeEngine())

    assert list(run.scores.order_by("candidate").values_list("outcome", "error")) == [
        ("error", "the text is empty, so it has no likelihood"),
        ("answered", ""),
    ]


def test_gptscore_of_an_endpoint_is_refused_before_the_run():
    endpoint = make_judge("endpoint", backend="openai", base_url="http://localhost:1/v1")

    with pytest.raises(Refused) as refused:
        make_run(judge=endpoint, prompt="gptscore-1")

    assert refused.value.problems == (
        'judge: "endpoint" is an endpoint, which does not return the likelihood of a given text; '
        "method gptscore needs a model that runs here",
    )
    assert not Run.objects.exists()


def test_export_of_gptscore_shows_the_scored_text():
    run = make_run(make_dataset(candidates=(1,)), prompt="gptscore-1")
    judge(run, FakeEngine())

    (row,) = rows_with_prompts(run, renderer=load_renderer(EngineSettings("transformers", DEMO_MODEL)))

    assert row["prompt_text"].endswith("Article 0.\n\nSummary:\n")
    assert (row["answer_prefix"], row["label_first"], row["label_second"]) == ("", "Summary a of article 0.", "")
    assert row["score"] == run.scores.get().value
