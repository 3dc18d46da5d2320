"""Deleting an account. The row stays as a pseudonym, so that votes keep their rater, and runs and datasets an owner."""

from typing import Annotated

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db.models import F, Q
from django.utils import timezone

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import ANNOTATOR, Attribute, Enrolment, HumanScore, Invitation, User, Vote
from judging.models.activity_and_looks import Act
from judging.services.accounts.account_changes import keeping_an_admin
from judging.services.accounts.api_tokens import revoke_tokens
from judging.services.activity import noted
from judging.services.deletion.row_deletion import (
    CONFIRMED,
    Deletion,
    Going,
    count_by_kind,
    delete_going,
    require_name,
    rows_going,
)

NOT_DELETED = "account: researchers and admins are deleted by an admin"
DELETED_PERSON = "(deleted)"


@noted(Act.DELETE)
def delete_own_account(account: User) -> None:
    """Erase everything that names the person, and end the account. Votes stay under the pseudonym.

    Raises Refused for researchers and admins.
    """
    locked = User.objects.select_for_update().get(pk=account.pk)  # a vote in another tab is stored before or refused
    if locked.roles - {ANNOTATOR}:
        raise Refused(NOT_DELETED)
    _erase(locked)


def account_deletion(account: User, user: User | None = None) -> Deletion:
    """Return what an admin would delete with an account, if its answers go too."""
    made = (account.datasets, account.runs, account.judges, account.studies, account.frozen_reports)
    stay = [f"{rows.count():,} {rows.model._meta.verbose_name_plural}" for rows in made if rows.exists()]
    remarks = [f"The name and all that identifies the person go. Answers that stay are those of {account.rater_name}"]
    if stay:
        remarks.append(f"{', '.join(stay)} stay under the pseudonym; delete them on their own pages first")
    return Deletion(str(account), count_by_kind(_answers_of(account)), {}, remarks, [])


@noted(Act.DELETE)
def delete_account(
    account: User,
    user: User | None = None,
    *,
    name: Annotated[str, CONFIRMED],
    answers: Annotated[bool, Option("Delete the votes, ratings, marks and consents too.", "Answers too")] = False,
) -> Deletion:
    """Erase everything that names a person, for an admin. Without `answers`, votes stay under the pseudonym.

    Raises Refused for another name, and for the last active admin.
    """
    require_name(account, name)
    with keeping_an_admin(account):
        locked = User.objects.select_for_update().get(pk=account.pk)
        deletion = account_deletion(locked)
        _erase(locked)
        if answers:
            changed = Q(votes__user=locked) | Q(human_scores__assignment__annotator=locked)
            Attribute.objects.filter(changed).update(vote_changes=F("vote_changes") + 1)
            delete_going(_answers_of(locked))
    return deletion


def _answers_of(account: User) -> Going:
    """Return the rows of ours that only this person made or that only concern them, but for the account itself."""
    ours = User._meta.app_label
    going = {table: rows for table, rows in rows_going(account).items() if table._meta.app_label == ours}
    del going[User]
    return going | {
        Vote: Vote.objects.filter(user=account),
        HumanScore: HumanScore.objects.filter(assignment__annotator=account),
    }


def _erase(locked: User) -> None:
    _erase_sign_ins(locked.get_username())
    _erase_enrolments(locked)
    revoke_tokens(locked)
    for held in (Authenticator, SocialAccount, UserSession):
        held.objects.filter(user=locked).delete()
    locked.participations.all().delete()
    locked.groups.clear()
    _erase_fields(locked)


def _erase_fields(account: User) -> None:
    account.username = f"deleted-{account.rater_code}"
    account.email = account.first_name = account.last_name = ""
    account.vote_keys = {}
    account.last_login = account.last_seen = None
    account.is_active = account.is_superuser = account.is_staff = False
    account.deleted_at = timezone.now()
    account.set_unusable_password()
    account.save()


def _erase_enrolments(account: User) -> None:
    """Erase names from the invitation, and the parameters of the recruiting platform."""
    Invitation.objects.filter(enrolments__annotator=account).exclude(person="").update(person=DELETED_PERSON)
    Enrolment.objects.filter(annotator=account).update(platform_person="", platform_study="", platform_session="")


def _erase_sign_ins(name: str) -> None:
    for log in (AccessLog, AccessAttempt, AccessFailureLog):
        log.objects.filter(username=name).delete()
