"""Starting, extending, cancelling and resuming the runs of a study together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from evenhand.refusals import Refused
from judging.models import Run, Study, User
from judging.models.activity import Act
from judging.services.activity import noted
from judging.services.runs import run_lifecycle
from judging.services.runs.run_lifecycle import create_runs
from judging.services.studies.study_cells import PlanCell, plan_cells
from judging.services.studies.study_changes import add_runs
from judging.services.studies.study_plan import StudyPlan, merged_names, plan_names_of

NO_PLAN = "plan: this study has none; choose its datasets, judges and prompts first"


@dataclass(frozen=True, slots=True)
class StartedStudy:
    """The outcome of a start. new: runs to queue. reused: existing runs that joined the study.

    impossible: combinations that have no run, with their reasons.
    """

    new: Sequence[Run]
    reused: Sequence[Run]
    impossible: Sequence[PlanCell]


def plan_of(study: Study, *, user: User | None) -> StudyPlan:
    """Return the plan of a study. Raises Refused if it has none, or if one of its rows is gone."""
    if study.plan is None:
        raise Refused(NO_PLAN)
    return StudyPlan.by_names(study.plan, user=user)


def names_of_plan(study: Study) -> dict[str, Any]:
    """Return a study's plan as it is stored; for a study of collected runs, the plan that covers these runs."""
    if study.plan is not None:
        return dict(study.plan)
    runs = study.runs.select_related("dataset", "attribute", "judge", "prompt")
    return plan_names_of(runs.order_by("memberships__position"))


@noted(Act.CHANGE, what="plan")
def set_plan(study: Study, plan: StudyPlan) -> None:
    """Store the plan of a study. Its runs stay, also those that the plan no longer has."""
    study.plan = plan.to_json()
    study.save(update_fields=["plan"])


def extend_plan(study: Study, more: Mapping[str, Any], *, user: User | None) -> StudyPlan:
    """Add values to a study's plan, and store it. Raises Refused for unknown values.

    A study of collected runs gets the plan that covers its runs first.
    """
    plan = StudyPlan.by_names(merged_names(names_of_plan(study), more), user=user)
    set_plan(study, plan)
    return plan


@noted(Act.START)
def start_study(study: Study, *, user: User | None) -> StartedStudy:
    """Create the runs that the plan still lacks, and add those that exist. All or none; nothing is queued.

    Raises Refused if no combination is possible.
    """
    # The lock makes a second start wait, and then find the runs of the first.
    study = Study.objects.select_for_update(no_key=True, of=("self",)).get(pk=study.pk)
    cells = plan_cells(plan_of(study, user=user), user=user, study=study)
    impossible = [cell for cell in cells if cell.problems]
    if len(impossible) == len(cells):
        raise Refused(*dict.fromkeys(problem for cell in impossible for problem in cell.problems))
    new_cells = [cell for cell in cells if cell.state == "new"]
    created = create_runs([cell.request for cell in new_cells if cell.request], owner=user)
    new = dict(zip([cell.key for cell in new_cells], created, strict=True))
    reused = [cell.run for cell in cells if cell.state == "reused" and cell.run]
    add_runs(study, [run for cell in cells if (run := cell.run or new.get(cell.key))])
    return StartedStudy(new=created, reused=reused, impossible=impossible)


def cancel_runs(runs: Sequence[Run]) -> list[Run]:
    """Cancel the active ones of these runs, and return them. Other runs stay as they are."""
    return [run for run in runs if run_lifecycle.cancel(run)]


def resume_runs(
    runs: Sequence[Run], *, errors: bool = False, unparsed: bool = False, problems: Sequence[str] = ()
) -> list[Run]:
    """Resume those of these runs that lack answers, and return them. Recorded runs and runs at work are left out.

    errors, unparsed, problems: also ask these answers again, as `run_lifecycle.resume` does.
    Raises Refused if a run cannot go on; the other runs are then not resumed either.
    """
    asks_again = errors or unparsed or bool(problems)
    chosen = [run for run in runs if _may_resume(run, asks_again=asks_again)]
    with transaction.atomic():
        resumed = [run_lifecycle.resume(run, errors=errors, unparsed=unparsed, problems=problems) for run in chosen]
    return [run for run in resumed if run.is_active]


def _may_resume(run: Run, *, asks_again: bool) -> bool:
    """True for a run that stopped before its end; with answers to ask again, also for a run that is done."""
    if run.prompt is None or not run.judge.can_be_asked or run.is_active:
        return False
    return asks_again or run.status != Run.Status.DONE
