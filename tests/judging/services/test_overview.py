"""The overview on the home page: what runs, what ended, what waits, and the first steps."""

import pytest
from django.utils import timezone

from judging.models import Comparison, Outcome, Run
from judging.services.overview import overview
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_annotator, make_ready_campaign, prefer
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita():
    return make_user("rita", "researcher")


def test_overview_lists_active_and_ended_runs_apart(rita):
    dataset = make_dataset()
    active, ended, failed = (make_run(dataset, owner=rita) for _ in range(3))
    answer_run(ended)
    Run.objects.filter(pk=failed.pk).update(status=Run.Status.FAILED, finished_at=timezone.now())
    make_run(dataset, owner=make_user("olaf", "researcher"))

    lists = overview(rita)

    assert [one.run for one in lists.running] == [active]
    assert lists.active == 1
    assert list(lists.ended) == [failed, ended]


def test_overview_counts_disputed_pairs_of_campaigns(rita):
    anna, ben = make_annotator("anna"), make_annotator("ben")
    campaign = make_ready_campaign(anna, ben, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=2)
    for earlier in (True, True):
        prefer(campaign, anna, earlier=earlier)
    for earlier in (True, False):
        prefer(campaign, ben, earlier=earlier)

    [row] = overview(rita).campaigns

    assert (row.campaign, row.disputed) == (campaign, 1)


def test_overview_leaves_out_a_complete_campaign_without_disputes(rita):
    anna = make_annotator("anna")
    campaign = make_ready_campaign(anna, dataset=make_dataset(candidates=(2,)), votes_per_pair=1)

    assert [row.campaign for row in overview(rita).campaigns] == [campaign]
    prefer(campaign, anna, earlier=True)

    assert overview(rita).campaigns == []


def test_overview_names_a_run_without_a_readable_answer(rita):
    dataset = make_dataset()
    unreadable, partly = answer_run(make_run(dataset, owner=rita)), answer_run(make_run(dataset, owner=rita))
    unparsed = {"outcome": Outcome.UNPARSED, "p_first": None, "problem": "unreadable"}
    Comparison.objects.filter(run=unreadable).update(**unparsed)
    Comparison.objects.filter(pk=partly.answers.first().pk).update(**unparsed)

    assert list(overview(rita).unreadable) == [unreadable]


def test_overview_ticks_the_steps_of_a_first_study_and_ends_them_with_it(rita):
    dataset = make_dataset()

    before = [step.is_done for step in overview(rita).steps]
    run = make_run(dataset, owner=rita)
    after = [step.is_done for step in overview(rita).steps]
    create_study("Mine", owner=rita, runs=[run])

    assert (before, after) == ([True, False, False], [True, True, False])
    assert overview(rita).steps == []


def test_overview_begins_with_a_dataset_where_there_is_none(rita):
    assert [step.title for step in overview(rita).steps] == ["Add a dataset"]
