"""Creating, renaming and deleting studies; adding and removing, cancelling and resuming runs."""

import pytest

from evenhand.refusals import Refused
from judging.models import Run, Study
from judging.services.studies.study_changes import (
    add_runs,
    cancel_runs,
    create_study,
    delete_study,
    remove_run,
    rename_study,
    resume_runs,
    set_baseline,
    set_groups,
)
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs() -> list[Run]:
    dataset = make_dataset()
    return [make_run(dataset) for _ in range(3)]


def test_create_study_stores_its_runs_in_their_order(runs):
    study = create_study(" Table 1 ", description="of the paper", runs=[runs[2], runs[0]], groups=["Hard=a,b"])

    stored = Study.objects.get()
    assert (stored.name, stored.description, stored.groups) == ("Table 1", "of the paper", ["Hard=a,b"])
    assert list(study.memberships.values_list("run", flat=True)) == [runs[2].pk, runs[0].pk]


def test_create_study_refuses_a_bad_name_and_bad_groups_together(runs):
    with pytest.raises(Refused) as refused:
        create_study("", runs=runs, groups=["Hard", "Easy=a", "Easy=b"])

    assert list(refused.value.problems) == [
        "name: is empty — give the study a name",
        'group: "Hard" — write NAME=SUBSET,SUBSET, for example Hard=Manual,Neighbor',
        'group: "Easy" is defined twice',
    ]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("taken", 'name: "taken" is not free — choose another name'),
        ("n" * 201, "name: has 201 characters — give at most 200"),
        ("a\0b", "name: contains the character U+0000 — leave it out"),
    ],
)
def test_create_study_refuses_a_name(name, problem):
    create_study("taken")

    with pytest.raises(Refused) as refused:
        create_study(name)

    assert list(refused.value.problems) == [problem]


def test_add_runs_appends_new_runs_and_counts_them(runs):
    study = create_study("growing", runs=runs[:1])
    create_study("another", runs=runs)

    assert add_runs(study, [runs[0], runs[2], runs[2], runs[1]]) == 2
    assert list(study.memberships.values_list("run", "position")) == [(runs[0].pk, 0), (runs[2].pk, 1), (runs[1].pk, 2)]


def test_remove_run_takes_it_out_of_this_study_only(runs):
    study, other = create_study("one", runs=runs), create_study("other", runs=runs)

    remove_run(study, runs[1])

    assert set(study.runs.all()) == {runs[0], runs[2]}
    assert set(other.runs.all()) == set(runs)


def test_a_run_that_the_study_lacks_is_neither_removed_nor_its_baseline(runs):
    study = create_study("one", runs=runs[:1])

    with pytest.raises(Refused, match=f'run: run {runs[1].pk} is not in study "one"'):
        remove_run(study, runs[1])

    with pytest.raises(Refused, match=f'baseline: run {runs[1].pk} is not in study "one"; add it first'):
        set_baseline(study, runs[1])


def test_removed_baseline_is_no_longer_the_baseline(runs):
    study = create_study("one", runs=runs)
    set_baseline(study, runs[1])

    remove_run(study, runs[1])

    study.refresh_from_db()
    assert study.baseline is None


def test_set_groups_replaces_the_groups_and_refuses_another_form():
    study = create_study("one", groups=["Old=a"])

    set_groups(study, ["Hard=a,b", "Easy=c"])
    with pytest.raises(Refused, match='group: "=c" — write'):
        set_groups(study, ["=c"])

    study.refresh_from_db()
    assert study.groups == ["Hard=a,b", "Easy=c"]


def test_rename_study_changes_its_name_unless_another_has_it():
    study = create_study("one")
    create_study("taken")

    rename_study(study, " two ")
    rename_study(study, "two")
    with pytest.raises(Refused, match='"taken" is not free'):
        rename_study(study, "taken")

    assert sorted(Study.objects.values_list("name", flat=True)) == ["taken", "two"]


def test_delete_study_keeps_its_runs(runs):
    delete_study(create_study("one", runs=runs))

    assert not Study.objects.exists()
    assert Run.objects.count() == 3


def test_cancel_runs_cancels_the_active_runs_and_returns_them():
    dataset = make_dataset()
    done, pending = answer_run(make_run(dataset)), make_run(dataset)

    assert cancel_runs([done, pending]) == [pending]
    assert set(Run.objects.values_list("pk", "status")) == {(done.pk, "done"), (pending.pk, "cancelled")}


def test_resume_runs_resumes_stopped_runs_only():
    dataset = make_dataset()
    done, cancelled, pending, recorded = (make_run(dataset) for _ in range(4))
    answer_run(done)
    cancel_runs([cancelled, recorded])
    recorded.judge = make_judge("elsewhere", backend="recorded", model="")
    recorded.save()
    cancelled.refresh_from_db()
    recorded.refresh_from_db()

    assert resume_runs([done, cancelled, pending, recorded]) == [cancelled]


def test_resume_runs_asks_errors_of_done_runs_again():
    dataset = make_dataset()
    with_errors, without = answer_run(make_run(dataset)), answer_run(make_run(dataset))
    first = with_errors.comparisons.first()
    with_errors.comparisons.filter(pk=first.pk).update(outcome="error", p_first=None, error="broken")

    assert resume_runs([with_errors, without], errors=True) == [with_errors]
    assert with_errors.comparisons.count() == 11
