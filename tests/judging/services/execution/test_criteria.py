"""Runs whose judge writes criteria for each context first."""

import pytest

from evenhand.engine import Generation
from evenhand.refusals import Refused
from judging.models import Criteria, Prompt, Reasoning, Run
from judging.services.execution.reasoning import count_runs_by_criteria_prompt, find_criteria_prompt, runs_with_criteria
from judging.services.exports.exported_answers import rows_with_prompts
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_prompt, make_run
from tests.judged_runs import judge_all
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db

CRITERIA_PROMPT = "metrics-1"


def writing(request):
    """Metrics for each article, and else an analysis."""
    if "propose at most three" not in request.text:
        return "An analysis."
    return f"Is article {request.text.partition('Article ')[2][0]} told?"


def test_criteria_are_written_once_per_context_and_shown_in_every_question():
    run = make_run(make_dataset(candidates=(3, 2)), prompt="pairwise-1", criteria=CRITERIA_PROMPT)
    engine = FakeEngine(generate=writing)

    judge_all(run, engine)

    assert len(engine.requested) == 2
    assert engine.requested[0].max_new_tokens == 150
    assert "Summary a of" not in engine.requested[0].text
    assert [question.text.count("Is article 0 told?") for question in engine.asked] == [1] * 6 + [0] * 2
    assert [question.text.count("Is article 1 told?") for question in engine.asked] == [0] * 6 + [1] * 2
    assert run.status == "done"
    assert (progress(run).reasonings_done, progress(run).reasonings_planned) == (2, 2)


@pytest.mark.parametrize(("prompt", "written"), [("prepair-1", 2 + 3 + 2), ("cot-1", 2 + 6 + 2), ("pointwise-1", 2)])
def test_criteria_work_with_and_without_reasoning(prompt, written):
    run = make_run(make_dataset(candidates=(3, 2)), prompt=prompt, criteria=CRITERIA_PROMPT)
    engine = FakeEngine(generate=writing)

    judge_all(run, engine)

    analyses = [request for request in engine.requested if "propose at most three" not in request.text]
    assert len(engine.requested) == written == max(2, progress(run).reasonings_done)
    assert all("told?" in request.text for request in analyses)
    assert all("told?" in question.text for question in engine.asked)


def test_another_run_reuses_criteria_but_not_reasonings_without_them():
    dataset = make_dataset(candidates=(3,))
    judge_all(make_run(dataset, prompt="pairwise-1", criteria=CRITERIA_PROMPT), FakeEngine(generate=writing))
    without = make_run(dataset, prompt="prepair-1")
    judge_all(without, FakeEngine(generate=writing))
    engine = FakeEngine(generate=writing)
    run = make_run(dataset, prompt="prepair-1", criteria=CRITERIA_PROMPT)

    judge_all(run, engine)

    assert len(engine.requested) == 3
    assert Criteria.objects.count() == 1
    assert [Reasoning.objects.of_run(one).count() for one in (without, run)] == [3, 3]
    assert Reasoning.objects.count() == 6


@pytest.mark.parametrize("other", ["judge", "attribute", "temperature"])
def test_criteria_are_not_shared_across_judge_attribute_or_temperature(other):
    dataset = make_dataset(candidates=(2,), attributes=("coherence", "fluency"))
    judge_all(make_run(dataset, prompt="pairwise-1", criteria=CRITERIA_PROMPT), FakeEngine(generate=writing))
    engine = FakeEngine(generate=writing)
    run = make_run(
        dataset,
        prompt="pairwise-1",
        criteria=CRITERIA_PROMPT,
        judge=make_judge("another") if other == "judge" else None,
        attribute="fluency" if other == "attribute" else "coherence",
        generation=GenerationSettings(temperature=0.5) if other == "temperature" else GenerationSettings(),
    )

    judge_all(run, engine)

    assert len(engine.requested) == 1


@pytest.mark.parametrize(("prompt", "asked"), [("prepair-1", 2), ("pointwise-1", 2)])
def test_failed_criteria_make_errors_that_can_be_retried(prompt, asked):
    run = make_run(make_dataset(candidates=(2, 2)), prompt=prompt, criteria=CRITERIA_PROMPT)
    fail = FakeEngine(
        generate=lambda one: Generation(error="busy") if "Article 0" in one.text and "propose" in one.text else "Fine."
    )
    judge_all(run, fail)
    rows = run.scores if run.is_scoring else run.comparisons
    failed = list(rows.filter(outcome="error").values_list("context__key", "error"))
    engine = FakeEngine(generate=writing)

    judge_all(resume(run, errors=True), engine)

    assert failed == [("c0", "the judge failed to write criteria: busy")] * 2
    assert len(fail.asked) == asked
    assert rows.filter(outcome="answered").count() == 4
    assert "told?" in engine.asked[0].text


