"""Figures are kept only while what they rest on stays the same."""

import pytest

from judging.models import Candidate, Comparison, Score
from tests.rankings.report.report_figures import report_json, scores_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    return make_dataset(one_context(1, 2, 3))


def candidates(dataset):
    return {candidate.key: candidate for candidate in Candidate.objects.filter(context__dataset=dataset)}


def add_comparison(run, first, second, p_first):
    there = candidates(run.dataset)
    Comparison.objects.create(
        run=run,
        context=there[first].context,
        first=there[first],
        second=there[second],
        outcome="answered",
        p_first=p_first,
    )


def test_a_report_follows_comparisons_that_are_added(dataset):
    run = compared(dataset, answers("a b 0.75"))
    before = report_json(dataset)[0]

    add_comparison(run, "b", "a", 0.25)

    after = report_json(dataset)[0]
    assert (before["comparisons"], before["p_first"]["value"]) == (1, 1)
    assert (after["comparisons"], after["p_first"]["value"]) == (2, 0.5)


def test_a_report_follows_a_comparison_that_takes_the_place_of_another(dataset):
    run = compared(dataset, answers("a b 0.75"))
    before = report_json(dataset)[0]

    run.comparisons.all().delete()
    add_comparison(run, "a", "b", 0.25)

    after = report_json(dataset)[0]
    assert (before["p_first"]["value"], after["p_first"]["value"]) == (1, 0)


def test_a_report_follows_scores_that_are_added(dataset):
    run = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\n")
    before = report_json(dataset)[0]

    there = candidates(dataset)
    Score.objects.create(run=run, context=there["b"].context, candidate=there["b"], outcome="answered", value=4.0)

    after = report_json(dataset)[0]
    assert (before["comparisons"], after["comparisons"]) == (1, 2)


def test_scores_follow_comparisons_that_are_added(dataset):
    run = compared(dataset, answers("a b 0.75"))
    before = scores_json(run, ranking="win-ratio")

    add_comparison(run, "b", "a", 0.75)

    after = scores_json(run, ranking="win-ratio")
    assert [row["score"] for row in before] == [1, 0, None]
    assert [row["score"] for row in after] == [0.5, 0.5, None]
