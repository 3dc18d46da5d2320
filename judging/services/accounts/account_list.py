"""Accounts as admins see them: roles, last seen, failed sign-ins, state, second factors."""

from allauth.mfa.models import Authenticator
from axes.helpers import get_cool_off
from axes.models import AccessAttempt, AccessFailureLog
from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.models import User
from judging.models.activity_and_looks import Act
from judging.models.row_counts import count_rows
from judging.services.activity import noted

STATES = ("active", "invited", "locked", "deactivated", "deleted")


def has_second_factor(account: User) -> bool:
    """Return True for an account with an app or a key. Recovery codes alone do not count."""
    return Authenticator.objects.filter(user=account).exclude(type=Authenticator.Type.RECOVERY_CODES).exists()


@noted(Act.CHANGE, what="second factor reset")
def reset_second_factor(account: User) -> bool:
    """Remove the second factors of a person who lost theirs. Returns False if there are none."""
    return bool(Authenticator.objects.filter(user=account).delete()[0])


def every_account() -> QuerySet[User]:
    """Return all accounts by name, with `failed_sign_ins` and `is_locked`."""
    since = Coalesce(OuterRef("last_login"), OuterRef("date_joined"))
    failures = AccessFailureLog.objects.filter(username=OuterRef("username"), attempt_time__gt=since)
    accounts = User.objects.annotate(failed_sign_ins=count_rows(failures, by="username"), is_locked=_is_locked())
    return accounts.prefetch_related("groups").order_by("username")


def state_of(account: User) -> str:
    """Return the state of an account from `every_account`."""
    if account.deleted_at:
        return "deleted"
    if not account.is_active:
        return "deactivated"
    if getattr(account, "is_locked", False):
        return "locked"
    return "active" if account.last_login or account.has_usable_password() else "invited"


def role_names(account: User) -> list[str]:
    """Return the roles of an account from `every_account`, without a query for each."""
    return sorted({group.name for group in account.groups.all()} | ({"admin"} if account.is_superuser else set()))


def _is_locked() -> Exists:
    attempts = AccessAttempt.objects.filter(
        username=OuterRef("username"), failures_since_start__gte=settings.AXES_FAILURE_LIMIT
    )
    return Exists(attempts.filter(attempt_time__gte=timezone.now() - get_cool_off()))


def in_state(state: str) -> Q:
    """Return the filter for accounts in a state; without one, for all that are not deleted."""
    unused = Q(last_login=None, password__startswith="!")
    return {
        "": Q(deleted_at=None),
        "active": Q(is_active=True) & ~unused,
        "invited": Q(is_active=True) & unused,
        "locked": Q(is_active=True, is_locked=True),
        "deactivated": Q(is_active=False, deleted_at=None),
        "deleted": Q(deleted_at__isnull=False),
    }[state]
