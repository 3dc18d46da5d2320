"""Removes what only grows: files of killed processes, sessions and tokens that ended, and old logs of sign-ins."""

from datetime import timedelta
from pathlib import Path

from allauth.usersessions.models import UserSession
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from judging.models import Activity, AnsweredRequest, ApiToken, EndpointUse, Worker
from judging.services.datasets.pending_uploads import delete_old_uploads
from judging.services.execution.old_reasoning import remove_old_reasoning

SIGN_INS_KEPT = timedelta(days=90)
REQUESTS_KEPT = timedelta(days=1)
USES_KEPT = timedelta(days=2)
WORKERS_KEPT = timedelta(days=1)


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
