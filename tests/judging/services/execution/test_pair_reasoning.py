"""Methods that reason about a pair: one text per ordered pair, then the comparison."""

import pytest

from evenhand.engine import Generation
from judging.models import Reasoning
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db


def shown_first(request):
    """The key of the text shown as A."""
    return request.text.partition("# Summary A:")[2].split()[1]


@pytest.mark.parametrize(
    ("prompt", "heading", "longest"),
    [("cot-1", "# Explanation:\nOn a.", 256), ("prepair-star-1", "# Analyses:\nOn a.", 512)],
)
def test_judge_reasons_once_about_each_ordered_pair(prompt, heading, longest):
    run = make_run(make_dataset(candidates=(2,)), prompt=prompt)
    engine = FakeEngine(generate=lambda request: f"On {shown_first(request)}.")

    judge_all(run, engine)

    assert [request.max_new_tokens for request in engine.requested] == [longest] * 2
    assert heading in engine.asked[0].text
    assert list(Reasoning.objects.values_list("candidate__key", "second__key", "text")) == [
        ("a", "b", "On a."),
        ("b", "a", "On b."),
    ]
    counted = progress(run)
    assert (run.status, counted.answered, counted.reasonings_done, counted.reasonings_planned) == ("done", 2, 2, 2)


def test_reasoning_of_another_run_about_a_pair_is_reused():
    dataset = make_dataset(candidates=(3,))
    judge_all(make_run(dataset, prompt="cot-1"), FakeEngine())
    run, engine = make_run(dataset, prompt="cot-1", selection=SelectionSettings("random", comparisons=4)), FakeEngine()

    judge_all(run, engine)

    assert engine.requested == []
    assert len(engine.asked) == 4
    assert progress(run).reasonings_done == 4


def test_failed_reasoning_makes_an_error_that_can_be_retried():
    run = make_run(make_dataset(candidates=(2,)), prompt="cot-1")
    judge_all(
        run, FakeEngine(generate=lambda request: Generation(error="busy") if shown_first(request) == "a" else "Fine.")
    )
    failed = run.comparisons.get(outcome="error")

    judge_all(resume(run, errors=True), FakeEngine(generate=lambda request: "Now."))

    assert (failed.first.key, failed.error) == ("a", "the judge failed to write its reasoning about the pair: busy")
    assert set(Reasoning.objects.values_list("candidate__key", "text")) == {("a", "Now."), ("b", "Fine.")}
    assert run.comparisons.filter(outcome="answered").count() == 2


def test_pairwise_writes_no_reasoning():
    run, engine = make_run(make_dataset(candidates=(2,)), prompt="pairwise-1"), FakeEngine()

    judge_all(run, engine)

    assert engine.requested == []
    assert engine.asked[0].text.endswith("# Which Summary is more coherent, Summary A or Summary B?")
    assert (run.status, run.method, run.reasonings_planned) == ("done", "pairwise", 0)