def test_run_with_criteria_has_another_spec():
    dataset = make_dataset(candidates=(2,))
    plain, run = (
        make_run(dataset, prompt="pairwise-1"),
        make_run(dataset, prompt="pairwise-1", criteria=CRITERIA_PROMPT),
    )

    assert "metrics" not in plain.spec
    assert plain.spec_hash != run.spec_hash
    assert (plain.criteria_name, run.criteria_name) == ("", CRITERIA_PROMPT)
    assert [row.get("own_metrics") for row in report_json(dataset)] == [None, CRITERIA_PROMPT]
    assert run.spec["metrics"]["request"].startswith("Please propose")
    assert resume(run).status == "pending"


@pytest.mark.parametrize("prompt", ["unieval-2", "gptscore-1"])
def test_methods_that_do_not_show_criteria_refuse_them(prompt):
    with pytest.raises(Refused, match=r"metrics: method \w+ does not show them; leave them out, or use: comparative"):
        make_run(make_dataset(definition="It holds."), prompt=prompt, criteria=CRITERIA_PROMPT)


def test_unknown_prompt_for_criteria_is_refused_with_the_known_names():
    with pytest.raises(Refused, match=r'no prompt "metrics-9" for metrics \(did you mean "metrics-1"\?\); there are'):
        find_criteria_prompt("metrics-9")


def own_prompt(name="ours", **changes):
    wording = {
        "method": "metrics",
        "reasoning_template": "What would {candidate_noun}s of <context> need?",
        "template": "Needed:\n<metrics>",
        "label_first": "",
        "label_second": "",
    }
    return make_prompt(name, **wording | changes)


def test_own_prompt_for_criteria_is_used():
    own_prompt()
    own_prompt(version=2, template="Look for:\n<metrics>")
    dataset = make_dataset(candidates=(2,))
    engine = FakeEngine(generate=lambda request: "Brevity.")

    judge_all(make_run(dataset, prompt="pairwise-1", criteria="ours"), engine)
    judge_all(make_run(dataset, prompt="pairwise-1", criteria="ours@1"), engine)

    assert [request.text for request in engine.requested] == ["What would summarys of Article 0. need?"]
    assert ["Look for:\nBrevity.\n\n# Which" in question.text for question in engine.asked] == [True] * 2 + [False] * 2
    assert ["Needed:\nBrevity.\n\n# Which" in question.text for question in engine.asked] == [False] * 2 + [True] * 2


def test_run_names_the_version_of_its_prompt_for_criteria():
    own_prompt()
    own_prompt(version=2)

    names = ("ours", "ours@1", "metrics-1")
    runs = [make_run(make_dataset(name), prompt="pairwise-1", criteria=name) for name in names]

    assert [run.criteria_name for run in runs] == ["ours@2", "ours", "metrics-1"]
    assert count_runs_by_criteria_prompt(Run.objects.all()) == {"ours@2": 1, "ours": 1, "metrics-1": 1}
    versions = Prompt.objects.filter(name="ours").order_by("-version")
    assert [list(runs_with_criteria(Run.objects.all(), one)) for one in versions] == [[runs[0]], [runs[1]]]


def test_prompt_for_criteria_that_needs_a_definition_is_refused_without_one():
    own_prompt(reasoning_template="{definition}: what of <context>?")

    with pytest.raises(Refused, match=r'prompt "ours" asks for \{definition\}, and the attribute "coherence" has none'):
        make_run(prompt="pairwise-1", criteria="ours")


def test_prompt_for_criteria_is_refused_as_the_prompt_of_a_run():
    with pytest.raises(Refused, match='method: a judge is not asked by "metrics"; choose one of: comparative'):
        make_run(prompt="metrics-1")


def test_export_shows_the_question_with_its_criteria():
    run = make_run(make_dataset(candidates=(2,)), prompt="pairwise-1", criteria=CRITERIA_PROMPT)
    judge_all(run, FakeEngine(generate=writing))

    (row, _) = rows_with_prompts(run, renderer=FakeEngine())

    assert "answering" not in row["prompt_text"]
    assert "based on thinking about all the questions.\nIs article 0 told?\n\n# Which Summary" in row["prompt_text"]
