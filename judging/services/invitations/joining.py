"""Coming into a campaign by an invitation."""

import secrets
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass

from django.db import IntegrityError, transaction
from django.db.models import Q

from evenhand.refusals import Refused
from judging.models import ANNOTATOR, Enrolment, Invitation, Participation, User
from judging.models.activity_and_looks import Act
from judging.services.accounts.account_changes import create_account
from judging.services.activity import noted

LONGEST_PLATFORM_VALUE = 200
PLATFORM_PARAMETERS = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "hitId", "assignmentId"),
    "sona": ("survey_code",),
}
"""Recruiting platform -> the parameters of its links: the participant, then the study and the session, if any."""
NEVER_IN_VALUES = ("{{", "ASSIGNMENT_ID_NOT_AVAILABLE", "\0")
"""Previews of Prolific and MTurk send the first two. Databases refuse the last."""
TOKEN = "prolific_token"
CLOSED_REASONS = {
    "campaign closed": "This campaign is closed.",
    "withdrawn": "The researcher has withdrawn this invitation.",
    "expired": "This invitation has expired.",
    "used up": "This invitation has reached its limit of people.",
}
REMOVED = "The researcher has removed you from this campaign. Your votes stay."
NOT_AN_ANNOTATOR = "This account cannot vote: it lacks the role annotator. Sign out to join with another account."
OPEN_AGAIN = "Please open the link again."
OTHER_BROWSER = (
    "You began in another browser. Go on there, or open the study from your recruiting platform again. "
    "If neither works, write to the researcher."
)
UNSIGNED = "This link needs the signature that Prolific adds. Open the study from Prolific again."
NO_PARTICIPANT = "This link needs the identifier that your recruiting platform adds. Open the study from there again."


class CannotJoin(Exception):
    """Raised when a person cannot come into a campaign. The message is for that person."""


@dataclass(frozen=True, slots=True)
class PlatformArrival:
    """The values that a recruiting platform adds to a link. platform: of PLATFORM_PARAMETERS.

    token: the signature by Prolific; "" without one. is_signed: True once signed_arrival() has checked it.
    """

    person: str = ""
    study: str = ""
    session: str = ""
    _: KW_ONLY
    platform: str = "prolific"
    token: str = ""
    is_signed: bool = False

    @property
    def parameters(self) -> dict[str, str]:
        """The values by their names on the platform."""
        values = dict(zip(PLATFORM_PARAMETERS[self.platform], (self.person, self.study, self.session), strict=False))
        return values | ({TOKEN: self.token} if self.token else {})

    @property
    def is_complete(self) -> bool:
        """True if the participant is named, in text that can be stored, and the link is no preview of the platform."""
        values = (self.person, self.study, self.session)
        return bool(self.person) and all(_is_storable(value) for value in values)


def _is_storable(value: str) -> bool:
    return len(value) <= LONGEST_PLATFORM_VALUE and not any(part in value for part in NEVER_IN_VALUES)


@transaction.atomic
def join_campaign(
    invitation: Invitation, *, annotator: User, arrival: PlatformArrival | None = None, registered: bool = False
) -> Participation:
    """Bring an annotator into the campaign of an invitation. Somebody who takes part already stays as they are.

    registered: True if the account was created by this invitation.
    Raises CannotJoin if the invitation is closed, and for people who were removed or lack the role annotator.
    """
    User.objects.select_for_update(no_key=True).only("pk").get(pk=annotator.pk)  # two links to one campaign
    locked = _locked(invitation)
    campaign, parameters = locked.campaign, arrival or PlatformArrival()
    if not annotator.is_annotator:
        raise CannotJoin(NOT_AN_ANNOTATOR)
    if participation := campaign.participations.filter(annotator=annotator).first():
        return participation
    if campaign.enrolments.filter(annotator=annotator).exists():
        raise CannotJoin(REMOVED)
    require_open(locked)
    Enrolment.objects.create(
        campaign=campaign,
        annotator=annotator,
        invitation=locked,
        registered=registered,
        platform=parameters.platform if parameters.person else "",
        platform_person=parameters.person,
        platform_study=parameters.study,
        platform_session=parameters.session,
    )
    return Participation.objects.create(campaign=campaign, annotator=annotator, most_pairs=locked.most_pairs)


