"""Invitations by researchers: a link for several people, links for the people of a file, and withdrawing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from django.utils import timezone

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.people_files import MAX_PEOPLE, InvitedPerson
from evenhand.options import Option, require_values
from evenhand.refusals import Refused
from judging.models import ANNOTATOR, Campaign, Enrolment, Invitation, Participation, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted

DEFAULT_PEOPLE = 20
DEFAULT_DAYS, MOST_DAYS = 14, 365
LARGEST_PART = 1_000_000
LONGEST_COMPLETION_CODE = 100

ADMISSION = Option("Who may come by the link.", "For", choices=dict(Invitation.Admission.choices), argument="for")
MOST_COMING = Option("People who may come by the link.", "People", low=1, high=MAX_PEOPLE)
DAYS = Option("Days until the link expires.", "Days", low=1, high=MOST_DAYS)
SIGNED = Option(
    "Admit only participants whose link Prolific signed: choose its secured external URL.", "Signed links only"
)
PAIRS = Option(
    "Then the part of a person is done. Empty: all pairs.", "Pairs for each person", low=1, high=LARGEST_PART
)
CODE = Option(
    "Shown when no pair is left, for example the code of your study on Prolific. Empty: none.",
    "Completion code",
    longest=LONGEST_COMPLETION_CODE,
)
SCREENING_CODE = Option(
    "Shown instead to people below a pass mark of the training or of gold pairs. Empty: none.",
    "Screening code",
    longest=LONGEST_COMPLETION_CODE,
)


@dataclass(frozen=True, slots=True)
class InvitedPeople:
    """The people of a file. added: accounts that take part now. invited: links to send, one for each person."""

    added: Sequence[User]
    invited: Sequence[Invitation]


@noted(Act.INVITE)
def create_invitation(
    campaign: Campaign,
    created_by: User | None = None,
    *,
    admission: Annotated[str, ADMISSION],
    most_people: Annotated[int, MOST_COMING] = DEFAULT_PEOPLE,
    days: Annotated[int, DAYS] = DEFAULT_DAYS,
    most_pairs: Annotated[int | None, PAIRS] = None,
    completion_code: Annotated[str, CODE] = "",
    screening_code: Annotated[str, SCREENING_CODE] = "",
    signed_only: Annotated[bool, SIGNED] = False,
) -> Invitation:
    """Create a link for several people. Raises Refused with every problem."""
    given = {"admission": admission, "most_people": most_people, "days": days, "completion_code": completion_code}
    given["screening_code"] = screening_code
    require_values(create_invitation, **given, **{} if most_pairs is None else {"most_pairs": most_pairs})
    if signed_only and admission != Invitation.Admission.PLATFORM:
        raise Refused("signed_only: only links for participants of a recruiting platform are signed")
    return Invitation.objects.create(
        campaign=campaign,
        admission=admission,
        signed_only=signed_only,
        most_people=most_people,
        expires_at=timezone.now() + timedelta(days=days),
        most_pairs=most_pairs,
        completion_code=completion_code.strip(),
        screening_code=screening_code.strip(),
        created_by=created_by,
    )


@noted(Act.INVITE)
def invite_people(
    campaign: Campaign,
    people: Sequence[InvitedPerson],
    created_by: User | None = None,
    *,
    days: Annotated[int, DAYS] = DEFAULT_DAYS,
    most_pairs: Annotated[int | None, PAIRS] = None,
    completion_code: Annotated[str, CODE] = "",
    screening_code: Annotated[str, SCREENING_CODE] = "",
) -> InvitedPeople:
    """Add the people who have an account to a campaign, and make a link for each of the others.

    Raises InvalidFile with every person who cannot be invited.
    """
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
            person=person.full_name,
            most_people=1,
            expires_at=expires_at,
            most_pairs=most_pairs,
            completion_code=completion_code.strip(),
            screening_code=screening_code.strip(),
            created_by=created_by,
        )
        for person, account in zip(people, accounts, strict=True)
        if account is None
    ]
    return InvitedPeople(added, invited)


@noted(Act.WITHDRAW, on="campaign", what="invitation")
def withdraw_invitation(invitation: Invitation) -> None:
    """Close a link. People who came in by it stay in the campaign."""
    Invitation.objects.filter(pk=invitation.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())


def _account_of(person: InvitedPerson) -> User | None:
    """Return the account with this e-mail address or, without one, with this name."""
    wanted = {"email__iexact": person.email} if person.email else {"username": person.name}
    accounts = list(User.objects.filter(is_active=True, **wanted)[:2])
    return accounts[0] if len(accounts) == 1 else None


def _require_invitable(campaign: Campaign, people: Sequence[InvitedPerson], accounts: Sequence[User | None]) -> None:
    members = set(campaign.annotators.values_list("pk", flat=True))
    removed = set(campaign.enrolments.values_list("annotator", flat=True)) - members
    open_links = Invitation.objects.open().filter(campaign=campaign).exclude(person="")
    names = open_links.values_list("person", flat=True)
    invited = {name.rpartition(" <")[2].removesuffix(">").casefold() for name in names}
    log = ProblemLog(person.file for person in people)
    for person, account in zip(people, accounts, strict=True):
        if problem := _problem_of(person, account, members, removed, invited):
            log.add(person.file, person.line, "", describe_value(person.label), problem)
    log.raise_if_any()


def _problem_of(
    person: InvitedPerson, account: User | None, members: set[int], removed: set[int], invited: set[str]
) -> str:
    """Return why a person cannot be invited; empty if nothing is wrong."""
    if account and account.pk in members:
        return "people who do not take part yet"
    if account and account.pk in removed:
        return "people whom nobody removed; take them back in the list of people"
    if account and ANNOTATOR not in account.roles:
        return "people without an account, or with the role annotator"
    if person.label.casefold() in invited:
        return "people without an open invitation to this campaign"
    return ""
