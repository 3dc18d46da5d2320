"""Runs whose judge writes reasoning and verdict in one reply."""

import json

import pytest

from evenhand.engine import RenderedPrompt
from judging.models import Comparison, Reasoning
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.answer_descriptions import describe_answers
from judging.services.exports.exported_answers import answer_rows, rows_with_prompts
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_prompt, make_run

pytestmark = pytest.mark.django_db


class PlainRenderer:
    """A renderer that changes nothing."""

    def render(self, question):
        labels = (question.label_first, question.label_second)
        return RenderedPrompt(question.text, question.answer_prefix, *labels)

    def fingerprint(self):
        return ""


MARKS = {"method": "cot", "template": "<A> or <B>?", "verdict": "[[<verdict>]]"}


def judge(run, *replies, answer=lambda question: 0.75):
    """Let an engine give these replies, over and over. Returns the engine."""
    texts = iter(replies * 100)
    engine = FakeEngine(answer, generate=lambda request: next(texts), score=lambda question: 3.5)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine)
    run.refresh_from_db()
    return engine


def test_reply_is_written_once_and_its_verdict_read_by_probability():
    run = make_run(make_dataset(candidates=(2,)), prompt="cot-reply-1")

    engine = judge(run, "The first is short.\nTherefore, Summary B is more coherent.")

    first = run.comparisons.order_by("pk")[0]
    assert (first.p_first, first.outcome, first.problem) == (0.75, "answered", "")
    assert first.thinking == "The first is short.\n"
    assert first.text == "Therefore, Summary B is more coherent."
    assert engine.asked[0].answer_prefix == "The first is short.\nTherefore, Summary "
    assert engine.asked[0].follows_reply
    assert [request.max_new_tokens for request in engine.requested] == [512, 512]
    assert (run.status, run.reasonings_planned, Reasoning.objects.count()) == ("done", 0, 0)


def test_kinds_of_replies_are_stored_and_counted():
    run = make_run(make_dataset(candidates=(3,)), prompt=make_prompt(**MARKS))

    judge(run, "Long. [[A]]", "[[B]]", "[[A]], [[B]]", "I cannot compare them.", "Hm.", "<think>[[A]]</think>Yes.")

    assert list(run.comparisons.order_by("pk").values_list("outcome", "problem")) == [
        ("answered", ""),
        ("answered", "empty-reasoning"),
        ("unparsed", "two-verdicts"),
        ("unparsed", "refusal"),
        ("unparsed", "no-verdict"),
        ("unparsed", "verdict-in-reasoning"),
    ]
    assert Comparison.objects.get(problem="two-verdicts").text == "[[A]], [[B]]"


def test_unparsed_replies_are_asked_again_on_request():
    run = make_run(make_dataset(candidates=(2,)), prompt=make_prompt(**MARKS))
    judge(run, "Hm.", "Long. [[A]]")

    resume(run, unparsed=True)
    judge(run, "So. [[B]]")

    assert run.status == "done"
    assert set(run.comparisons.values_list("outcome", "thinking")) == {("answered", "Long. "), ("answered", "So. ")}


def test_two_scores_make_a_run_of_choices():
    run = make_run(make_dataset(candidates=(2,)), prompt="judgelm-1")

    engine = judge(run, "8 6\nThe first.", "5 5\nSame.")

    assert list(run.comparisons.order_by("pk").values_list("choice", "p_first")) == [("first", None), ("tie", None)]
    assert engine.asked == []
    assert describe_answers(run) == "the two scores in the judge's reply; the higher one wins"


def test_scores_are_read_from_replies():
    run = make_run(make_dataset(candidates=(2,)), prompt="prometheus-absolute-1")

    engine = judge(run, "Feedback: clear. [RESULT] 4", "Feedback: 3 of 5? [RESULT] seven")

    assert list(run.scores.order_by("pk").values_list("value", "problem")) == [(3.5, ""), (None, "no-verdict")]
    assert engine.requested[0].text.endswith("###Feedback:")


def test_sampled_replies_give_a_share_and_are_all_kept():
    run = make_run(
        make_dataset(candidates=(2,)), prompt="cot-reply-1", generation=GenerationSettings(samples=3, temperature=0.7)
    )

    judge(run, "Therefore, Summary A is more coherent.", "Therefore, Summary B is more coherent.", "Hm.")

    (first, _) = run.comparisons.order_by("pk")
    assert first.p_first == 0.5
    assert [sample["read"] for sample in json.loads(first.text)] == ["first", "second", None]
    assert next(answer_rows(run))["samples_unparsed"] == 1


def test_single_reply_can_be_sampled_with_a_seed_of_its_own():
    settings = GenerationSettings(temperature=0.7)
    run = make_run(make_dataset(candidates=(2,)), prompt="cot-reply-1", generation=settings)

    engine = judge(run, "Therefore, Summary A is more coherent.")

    assert [request.temperature for request in engine.requested] == [0.7, 0.7]
    assert len({request.seed for request in engine.requested}) == 2


def test_export_shows_the_reply_before_the_label_word():
    run = make_run(make_dataset(candidates=(2,)), prompt="cot-reply-1")
    engine = judge(run, "Short.\nTherefore, Summary B is more coherent.")

    rows = list(rows_with_prompts(run, renderer=PlainRenderer()))

    assert [row["answer_prefix"] for row in rows] == ["Short.\nTherefore, Summary "] * 2
    assert (rows[0]["label_first"], rows[0]["label_second"]) == ("A", "B")
    assert rows[0]["prompt_text"] == engine.requested[0].text


def test_replies_begin_with_a_short_slice_and_go_on_with_longer_ones():
    run = make_run(make_dataset(candidates=(6,)), prompt="cot-reply-1")
    engine, sizes = FakeEngine(generate=lambda request: "Hm."), []
    generate = engine.generate
    engine.generate = lambda requests: sizes.append(len(requests)) or generate(requests)

    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    assert sizes == [4, 16, 10]
