"""Creating, renaming and deleting studies, and the runs they hold, which end and go on together."""

from collections.abc import Iterable, Sequence

from django.db import IntegrityError, transaction
from django.db.models import Max

from evenhand.refusals import Refused, not_free, raise_if_any
from evenhand.units import counted
from judging.models import Run, Study, StudyRun, User
from judging.models.activity_and_looks import Act
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.studies_and_reports import shared_contexts
from judging.services.activity import noted
from judging.services.names import name_problems
from judging.services.runs import run_lifecycle

LONGEST_NAME = 200


@noted(Act.CREATE, returned=True)
def create_study(
    name: str, *, owner: User | None = None, description: str = "", runs: Iterable[Run] = (), groups: Sequence[str] = ()
) -> Study:
    """Create a study, with these runs in this order. Raises Refused with every problem.

    owner: None for a study of the command line. groups: texts NAME=SUBSET,SUBSET.
    """
    name = name.strip()
    raise_if_any([*study_name_problems(name, owner), *study_group_problems(groups)])
    study = Study(name=name, owner=owner, description=description.strip(), groups=list(groups))
    _save_with_new_name(study)
    add_runs(study, runs)
    return study


@noted(Act.CHANGE, what="runs")
def add_runs(study: Study, runs: Iterable[Run]) -> int:
    """Append runs to a study, and return the number of new ones. Runs that it already has stay where they are.

    Raises Refused for runs with an added sentence, because they are not on the texts of the dataset, and for
    null pairs.
    """
    runs = list(runs)
    if steered := [run for run in runs if run.added_sentence]:
        raise Refused(
            *(f"run: {run.pk} has an added sentence, so no study takes it; see {run.pk} alone" for run in steered)
        )
    if null := [run for run in runs if run.asks_null_pairs]:
        raise Refused(
            *(f"run: {run.pk} compares texts with themselves; its figure is in its diagnostics" for run in null)
        )
    Study.objects.select_for_update(no_key=True).only("pk").get(pk=study.pk)
    present = set(study.memberships.values_list("run", flat=True))
    new = [pk for pk in dict.fromkeys(run.pk for run in runs) if pk not in present]
    last = study.memberships.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    StudyRun.objects.bulk_create(
        StudyRun(study=study, run_id=pk, position=position) for position, pk in enumerate(new, start)
    )
    return len(new)


@noted(Act.CHANGE, what="runs")
def remove_run(study: Study, run: Run) -> None:
    """Take a run out of a study; the run itself stays. Raises Refused if the study does not have it."""
    removed, _ = study.memberships.filter(run=run).delete()
    if not removed:
        raise Refused(f'run: run {run.pk} is not in study "{study.name}"')
    if study.baseline_id == run.pk:
        set_baseline(study, None)


@noted(Act.CHANGE, what="baseline")
def set_baseline(study: Study, run: Run | None) -> None:
    """Choose the run with which the study's table compares the others; None for none. Raises Refused."""
    if run is not None and not study.memberships.filter(run=run).exists():
        raise Refused(f'baseline: run {run.pk} is not in study "{study.name}"; add it first')
    study.baseline = run
    study.save(update_fields=["baseline"])


@noted(Act.CHANGE, what="part")
def set_parts(study: Study, *, part: str, chosen_in: Study | None) -> None:
    """Choose the part on which a study reports, and the study in which its prompts and judges were chosen.

    part: DEVELOPMENT, TEST, or "" for all contexts.
    Raises Refused if both studies report on the same contexts.
    """
    if part not in ("", DEVELOPMENT, TEST):
        raise Refused(f'part: "{part}" — write {DEVELOPMENT} or {TEST}, or leave it empty for all contexts')
    if chosen_in == study:
        raise Refused("chosen in: a study cannot report on what was chosen in itself; name another study")
    study.part, study.chosen_in = part, chosen_in
    if chosen_in and (number := shared_contexts(study, chosen_in)):
        raise Refused(
            f'chosen in: {counted(number, "context")} would be in both this study and "{chosen_in}"; split the '
            f"dataset, let that study report on {DEVELOPMENT} and this one on {TEST}"
        )
    study.save(update_fields=["part", "chosen_in"])


@noted(Act.CHANGE, what="groups")
def set_groups(study: Study, groups: Sequence[str]) -> None:
    """Replace the named groups of subsets. Raises Refused for a text that is not NAME=SUBSET,SUBSET."""
    raise_if_any(study_group_problems(groups))
    study.groups = list(groups)
    study.save(update_fields=["groups"])


@noted(Act.CHANGE, what="name")
def rename_study(study: Study, name: str, *, user: User | None = None) -> None:
    """Give a study another name. Raises Refused if the name cannot be used. user: who changes it; None: the shell."""
    name = name.strip()
    if name == study.name:
        return
    if study.owner is None and user and not user.is_admin:  # the name may be that of a study that they may not see
        raise Refused("name: only an admin renames a study of the command line")
    raise_if_any(study_name_problems(name, study.owner))
    study.name = name
    _save_with_new_name(study)


@noted(Act.DELETE)
def delete_study(study: Study) -> None:
    """Delete a study. Its runs and their answers stay."""
    study.delete()


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


def study_name_problems(name: str, owner: User | None) -> list[str]:
    """Return the problems of a new name of an owner's study. name: without spaces at its ends."""
    if not name:
        return ["name: is empty — give the study a name"]
    if len(name) > LONGEST_NAME:
        return [f"name: has {len(name)} characters — give at most {LONGEST_NAME}"]
    if "\0" in name:
        return ["name: contains the character U+0000 — leave it out"]
    return name_problems(Study, name, owner)


def _save_with_new_name(study: Study) -> None:
    """Store a study. Raises Refused if another process has just taken its name."""
    try:
        study.save()
    except IntegrityError as error:
        raise Refused(not_free(study.name)) from error


def study_group_problems(groups: Sequence[str]) -> list[str]:
    """Return the problems of named groups of subsets: another form, or a name given twice."""
    names = [group.partition("=")[0].strip() for group in groups]
    malformed = [
        f'group: "{group}" — write NAME=SUBSET,SUBSET, for example Hard=Manual,Neighbor'
        for group, name in zip(groups, names, strict=True)
        if not name or not all(subset.strip() for subset in group.partition("=")[2].split(","))
    ]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    return malformed + [f'group: "{name}" is defined twice' for name in twice]
