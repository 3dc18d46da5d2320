"""Results of all runs of a dataset side by side."""

import pytest
from django.urls import reverse

from judging.models import Comparison, Judge
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.rankings.report.views.scored_runs import read, scored_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


def test_side_by_side_shows_each_run_its_failed_checks_and_why_nothing_is_said_of_people(client, researcher):
    run = scored_run(researcher)
    Comparison.objects.filter(pk=run.comparisons.order_by("pk").first().pk).update(outcome="unparsed", p_first=None)

    page = read(client, "dataset-results", run.dataset_id)

    assert "<summary>Few unparsed answers: failed by 1 of 1 run</summary>" in page
    assert f'(run {run.pk}): <span class="soft">1 of 12 comparisons could not be parsed' in page

    other = answer_run(make_run(run.dataset, judge=make_judge("other"), owner=researcher))

    page = read(client, "dataset-results", run.dataset_id)

    assert reverse("run-results", args=[run.pk]) in page
    assert reverse("run-results", args=[other.pk]) in page
    assert ">People</th>" not in page
    assert f"No row for people on {run.attribute.name}: the attribute has no votes." in page


def test_side_by_side_with_the_demo_judge_carries_a_warning(client, researcher):
    real, shown = scored_run(researcher, name="Real"), scored_run(researcher, judge=Judge.objects.get(name="demo"))

    assert "is trained for the sample data only" not in read(client, "dataset-results", real.dataset.pk)
    assert "is trained for the sample data only" in read(client, "dataset-results", shown.dataset.pk)


def test_side_by_side_leaves_out_runs_of_somebody_else(client, researcher):
    run = scored_run(researcher)
    hidden = answer_run(make_run(run.dataset, judge=make_judge("unseen"), owner=make_user("olaf", "researcher")))

    for name, arguments in (("dataset-results", []), ("dataset-report", ["csv"]), ("dataset-report", ["json"])):
        answer = client.get(reverse(name, args=[run.dataset_id, *arguments]))
        assert hidden.judge.name not in (answer.getvalue() if answer.streaming else answer.content).decode()


def test_side_by_side_shows_the_attribute_that_is_chosen(client, researcher):
    dataset = make_dataset(attributes=("coherence", "fluency"))
    coherence = answer_run(make_run(dataset, attribute="coherence", owner=researcher))
    fluency = answer_run(make_run(dataset, attribute="fluency", owner=researcher))

    page = read(client, "dataset-results", dataset.pk, attribute="fluency")

    assert reverse("run-results", args=[fluency.pk]) in page
    assert reverse("run-results", args=[coherence.pk]) not in page


@pytest.mark.parametrize("n", [1, 3])
def test_side_by_side_needs_the_same_queries_for_any_number_of_runs(
    client, researcher, django_assert_max_num_queries, n
):
    run = scored_run(researcher)
    for number in range(n - 1):
        answer_run(make_run(run.dataset, judge=make_judge(f"judge-{number}"), owner=researcher))
    client.get(reverse("dataset-results", args=[run.dataset_id]))  # the report is kept from now on

    with django_assert_max_num_queries(14):
        client.get(reverse("dataset-results", args=[run.dataset_id]))


def test_results_without_a_run_offer_both_ways_to_answers(client, researcher):
    dataset = make_dataset()

    page = read(client, "dataset-results", dataset.pk)

    assert f'<a href="{reverse("run-new", args=[dataset.pk])}">Start a run</a>' in page
    assert f'<a href="{reverse("judgments-new", args=[dataset.pk])}">upload verdicts</a>' in page
