"""A judge on each candidate beside itself: what is asked and stored, its figure, and that nothing else uses it."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from evenhand.numerics import Comparisons, first_share
from evenhand.refusals import Refused
from judging.models import Comparison, Run
from judging.services.plans.run_plan import make_plan, plan_size
from judging.services.plans.selection_settings import SelectionSettings, scoring_problems, selection_problems
from judging.services.runs.run_request import robustness_request
from judging.services.studies.study_changes import add_runs, create_study
from rankings.juries.jury_answers import require_members
from tests.commands import printed, printed_json, refused
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_run
from tests.judged_runs import judge_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

NULL = SelectionSettings("null-pairs")


def answered(dataset, p_first):
    """A run on null pairs whose answer is a function of the candidate's position and context."""
    run = make_run(dataset, selection=NULL)
    judge_all(run)
    for one in run.comparisons.select_related("first", "context"):
        Comparison.objects.filter(pk=one.pk).update(p_first=p_first(one.first.position, one.context.position))
    return run


def test_plan_has_each_candidate_beside_itself_also_alone_in_its_context():
    dataset = make_dataset(candidates=(3, 1, 2))

    plan = make_plan(dataset, selection=NULL)

    ids = [pk for of_context in dataset.candidates_by_context().values() for pk in of_context]
    assert [pair for part in plan.chunks for pair in part.pairs] == [(pk, pk) for pk in ids]
    size = plan_size(dataset, selection=NULL)
    assert (size.contexts, size.candidates, size.comparisons, size.without_anchor) == (3, 6, 6, 0)


def test_judge_is_asked_about_equal_texts_and_only_this_selection_stores_a_candidate_with_itself():
    dataset, engine = make_dataset(candidates=(3,)), FakeEngine()
    run = make_run(dataset, selection=NULL)

    judge_all(run, engine)

    assert (run.status, run.comparisons.count()) == ("done", 3)
    assert set(run.comparisons.values_list("is_null_pair", flat=True)) == {True}
    for changes in ({"is_null_pair": False}, {"second_id": run.comparisons.latest("pk").first_id}):
        with pytest.raises(IntegrityError, match="comparison_of_two_candidates"), transaction.atomic():
            Comparison.objects.filter(pk=run.comparisons.earliest("pk").pk).update(**changes)


def test_ordinary_run_cannot_store_a_candidate_with_itself():
    run = make_run(make_dataset(candidates=(2,)))
    run.chunks.update(pairs=[[pk, pk] for pk in run.dataset.candidates_by_context()[0]])

    with pytest.raises(IntegrityError, match="comparison_of_two_candidates"):
        judge_all(run)


def test_figure_is_the_share_of_first_decisions_on_null_pairs_with_the_interval_of_a_share(capsys):
    dataset = make_dataset(candidates=(3, 3, 3, 2))
    answer_run(ordinary := make_run(dataset), p_first=0.1)
    run = answered(dataset, lambda position, context: (0.9, 0.5, 0.9 if context else 0.2)[position])

    found = printed_json(capsys, "diagnostics", ordinary.pk)["null_pairs"]

    # the same decisions on pairs of two candidates, each context with as many
    pairs = [(0, 1, 1), (1, 0, 0.5), (0, 2, 0), (3, 4, 1), (4, 3, 0.5), (3, 5, 1), (6, 7, 1), (7, 6, 0.5), (6, 8, 1)]
    first, second, decided = zip(*pairs, (9, 10, 1), (10, 9, 0.5), strict=True)
    alike = first_share(Comparisons(11, first, second, decided, [0, 3, 6, 9]))
    assert found["p_first"] == {"value": alike.value, "low": alike.low, "high": alike.high, "n": 11}
    assert (found["ties"]["value"], found["n"]) == (4 / 11, 11)
    assert printed_json(capsys, "diagnostics", run.pk)["null_pairs"] == found


