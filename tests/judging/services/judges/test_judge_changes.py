"""Renaming and retiring judges."""

import pytest

from evenhand.refusals import Refused
from judging.models import Judge
from judging.services.judges.judge_changes import may_change, rename_judge, retire_judge
from judging.services.runs.run_lifecycle import cancel, create_or_continue, resume
from judging.services.runs.run_request import RunRequest
from rankings.report.report_rows import report_rows
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "problem"),
    [("demo", 'name: "demo" is not free'), ("", "name: '' — give a name"), ("x" * 201, "name: 201 characters")],
)
def test_rename_refuses_a_name_that_a_new_judge_could_not_have(name, problem):
    with pytest.raises(Refused, match=problem):
        rename_judge(make_judge("flan"), name=name)


def test_the_demo_judge_keeps_its_name():
    with pytest.raises(Refused, match='the judge "demo" comes with Evenhand and keeps its name'):
        rename_judge(Judge.objects.get(name="demo"), name="mine")


def test_a_judge_may_keep_its_name():
    judge = make_judge("flan")

    rename_judge(judge, name="flan")

    assert judge.name == "flan"


def test_reports_show_the_new_name_at_once():
    run = answer_run(make_run())
    assert report_rows(run.dataset, runs=[run])[0].name.judge == "tiny"

    rename_judge(run.judge, name="renamed")

    run.refresh_from_db()
    assert report_rows(run.dataset, runs=[run])[0].name.judge == "renamed"


def test_a_run_is_continued_after_its_judge_was_renamed():
    run = make_run()
    cancel(run)
    rename_judge(run.judge, name="renamed")

    assert resume(run).status == "pending"
    assert create_or_continue(RunRequest(run.dataset, run.attribute, run.judge, run.prompt)) == run


def test_retiring_twice_keeps_the_first_time():
    judge = make_judge("flan")
    retire_judge(judge)
    first = judge.retired_at

    retire_judge(judge)
    assert judge.retired_at == first

    retire_judge(judge, retired=False)
    assert not judge.is_retired
    assert judge in Judge.objects.in_use()


@pytest.mark.parametrize("user_of_it", ["sam", "the command line"])
def test_a_judge_is_changed_by_who_added_it_until_somebody_else_has_runs_of_it(user_of_it):
    people = {
        name: make_user(name, role) for name, role in (("rita", "researcher"), ("sam", "researcher"), ("ada", "admin"))
    }
    judge, dataset = make_judge("flan", owner=people["rita"]), make_dataset()
    make_run(dataset, judge=judge, owner=people["rita"])

    before = [may_change(judge, person) for person in people.values()]
    make_run(dataset, judge=judge, owner=people.get(user_of_it), prompt="comparative-2")
    after = [may_change(judge, person) for person in people.values()]

    assert (before, after) == ([True, False, True], [False, False, True])


def test_a_judge_of_the_command_line_is_changed_by_admins_alone():
    assert not may_change(Judge.objects.get(name="demo"), make_user("rita", "researcher"))
