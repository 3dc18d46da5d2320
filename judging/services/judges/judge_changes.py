"""Renaming and retiring judges. Nothing else of a judge changes, so that its runs stay comparable."""

from typing import Annotated

from django.db import IntegrityError
from django.utils import timezone

from evenhand.options import Option
from evenhand.refusals import Refused, not_free, raise_if_any
from judging.models import Judge, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.judges.judge_setup import judge_name_problems

SHIPPED = "demo"


def may_change(judge: Judge, user: User) -> bool:
    """True if a person may rename and retire a judge: an admin, or who added it if nobody else has runs of it."""
    is_theirs = user.is_researcher and judge.owner_id == user.pk
    return user.is_admin or (is_theirs and not judge.runs.exclude(owner=user).exists())


@noted(Act.CHANGE, what="name")
def rename_judge(judge: Judge, *, name: Annotated[str, Option("Its new name.", "Name", argument="new-name")]) -> None:
    """Give a judge another name, in all its reports too. Raises Refused if the name cannot be used."""
    if name == judge.name:
        return
    if judge.name == SHIPPED:
        raise Refused(f'name: the judge "{SHIPPED}" comes with Evenhand and keeps its name')
    raise_if_any(judge_name_problems(name, judge.owner))
    try:
        Judge.objects.filter(pk=judge.pk).update(name=name)
    except IntegrityError as error:
        raise Refused(not_free(name)) from error
    judge.name = name


@noted(Act.CHANGE, what="retired or back")
def retire_judge(
    judge: Judge, *, retired: Annotated[bool, Option("True takes it out of use, false brings it back.")] = True
) -> None:
    """Take a judge out of use, or back into use. Its runs and their results stay."""
    if judge.is_retired != retired:
        judge.retired_at = timezone.now() if retired else None
        judge.save(update_fields=["retired_at"])


@noted(Act.CHANGE, what="probed again")
def forget_probes(judge: Judge) -> None:
    """Let the next run ask the endpoint again for what it once refused, for example because it has a new version."""
    judge.probes = {}
    judge.save(update_fields=["probes"])
