"""Pages of studies: following, renaming and deleting one."""

import pytest
from django.urls import reverse

from judging.models import Run, Study
from judging.services.studies.study_changes import add_runs, create_study
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.judging.views.pages import page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def dataset(researcher):
    make_judge()
    return make_dataset(attributes=("coherence", "fluency"))


def post(client, name, *args, **fields):
    return client.post(reverse(name, args=args), fields, follow=True)


def test_list_counts_the_runs_of_each_study(client, researcher, dataset):
    create_study("Table 1", owner=researcher, runs=[make_run(dataset, owner=researcher)])
    create_study("Hidden", owner=make_user("otto", "researcher"))

    text = page(client, "study-list")

    assert "Table 1" in text
    assert "1 active" in text
    assert "Hidden" not in text


def test_study_page_shows_each_run_with_its_state(client, researcher, dataset):
    done, failed = answer_run(make_run(dataset)), make_run(dataset, prompt="comparative-2")
    Run.objects.filter(pk=failed.pk).update(status="failed", error="out of memory")
    study = create_study("Table 1", owner=researcher, runs=[done, failed])

    text = page(client, "study-runs", study.pk)

    assert "P(first) 100.0\N{NARROW NO-BREAK SPACE}%" in text
    assert "out of memory" in text
    assert "1 stopped" in text
    assert "partial" not in text
    assert "hx-trigger" not in text.split('id="study-progress"')[1]


def test_progress_of_an_active_study_is_polled_and_marks_partial_figures(client, researcher, dataset):
    run = answer_run(make_run(dataset))
    run.comparisons.filter(pk__in=run.comparisons.values("pk")[:6]).delete()
    Run.objects.filter(pk=run.pk).update(status="running")
    study = create_study("Table 1", owner=researcher, runs=[run])

    text = page(client, "study-progress", study.pk)

    assert "every 3s" in text
    assert "running 50 %" in text
    assert "partial" in text


def test_cancel_and_resume_act_on_all_runs(client, researcher, dataset, handed_over):
    study = create_study("Table 1", owner=researcher, runs=[make_run(dataset, owner=researcher) for _ in range(2)])
    make_run(dataset, owner=researcher)

    post(client, "study-cancel", study.pk)
    cancelled = set(study.runs.values_list("status", flat=True))
    post(client, "study-resume", study.pk)

    assert cancelled == {"cancelled"}
    assert sorted(handed_over) == sorted(study.runs.values_list("pk", flat=True))
    assert Run.objects.filter(status="pending").count() == 3


def test_resume_asks_errors_again(client, researcher, dataset, handed_over):
    run = answer_run(make_run(dataset, owner=researcher))
    run.comparisons.filter(pk=run.comparisons.first().pk).update(outcome="error", p_first=None)
    study = create_study("Table 1", owner=researcher, runs=[run])

    text = post(client, "study-resume", study.pk, errors="").content.decode()

    assert handed_over == [run.pk]
    assert "1 run resumed, errors are asked again." in text


def test_edit_renames_a_study_and_sets_its_groups(client, researcher):
    study = create_study("Old", owner=researcher)
    address = reverse("study-edit", args=[study.pk])

    refused = client.post(address, {"name": "New", "description": "", "groups": "Hard"})
    client.post(address, {"name": "New", "description": "of the paper", "groups": "Hard=a,b\nEasy=c"})

    study.refresh_from_db()
    assert "write NAME=SUBSET,SUBSET" in refused.context["form"].errors["groups"][0]
    assert (study.name, study.description, study.groups) == ("New", "of the paper", ["Hard=a,b", "Easy=c"])


def test_remove_run_and_delete_keep_the_runs(client, researcher, dataset):
    runs = [make_run(dataset, owner=researcher) for _ in range(2)]
    study = create_study("Table 1", owner=researcher, runs=runs)

    post(client, "study-remove-run", study.pk, runs[0].pk)
    left = list(study.runs.all())
    post(client, "study-delete", study.pk)

    assert left == [runs[1]]
    assert not Study.objects.exists()
    assert Run.objects.count() == 2


def test_study_of_another_person_can_be_followed_without_buttons(client, researcher, dataset):
    study = create_study("Shared", owner=make_user("otto", "researcher"), runs=[make_run(dataset)])

    shown = page(client, "study-runs", study.pk)
    assert ("Cancel all" in shown, "Remove" in shown, "Summaries, coherence" in shown) == (False, False, True)


@pytest.mark.parametrize("number", [1, 4])
def test_page_of_a_study_needs_the_same_queries_for_any_number_of_runs(
    client, researcher, dataset, number, django_assert_max_num_queries
):
    study = create_study("Table 1", owner=researcher)
    add_runs(study, [answer_run(make_run(dataset, owner=researcher)) for _ in range(number)])

    with django_assert_max_num_queries(16):
        client.get(reverse("study-runs", args=[study.pk]))
