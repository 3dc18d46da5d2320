"""Removes what only grows: reasoning some days after its run, files of killed processes, ended sessions, old logs."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.usersessions.models import UserSession
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet
from django.utils import timezone

from evenhand.engine.replies.sampled_answers import SampledText, read_samples, text_of_samples
from judging.models import (
    ACTIVE_STATUSES,
    Activity,
    AnsweredRequest,
    ApiToken,
    Criteria,
    EndpointUse,
    Reasoning,
    Run,
    Worker,
)
from judging.models.reasonings import REMOVED_AFTER
from judging.models.runs import RunQuerySet
from judging.services.datasets.pending_uploads import delete_old_uploads

_ROWS_AT_ONCE = 5_000
SIGN_INS_KEPT = timedelta(days=90)
REQUESTS_KEPT = timedelta(days=1)
USES_KEPT = timedelta(days=2)
WORKERS_KEPT = timedelta(days=1)


def remove_old_reasoning(days: int) -> None:
    """Remove the texts of runs that ended more than so many days ago; 0 keeps all.

    A text that a younger run uses too stays until that run is as old. Each run counts what it has lost.
    """
    before = timezone.now() - timedelta(days=days)
    ended = Run.objects.exclude(status__in=ACTIVE_STATUSES).filter(finished_at__lt=before)
    for run in ended.filter(texts_removed=None) if days else ():
        if not _is_shared_with_others(run, ended):
            removed = _remove(run, f"{REMOVED_AFTER}{days} days]")
            same = Run.objects.filter(pk=run.pk, finished_at=run.finished_at)
            same.update(texts_removed=removed, texts_removed_after=days)


def _is_shared_with_others(run: Run, ended: RunQuerySet) -> bool:
    hashes = {name: getattr(run, name) for name in (Reasoning.RUN_HASH, Criteria.RUN_HASH)}
    sharing = [Q(**{name: value}) for name, value in hashes.items() if value]
    others = Run.objects.filter(judge=run.judge_id).exclude(pk__in=ended.values("pk"))
    return any(others.filter(one).exists() for one in sharing)


def _remove(run: Run, note: str) -> int:
    """Replace the texts of a run, and return how many of its texts are removed, now or before."""
    places: list[tuple[QuerySet[Any], str]] = [(run.answers.all(), "thinking")]
    for kind in (Reasoning, Criteria):
        places += [(kind.objects.of_run(run), name) for name in ("text", "thinking")]
    for rows, name in places:
        left = rows.exclude(Q(**{name: ""}) | Q(**{f"{name}__startswith": REMOVED_AFTER}))
        while some := list(left.values_list("pk", flat=True)[:_ROWS_AT_ONCE]):
            rows.model._default_manager.filter(pk__in=some).update(**{name: note})
    removed = sum(rows.filter(**{f"{name}__startswith": REMOVED_AFTER}).count() for rows, name in places)
    return removed + (_remove_from_samples(run, note) if run.samples and (run.thinking or run.asks_one_reply) else 0)


def _remove_from_samples(run: Run, note: str) -> int:
    """Replace the texts among the samples of each answer, and keep what was read in them."""
    sampled: QuerySet[Any] = run.answers.exclude(text="")
    left = sampled.exclude(text__contains=REMOVED_AFTER)
    while rows := list(left.only("text")[:_ROWS_AT_ONCE]):
        for row in rows:
            row.text = text_of_samples([_without_reasoning(run, one, note) for one in read_samples(row.text)])
        sampled.model._default_manager.bulk_update(rows, ["text"], batch_size=500)
    return sampled.count()


def _without_reasoning(run: Run, sample: SampledText, note: str) -> SampledText:
    text = note if run.asks_one_reply else sample.text
    return replace(sample, text=text, thinking=note if run.thinking else "")


def trim(*folders: Path, activity_kept: timedelta, reasoning_days: int = 0) -> None:
    """Remove what is too old. folders: of files that nobody needs after a day."""
    now = timezone.now()
    SessionStore.clear_expired()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
    ApiToken.objects.filter(expiry__lte=now).delete()
    AnsweredRequest.objects.filter(created_at__lt=now - REQUESTS_KEPT).delete()
    EndpointUse.objects.filter(used_at__lt=now - USES_KEPT).delete()
    Worker.objects.filter(seen_at__lt=now - WORKERS_KEPT).delete()
    Activity.objects.filter(at__lt=now - activity_kept).delete()
    for log in (AccessAttempt, AccessFailureLog, AccessLog):
        log.objects.filter(attempt_time__lt=now - SIGN_INS_KEPT).delete()
    remove_old_reasoning(reasoning_days)
    for folder in folders:
        delete_old_uploads(folder)
