"""Invitations by researchers: a link for several people, links for the people of a file, and withdrawing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.people_files import InvitedPerson
from evenhand.refusals import Refused, unknown_choice
from judging.models import ANNOTATOR, Campaign, Enrolment, Invitation, Participation, User

DEFAULT_PEOPLE, MOST_PEOPLE = 20, 1_000
DEFAULT_DAYS, MOST_DAYS = 14, 365
LARGEST_PART = 1_000_000
LONGEST_COMPLETION_CODE = 100


@dataclass(frozen=True, slots=True)
class InvitedPeople:
    """The people of a file. added: accounts that take part now. invited: links to send, one for each person."""

    added: Sequence[User]
    invited: Sequence[Invitation]


def create_invitation(
    campaign: Campaign,
    *,
    admission: str,
    created_by: User | None,
    most_people: int = DEFAULT_PEOPLE,
    days: int = DEFAULT_DAYS,
    most_pairs: int | None = None,
    completion_code: str = "",
) -> Invitation:
    """Create a link for several people. days: time until it expires. Raises Refused with every problem.

    most_pairs: number of pairs that each person votes on; None for all.
    """
    _require_valid(admission, most_people, days, most_pairs, completion_code)
    return Invitation.objects.create(
        campaign=campaign,
        admission=admission,
        most_people=most_people,
        expires_at=timezone.now() + timedelta(days=days),
        most_pairs=most_pairs,
        completion_code=completion_code.strip(),
        created_by=created_by,
    )


@transaction.atomic
def invite_people(
    campaign: Campaign,
    people: Sequence[InvitedPerson],
    *,
    created_by: User | None,
    days: int = DEFAULT_DAYS,
    most_pairs: int | None = None,
    completion_code: str = "",
) -> InvitedPeople:
    """Add the people who have an account to a campaign, and make a link for each of the others.

    Raises Refused for a wrong number of days, and InvalidFile with every person who cannot be invited.
    """
    _require_valid(Invitation.Admission.REGISTRATION, 1, days, most_pairs, completion_code)
    accounts = [_account_of(person) for person in people]
    _require_invitable(campaign, people, accounts)
    added = [account for account in accounts if account]
    for account in added:
        Enrolment.objects.get_or_create(campaign=campaign, annotator=account)
        Participation.objects.get_or_create(campaign=campaign, annotator=account, defaults={"most_pairs": most_pairs})
    expires_at = timezone.now() + timedelta(days=days)
    invited = [
        Invitation.objects.create(
            campaign=campaign,
            admission=Invitation.Admission.REGISTRATION,
            person=person.label,
            most_people=1,
            expires_at=expires_at,
            most_pairs=most_pairs,
            completion_code=completion_code.strip(),
            created_by=created_by,
        )
        for person, account in zip(people, accounts, strict=True)
        if account is None
    ]
    return InvitedPeople(added, invited)


def withdraw_invitation(invitation: Invitation) -> None:
    """Close a link. People who came in by it stay in the campaign."""
    Invitation.objects.filter(pk=invitation.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())


def _require_valid(admission: str, most_people: int, days: int, most_pairs: int | None, completion_code: str) -> None:
    problems = []
    if admission not in Invitation.Admission.values:
        problems.append(unknown_choice("admission", admission, Invitation.Admission.values))
    if not 1 <= most_people <= MOST_PEOPLE:
        problems.append(f"most_people: {most_people} — give a whole number from 1 to {MOST_PEOPLE:,}")
    if not 1 <= days <= MOST_DAYS:
        problems.append(f"days: {days} — give a whole number from 1 to {MOST_DAYS}")
    if most_pairs is not None and not 1 <= most_pairs <= LARGEST_PART:
        problems.append(f"most_pairs: {most_pairs} — give a whole number from 1 to {LARGEST_PART:,}")
    if len(completion_code) > LONGEST_COMPLETION_CODE:
        problems.append(f"completion_code: has {len(completion_code)} characters — at most {LONGEST_COMPLETION_CODE}")
    if problems:
        raise Refused(*problems)


def _account_of(person: InvitedPerson) -> User | None:
    """Return the account with this e-mail address or, without one, with this name."""
    wanted = {"email__iexact": person.email} if person.email else {"username": person.name}
    accounts = list(User.objects.filter(is_active=True, **wanted)[:2])
    return accounts[0] if len(accounts) == 1 else None


def _require_invitable(campaign: Campaign, people: Sequence[InvitedPerson], accounts: Sequence[User | None]) -> None:
    members = set(campaign.annotators.values_list("pk", flat=True))
    open_links = Invitation.objects.open().filter(campaign=campaign).exclude(person="")
    invited = {person.casefold() for person in open_links.values_list("person", flat=True)}
    log = ProblemLog(person.file for person in people)
    for person, account in zip(people, accounts, strict=True):
        if problem := _problem_of(person, account, members, invited):
            log.add(person.file, person.line, "", describe_value(person.label), problem)
    log.raise_if_any()


def _problem_of(person: InvitedPerson, account: User | None, members: set[int], invited: set[str]) -> str:
    """Return why a person cannot be invited; empty if nothing is wrong."""
    if account and account.pk in members:
        return "people who do not take part yet"
    if account and ANNOTATOR not in account.roles:
        return "people without an account, or with the role annotator"
    if person.label.casefold() in invited:
        return "people without an open invitation to this campaign"
    return ""