@noted(Act.CREATE, returned=True)
def register_and_join(invitation: Invitation, *, name: str, password: str) -> User:
    """Create an annotator's account and bring it into the campaign.

    Raises CannotJoin if the invitation is closed or for people with an account, and Refused with every problem of the
    name and the password.
    """
    require_open(invitation)
    if invitation.admission != Invitation.Admission.REGISTRATION:
        raise CannotJoin("This invitation is for people who have an account. Please sign in.")
    account = create_account(name=name, roles=[ANNOTATOR], password=password)
    join_campaign(invitation, annotator=account, registered=True)
    return account


def enter_from_platform(invitation: Invitation, *, arrival: PlatformArrival, came_as: Collection[int] = ()) -> User:
    """Return the account of a platform's participant, who takes part from now on. The first visit creates it.

    came_as: keys of the accounts as which this browser came before. The identifier of a participant is no secret: their
    account opens only to a browser that it came by, or with the session of an earlier visit. After a visit by a signed
    link, only another signed link does so.
    Raises CannotJoin if the invitation is closed or not for platforms, if no participant is named, without a signature
    that the invitation asks for, and for another browser in the same campaign.
    """
    if invitation.admission != Invitation.Admission.PLATFORM or not arrival.is_complete:
        raise CannotJoin(NO_PARTICIPANT)
    if invitation.signed_only and not arrival.is_signed:
        raise CannotJoin(UNSIGNED)
    try:
        return _enter(invitation, arrival, came_as)
    except IntegrityError as error:  # the participant came by two links of the campaign at the same moment
        raise CannotJoin(OPEN_AGAIN) from error


@transaction.atomic
def _enter(invitation: Invitation, arrival: PlatformArrival, came_as: Collection[int]) -> User:
    _locked(invitation)  # two tabs make one account
    known = known_participant(arrival, came_as)
    account = known or _new_participant(invitation, arrival)
    join_campaign(invitation, annotator=account, arrival=arrival, registered=known is None)
    return account


def known_participant(arrival: PlatformArrival, came_as: Collection[int] = ()) -> User | None:
    """Return the account that an earlier visit of a participant created, in any campaign.

    The visit was by this browser, or shows by session or signature. came_as: see enter_from_platform.
    """
    is_same = Q(annotator__in=came_as)
    if arrival.is_signed:
        is_same |= Q(platform=arrival.platform, invitation__signed_only=True)
    elif arrival.session:
        came_signed = Q(annotator__enrolments__invitation__signed_only=True)
        is_same |= Q(platform=arrival.platform, platform_session=arrival.session) & ~came_signed
    visits = Enrolment.objects.filter(is_same, platform_person=arrival.person, annotator__is_active=True)
    visits = visits.filter(invitation__admission=Invitation.Admission.PLATFORM).select_related("annotator")
    earlier = visits.order_by("pk").first()
    return earlier.annotator if earlier and not earlier.annotator.has_usable_password() else None


def _new_participant(invitation: Invitation, arrival: PlatformArrival) -> User:
    require_open(invitation)
    if visit := invitation.campaign.enrolments.filter(platform_person=arrival.person).first():
        is_open = visit.annotator.is_active and not visit.annotator.has_usable_password()
        raise CannotJoin(OTHER_BROWSER if is_open else REMOVED)
    try:
        return create_account(name=f"participant-{secrets.token_hex(6)}", roles=[ANNOTATOR])
    except Refused as refused:  # the drawn name is taken, which happens once in 2 ** 48 times
        raise CannotJoin(OPEN_AGAIN) from refused


def _locked(invitation: Invitation) -> Invitation:
    """Lock an invitation until the transaction ends, so that no more people come in than it admits."""
    rows = Invitation.objects.select_for_update(of=("self",), no_key=True).select_related("campaign")
    return rows.get(pk=invitation.pk)


def require_open(invitation: Invitation) -> None:
    """Raise CannotJoin if the campaign is closed, or the invitation is withdrawn, expired or used up."""
    if closed := CLOSED_REASONS.get(invitation.state):
        raise CannotJoin(closed)
