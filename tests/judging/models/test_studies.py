"""Who sees a study, and its runs in their order."""

import pytest

from judging.models import ADMIN, ANNOTATOR, RESEARCHER, Study, Visibility
from judging.services.studies.study_changes import create_study
from tests.factories import make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita():
    return make_user("rita", RESEARCHER)


@pytest.fixture
def otto():
    return make_user("otto", RESEARCHER)


def names_for(user) -> list[str]:
    return sorted(Study.objects.visible_to(user).values_list("name", flat=True))


def changeable_names_for(user) -> list[str]:
    return sorted(Study.objects.changeable_by(user).values_list("name", flat=True))


def test_study_is_visible_to_its_owner_and_admins(rita, otto):
    create_study("own", owner=rita)
    create_study("other", owner=otto)

    assert names_for(rita) == ["own"]
    assert names_for(make_user("ada", ADMIN)) == ["other", "own"]
    assert names_for(make_user("ann", ANNOTATOR)) == []


def test_study_is_visible_to_researchers_who_may_see_all_of_its_runs(rita, otto):
    dataset = make_dataset()
    by_command = make_run(dataset)
    create_study("of the command line's runs", owner=rita, runs=[by_command])
    create_study("with an own run", owner=rita, runs=[by_command, make_run(dataset, owner=rita)])

    assert names_for(otto) == ["of the command line's runs"]


def test_study_of_runs_on_a_private_dataset_is_hidden(rita, otto):
    dataset = make_dataset(owner=rita)
    create_study("private", runs=[make_run(dataset)])
    dataset.visibility = Visibility.PRIVATE
    dataset.save()

    assert names_for(rita) == ["private"]
    assert names_for(otto) == []


def test_study_of_the_command_line_may_be_changed_by_every_researcher_who_sees_it(rita, otto):
    create_study("by command", runs=[make_run()])
    create_study("own", owner=rita, runs=[make_run(make_dataset("Second"))])

    assert names_for(otto) == ["by command", "own"]
    assert changeable_names_for(otto) == ["by command"]
    assert changeable_names_for(rita) == ["by command", "own"]


def test_visible_runs_are_in_the_order_of_the_study_and_without_hidden_ones(rita):
    dataset, hidden = make_dataset(), make_dataset("Hidden")
    first, second, third = make_run(dataset), make_run(dataset), make_run(hidden)
    study = create_study("own", owner=rita, runs=[second, third, first])
    create_study("another", owner=rita, runs=[make_run(dataset)])
    hidden.visibility = Visibility.PRIVATE
    hidden.save()

    assert list(study.visible_runs(rita)) == [second, first]


def test_deleted_run_leaves_its_studies():
    run, other = make_run(), make_run(make_dataset("Second"))
    study = create_study("both", runs=[run, other])

    run.delete()

    assert list(study.runs.all()) == [other]


def test_with_counts_counts_the_runs_of_each_study_and_the_active_ones():
    run, done = make_run(), make_run(make_dataset("Second"))
    done.status = done.Status.DONE
    done.save()
    create_study("two", runs=[run, done])
    create_study("one", runs=[done])
    create_study("none")

    rows = Study.objects.with_counts().order_by("name").values_list("name", "run_count", "active_count")

    assert list(rows) == [("none", 0, 0), ("one", 1, 0), ("two", 2, 1)]
