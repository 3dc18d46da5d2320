"""PRePair: one analysis per candidate, then the comparisons with both."""

import pytest

from evenhand.engine import Generation
from judging.management.run_progress import describe_progress
from judging.management.run_rows import describe_run, make_run_row
from judging.models import Reasoning
from judging.services.exports.exported_answers import answer_columns, answer_rows
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import progress
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db


def test_prepair_writes_about_each_candidate_once_and_compares_with_both_analyses():
    run = make_run(make_dataset(candidates=(3,)), prompt="prepair-1")
    engine = FakeEngine(generate=lambda request: f"On {request.text.partition('# Summary:')[2].split()[1]}.")

    judge_all(run, engine)

    assert len(engine.requested) == 3
    assert len(engine.asked) == 6
    assert engine.requested[0].max_new_tokens == 256
    assert "# Analysis of Summary A:\nOn a.\n\n# Analysis of Summary B:\nOn b." in engine.asked[0].text
    assert list(Reasoning.objects.values_list("candidate__key", "text")) == [
        ("a", "On a."),
        ("b", "On b."),
        ("c", "On c."),
    ]
    assert (run.status, run.comparisons.count()) == ("done", 6)


def test_prepair_reuses_no_reasonings_of_another_revision():
    dataset = make_dataset(candidates=(3,))
    judge_all(make_run(dataset, prompt="prepair-1"), FakeEngine(generate=lambda request: "Old."))
    engine = FakeEngine(generate=lambda request: "New.", revision="sha256:trained on")
    run = make_run(dataset, prompt="prepair-1", selection=SelectionSettings("random", comparisons=4))

    judge_all(run, engine)

    assert len(engine.requested) == 3
    assert {reasoning.text for reasoning in Reasoning.objects.of_run(run)} == {"New."}
    assert all("Old." not in question.text for question in engine.asked)


@pytest.mark.parametrize("other", ["judge", "attribute"])
def test_prepair_shares_no_analysis_across_judges_and_attributes(other):
    dataset = make_dataset(candidates=(3,), attributes=("coherence", "fluency"))
    judge_all(make_run(dataset, prompt="prepair-1", attribute="coherence"), FakeEngine())
    engine = FakeEngine()
    judge = make_judge("another") if other == "judge" else None
    attribute = "fluency" if other == "attribute" else "coherence"

    judge_all(make_run(dataset, prompt="prepair-1", judge=judge, attribute=attribute), engine)

    assert len(engine.requested) == 3


def test_failed_analysis_makes_errors_with_its_reason():
    run = make_run(make_dataset(candidates=(3,)), prompt="prepair-1")
    engine = FakeEngine(
        generate=lambda request: Generation(error="too long") if "Summary b of" in request.text else "Good."
    )

    judge_all(run, engine)

    reason = 'the judge failed to write its reasoning about candidate "b": too long'
    rows = run.comparisons.order_by("first", "second").values_list("first__key", "second__key", "outcome", "error")
    assert list(rows) == [
        ("a", "b", "error", reason),
        ("a", "c", "answered", ""),
        ("b", "a", "error", reason),
        ("b", "c", "error", reason),
        ("c", "a", "answered", ""),
        ("c", "b", "error", reason),
    ]
    assert run.status == "done"


def test_analyses_that_were_cut_off_are_counted_shown_and_exported():
    dataset = make_dataset(candidates=(3,))
    run, other = make_run(dataset, prompt="prepair-1"), make_run(dataset, prompt="prepair-1", judge=make_judge("other"))
    cut = Generation(text="It is", complete=False)

    judge_all(run, FakeEngine(generate=lambda request: "Fine." if "Summary c" in request.text else cut))
    judge_all(other, FakeEngine(generate=lambda request: cut))

    counted, row = progress(run), make_run_row(run)
    assert (counted.reasonings_done, counted.reasonings_cut, row["reasonings_cut"]) == (3, 2, 2)
    assert "; 2 reasoning texts reached the limit of tokens: copy the prompt" in describe_run(row)
    assert "3 of 3 reasoning texts, 2 cut at their limit" in describe_progress(run, counted)
    exported = {(row["first"], row["second"]): row["reasonings_cut"] for row in answer_rows(run)}
    assert exported == {(a, b): 2 - ("c" in (a, b)) for a in "abc" for b in "abc" if a != b}
    assert answer_columns(run, prompts=False)[-1] == "reasonings_cut"
