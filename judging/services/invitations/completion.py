"""The end of an annotator's part in a campaign, and the completion code for a recruiting platform."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.utils import timezone

from evenhand.units import counted
from judging.models import Assignment, Campaign, Enrolment, Invitation, User
from judging.services.invitations.finished_people import people_over_limits

_TOO_MUCH = {
    "too many skips": "At most {skips:.3g} % of your answers may be skips, so there is no completion code yet.",
    "too often cannot judge": "At most {unjudged:.3g} % of your answers may be “cannot judge”: there is no code yet.",
}
"""The excess that people_over_limits found -> the sentence that the person reads."""
PROLIFIC = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True, slots=True)
class Completion:
    """link: a page of the platform that takes the code; empty without a platform.

    missing: what the annotator still has to do for the code; then `code` is empty.
    """

    code: str = ""
    link: str = ""
    completed_at: datetime | None = None
    missing: str = ""


def note_completed(campaign: Campaign, *, annotator: User) -> Completion | None:
    """Note that no pair is left for an annotator, and return the completion; None if no code is shown.

    Without the votes that earn it, the code is empty. In a closed campaign pairs may be left, and it may open again.
    Then only people who are shown their code are noted. Somebody who is excluded gets no code that they did not see.
    """
    enrolment = Enrolment.objects.filter(campaign=campaign, annotator=annotator).select_related("invitation").first()
    is_excluded = campaign.participations.filter(annotator=annotator).excluded().exists()
    if enrolment is None or (enrolment.completed_at is None and is_excluded):
        return None
    if enrolment.invitation is None or not enrolment.invitation.completion_code:
        if not campaign.is_closed and _has_answered(campaign, annotator):
            _note_end(enrolment)
        return None
    if enrolment.completed_at is None and (missing := _missing_votes(campaign, annotator)):
        return Completion(missing=missing)
    _note_end(enrolment)
    return _completion(enrolment, enrolment.invitation)


def _has_answered(campaign: Campaign, annotator: User) -> bool:
    return Assignment.objects.of(annotator, campaign=campaign).answered().exists()


def _missing_votes(campaign: Campaign, annotator: User) -> str:
    """Return what is missing for the code: a vote at least, and the votes of the part while pairs are left for it."""
    own = campaign.progress_for(annotator)
    votes, left = own.votes, own.left
    most = campaign.participations.filter(annotator=annotator).values_list("most_pairs", flat=True).first()
    if not votes:
        return f"You have given no {campaign.answer_noun}, so there is no completion code."
    if most is not None and left:
        part = counted(most, campaign.answer_noun)
        return f"Your part is {part}, and you have given {votes}: there is no completion code."
    return _TOO_MUCH.get(people_over_limits(campaign).get(annotator.pk, ""), "").format(
        skips=100 * (campaign.most_skips or 0), unjudged=100 * (campaign.most_cannot_judge or 0)
    )


def _note_end(enrolment: Enrolment) -> None:
    if enrolment.completed_at is None:
        enrolment.completed_at = timezone.now()
        enrolment.save(update_fields=["completed_at"])


def _completion(enrolment: Enrolment, invitation: Invitation) -> Completion:
    link = f"{PROLIFIC}?{urlencode({'cc': invitation.completion_code})}" if enrolment.platform == "prolific" else ""
    return Completion(invitation.completion_code, link, enrolment.completed_at)
