"""The end of an annotator's part in a campaign, and the completion code for a recruiting platform."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignState, Enrolment, Invitation, User

PROLIFIC = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True, slots=True)
class Completion:
    """code: empty without an answer. link: a page of the platform that takes the code; empty without a platform."""

    code: str
    link: str
    completed_at: datetime | None


def note_completed(campaign: Campaign, *, annotator: User) -> Completion | None:
    """Note that no pair is left for an annotator, and return the completion; None if no code is shown.

    Somebody who answered no pair gets an empty code. In a closed campaign pairs may be left, and it may open again.
    Then only people who are shown their code are noted. Somebody who is excluded gets no code that they did not see.
    """
    enrolment = Enrolment.objects.filter(campaign=campaign, annotator=annotator).select_related("invitation").first()
    is_excluded = campaign.participations.filter(annotator=annotator).excluded().exists()
    if enrolment is None or (enrolment.completed_at is None and is_excluded):
        return None
    has_answered = Assignment.objects.of(annotator, campaign=campaign).answered().exists()
    has_code = enrolment.invitation is not None and bool(enrolment.invitation.completion_code)
    ends = has_code or campaign.state != CampaignState.CLOSED
    if has_answered and ends and enrolment.completed_at is None:
        enrolment.completed_at = timezone.now()
        enrolment.save(update_fields=["completed_at"])
    if enrolment.invitation is None or not has_code:
        return None
    return _completion(enrolment, enrolment.invitation) if has_answered else Completion("", "", None)


def _completion(enrolment: Enrolment, invitation: Invitation) -> Completion:
    by_platform = invitation.admission == Invitation.Admission.PLATFORM
    link = f"{PROLIFIC}?{urlencode({'cc': invitation.completion_code})}" if by_platform else ""
    return Completion(invitation.completion_code, link, enrolment.completed_at)
