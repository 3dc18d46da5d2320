"""Starting, extending, cancelling and resuming a study."""

import pytest

from evenhand.refusals import Refused
from judging.models import RESEARCHER, Chunk, Run
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan
from judging.services.studies.study_start import cancel_runs, extend_plan, plan_of, resume_runs, set_plan, start_study
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db
NAMES = {"datasets": ["Summaries"], "judges": ["tiny"], "prompts": ["comparative-1", "comparative-2"]}


def planned_study(*, user=None, **names):
    study = create_study("Table 1", owner=user)
    set_plan(study, StudyPlan.by_names(NAMES | names, user=user))
    return study


def prompts_in(study) -> list[str]:
    runs = study.runs.order_by("memberships__position")
    return list(runs.values_list("prompt_name", flat=True))


def test_start_study_creates_the_new_runs_and_adds_existing_ones_in_the_order_of_the_plan():
    existing = answer_run(make_run(prompt="comparative-1"))
    study = planned_study()

    started = start_study(study, user=None)

    assert [run.prompt_name for run in started.new] == ["comparative-2"]
    assert started.reused == [existing]
    assert prompts_in(study) == ["comparative-1", "comparative-2"]
    assert Chunk.objects.filter(run=started.new[0]).exists()


def test_start_study_gives_new_runs_to_the_person_who_starts_it():
    make_dataset()
    make_judge()
    rita = make_user("rita", RESEARCHER)

    start_study(planned_study(user=rita), user=rita)

    assert set(Run.objects.values_list("owner", flat=True)) == {rita.pk}


def test_start_study_names_impossible_combinations_and_starts_the_others():
    make_dataset()
    make_judge()
    study = planned_study(prompts=["comparative-1", "scoring-1"], selections=["symmetric:4"])

    started = start_study(study, user=None)

    assert len(started.new) == 1
    [cell] = started.impossible
    assert cell.key.prompt == "scoring-1"


def test_start_study_refuses_a_plan_without_a_possible_run():
    make_dataset()
    make_judge()
    study = planned_study(prompts=["scoring-1"], selections=["symmetric:4"])

    with pytest.raises(Refused, match="scores every candidate alone"):
        start_study(study, user=None)

    assert not Run.objects.exists()


def test_second_start_creates_nothing():
    make_dataset()
    make_judge()
    study = planned_study()
    start_study(study, user=None)

    started = start_study(study, user=None)

    assert (started.new, started.reused) == ([], [])
    assert Run.objects.count() == 2


def test_start_study_without_a_plan_is_refused():
    with pytest.raises(Refused, match="plan: this study has none"):
        start_study(create_study("collected", runs=[make_run()]), user=None)


def test_extended_study_starts_only_the_new_runs():
    make_dataset()
    make_judge()
    make_judge("large")
    study = planned_study()
    start_study(study, user=None)

    extend_plan(study, {"judges": ["large"]}, user=None)
    started = start_study(study, user=None)

    assert [(run.judge.name, run.prompt_name) for run in started.new] == [
        ("large", "comparative-1"),
        ("large", "comparative-2"),
    ]
    assert study.runs.count() == 4


def test_study_of_collected_runs_is_extended_from_its_runs():
    run = answer_run(make_run(prompt="comparative-1"))
    study = create_study("collected", runs=[run])

    plan = extend_plan(study, {"prompts": ["comparative-2"]}, user=None)

    assert [prompt.name for prompt in plan.prompts] == ["comparative-1", "comparative-2"]
    assert plan_of(study, user=None) == plan


def test_cancel_runs_cancels_the_active_runs_and_returns_them():
    dataset = make_dataset()
    done, pending = answer_run(make_run(dataset)), make_run(dataset)

    cancelled = cancel_runs([done, pending])

    assert cancelled == [pending]
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

    resumed = resume_runs([done, cancelled, pending, recorded])

    assert resumed == [cancelled]


def test_resume_runs_asks_errors_of_done_runs_again():
    dataset = make_dataset()
    with_errors, without = answer_run(make_run(dataset)), answer_run(make_run(dataset))
    first = with_errors.comparisons.first()
    with_errors.comparisons.filter(pk=first.pk).update(outcome="error", p_first=None, error="broken")

    resumed = resume_runs([with_errors, without], errors=True)

    assert resumed == [with_errors]
    assert with_errors.comparisons.count() == 11