def test_figure_leaves_out_systems_and_takes_the_latest_run_of_the_same_judge_and_prompt(capsys):
    dataset = make_dataset(candidates=(2, 2, 2))
    answer_run(ordinary := make_run(dataset), p_first=0.1)
    answered(dataset, lambda position, context: 0.1)
    answered(make_dataset("Other"), lambda position, context: 0.1)
    Run.objects.filter(selection="null-pairs").update(spec_hash="of older runs")
    answered(dataset, lambda position, context: (0.1, 0.9)[position])
    other_prompt = make_run(dataset, prompt="comparative-2", selection=NULL)
    judge_all(other_prompt)

    found = printed_json(capsys, "diagnostics", ordinary.pk, "--without-system", "system-a")["null_pairs"]

    assert (found["p_first"]["value"], found["n"]) == (1, 3)


def test_no_such_run_gives_the_command_that_would_make_one(capsys):
    answer_run(run := make_run(make_dataset(candidates=(2, 2, 2))))

    assert printed_json(capsys, "diagnostics", run.pk)["null_pairs"] == {
        "p_first": {"value": None, "low": None, "high": None, "n": 0, "undefined": UNDEFINED},
        "ties": {"value": None, "low": None, "high": None, "n": 0, "undefined": UNDEFINED},
        "n": 0,
    }


UNDEFINED = "no run of this judge and prompt compares texts with themselves; judge with --selection null-pairs"


def test_null_pairs_are_in_no_report_study_jury_or_robustness_run(capsys):
    dataset = make_dataset(candidates=(2, 2, 2))
    answer_run(ordinary := make_run(dataset), p_first=0.6)
    before = printed(capsys, "report", "--dataset", dataset.name, "--json")
    run = answered(dataset, lambda position, context: 0.9)

    assert printed(capsys, "report", "--dataset", dataset.name, "--json") == before
    assert [one["run"] for one in printed_json(capsys, "report", "--dataset", dataset.name)["rows"]] == [ordinary.pk]
    [problem] = refused(capsys, "report", "--dataset", dataset.name, "--run", run.pk)
    assert problem == f"run: {run.pk} compares texts with themselves; see its diagnostics"
    assert refused(capsys, "gate", run.pk, "--at-least", "p_first=0.1") == [problem]
    with pytest.raises(Refused, match="compares texts with themselves"):
        add_runs(create_study("Table", owner=None), [run])
    with pytest.raises(Refused, match="compares texts with themselves"):
        robustness_request(run, sentence=None)
    with pytest.raises(Refused, match="compares texts with themselves"):
        require_members([ordinary, run])


def test_settings_that_do_not_fit_are_refused():
    [problem] = scoring_problems(NULL)
    assert problem.startswith("selection: null-pairs — this method scores every candidate alone, so there are no pairs")
    assert selection_problems(SelectionSettings("null-pairs", 5)) == [
        "comparisons: 5 — selection null-pairs asks each text with itself; leave the number out or choose another "
        "selection: random, no-repeat, symmetric, d-optimal, bt-optimal, until-sure"
    ]


def test_page_of_results_has_it_beside_p_first_and_that_of_the_run_leads_to_it(client, researcher):
    dataset = make_dataset(candidates=(2, 2, 2))
    answer_run(ordinary := make_run(dataset), p_first=0.6)
    run = answered(dataset, lambda position, context: 0.9)

    results = client.get(reverse("run-results", args=[ordinary.pk]))
    assert [card.title for card in results.context["null"]] == ["P(first) of null pairs", "Ties of null pairs"]
    own = client.get(reverse("run-results", args=[run.pk])).content.decode()
    assert f"/runs/{run.pk}/diagnostics/" in own
    for name in ("run-headline", "run-headline-link", "run-table", "run-comparisons", "run"):
        assert client.get(reverse(name, args=[run.pk])).status_code == 200
    sentence = "Beside itself, a text is preferred in first place in 100.0 %"
    assert sentence in client.get(reverse("run-diagnostics", args=[run.pk])).content.decode().replace("\u202f", " ")
