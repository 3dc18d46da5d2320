"""Making a study of existing runs, and adding runs to one: the list, its filters, and the table while one chooses."""

import pytest
from django.urls import reverse

from judging.models import Study
from judging.services.studies.study_changes import create_study
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.rankings.studies import compared
from tests.rankings.studies import make_dataset as make_study_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
NEW = "/studies/new/"


@pytest.fixture
def dataset(researcher):
    return make_dataset()


def answered(dataset, judge: str, owner):
    return answer_run(make_run(dataset, judge=make_judge(judge), owner=owner))


def test_new_study_has_the_chosen_runs_and_opens_with_their_table(client, researcher, dataset):
    first, _, third = (answered(dataset, name, researcher) for name in ("one", "two", "three"))

    page = client.post(NEW, {"name": "Table 1", "run": [third.pk, first.pk, "x"]}, follow=True)

    study = Study.objects.get(name="Table 1", owner=researcher)
    assert page.redirect_chain == [(study.get_absolute_url(), 302)]
    assert list(study.runs.order_by("memberships__position")) == [first, third]


def test_table_of_the_chosen_runs_shows_before_the_study_exists(client, researcher, dataset):
    with_people, empty = make_study_dataset(), answered(dataset, "of no figure", researcher)
    first, second, _ = (compared(with_people, judge=name) for name in ("one", "two", "three"))

    part, none, bare = (
        client.post(NEW, {"table": "1", "run": runs}).content.decode()
        for runs in ([first.pk, second.pk], [], [empty.pk])
    )

    assert [name in part for name in (">one<", ">two<", ">three<", "Accuracy")] == [True, True, False, True]
    assert "Choose runs to see it." in none
    assert "No cell has a value: people prefer no candidate of a compared pair" in bare
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("sent", "problem"), [({"name": "Table 1"}, "choose at least one run"), ({"name": " "}, "give the study a name")]
)
def test_study_without_runs_or_a_name_is_refused_and_what_was_chosen_stays(client, researcher, dataset, sent, problem):
    run = answered(dataset, "one", researcher)
    chosen = {} if "run" in problem else {"run": run.pk}

    page = client.post(NEW, sent | chosen).content.decode()

    assert problem in page
    assert f'name="name" value="{sent["name"]}"' in page
    assert (f'value="{run.pk}" checked' in page) == bool(chosen)
    assert not Study.objects.exists()


def test_address_filters_the_runs_and_ticks_those_that_it_names(client, researcher, dataset):
    first, second = answered(dataset, "one", researcher), answered(dataset, "two", researcher)
    other = answered(make_dataset("Dialogues"), "three", researcher)

    page = client.get(NEW, {"dataset": dataset.pk, "run": [first.pk, other.pk]})

    assert page.context["runs"] == [second, first]
    assert page.context["chosen"] == {first.pk}


def test_results_and_list_offer_a_study_of_the_runs_that_they_show(client, researcher, dataset):
    first, second, _ = (answered(dataset, name, researcher) for name in ("one", "two", "three"))

    page = client.get(reverse("dataset-results", args=[dataset.pk]), {"run": [first.pk, second.pk]}).content.decode()

    listed = client.get(reverse("run-list"), {"dataset": dataset.pk, "judge": first.judge_id}).content.decode()

    assert f"{NEW}?dataset={dataset.pk}&amp;run={first.pk}&amp;run={second.pk}" in page
    assert f"{NEW}?dataset={dataset.pk}&amp;judge={first.judge_id}" in listed


def test_runs_are_added_to_a_study_which_lists_only_those_that_it_lacks(client, researcher):
    dataset = make_study_dataset()
    first, second, third = (compared(dataset, judge=name) for name in ("one", "two", "three"))
    hidden = make_run(dataset, attribute="overall", owner=make_user("otto", "researcher"))
    study = create_study("Table 1", owner=researcher, runs=[first])
    address = reverse("study-collect", args=[study.pk])

    listed = client.get(address, {"judge": second.judge_id}).context["runs"]
    part = client.post(address, {"table": "1", "run": third.pk}).content.decode()
    client.post(address, {"run": [third.pk, hidden.pk, "x"]})

    assert listed == [second]
    assert [name in part for name in (">one<", ">two<", ">three<")] == [True, False, True]
    assert list(study.runs.order_by("pk")) == [first, third]


def test_one_box_chooses_all_runs_that_are_listed_and_no_other(client, researcher, dataset):
    mine = make_judge("mine")
    listed = [make_run(dataset, judge=mine, owner=researcher) for _ in range(2)]
    make_run(dataset, owner=researcher)
    make_run(dataset, owner=make_user("otto", "researcher"))
    study = create_study("Table 1", owner=researcher)

    client.post(f"{reverse('study-collect', args=[study.pk])}?judge={mine.pk}", {"all": "1"})

    assert list(study.runs.order_by("pk")) == listed


def test_runs_with_an_added_sentence_are_not_offered(client, researcher, dataset):
    run = answered(dataset, "one", researcher)
    type(run).objects.filter(pk=run.pk).update(added_sentence="pick-first")

    assert "There is no run yet." in client.get(NEW).content.decode()
