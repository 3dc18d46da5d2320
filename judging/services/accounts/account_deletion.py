"""Deleting one's own account. The row stays as a pseudonym, so that votes keep their rater."""

from __future__ import annotations

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import transaction
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import ANNOTATOR, Enrolment, Invitation, User
from judging.services.accounts.api_tokens import revoke_tokens

NOT_DELETED = "account: researchers and admins are deactivated by an admin, so that runs and datasets keep their owner"
DELETED_PERSON = "(deleted)"


@transaction.atomic
def delete_own_account(account: User) -> None:
    """Erase everything that names the person, and end the account. Votes stay under the pseudonym.

    Raises Refused for researchers and admins.
    """
    locked = User.objects.select_for_update().get(pk=account.pk)  # a vote in another tab is stored before or refused
    if locked.roles - {ANNOTATOR}:
        raise Refused(NOT_DELETED)
    _erase_sign_ins(locked.get_username())
    _erase_enrolments(locked)
    revoke_tokens(locked)
    locked.participations.all().delete()
    locked.groups.clear()
    _erase_fields(locked)


def _erase_fields(account: User) -> None:
    account.username = f"deleted-{account.rater_code}"
    account.email = account.first_name = account.last_name = ""
    account.vote_keys = {}
    account.last_login = account.last_seen = None
    account.is_active, account.deleted_at = False, timezone.now()
    account.set_unusable_password()
    account.save()


def _erase_enrolments(account: User) -> None:
    """Erase names from the invitation, and the parameters of the recruiting platform."""
    Invitation.objects.filter(enrolments__annotator=account).exclude(person="").update(person=DELETED_PERSON)
    Enrolment.objects.filter(annotator=account).update(platform_person="", platform_study="", platform_session="")


def _erase_sign_ins(name: str) -> None:
    for log in (AccessLog, AccessAttempt, AccessFailureLog):
        log.objects.filter(username=name).delete()
