"""The end of an annotator's part in a campaign: who has finished, and the code for a recruiting platform."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from evenhand.units import counted
from judging.models import Assignment, Campaign, CampaignPair, Enrolment, Invitation, Undecided, User
from judging.models.labelling.own_progress import annotate_counts, counts_of
from judging.services.invitations.screening import SCREENED_OUT, screened_out

_TOO_MUCH = {
    "too many skips": "At most {skips:.3g} % of your answers may be skips, so there is no completion code yet.",
    "too often cannot judge": "At most {unjudged:.3g} % of your answers may be “cannot judge”: there is no code yet.",
}
"""The excess that people_over_limits found -> the sentence that the person reads."""
NO_CODE_SCREENED = "Too few of your answers match the known ones, so there is no completion code."
PROLIFIC = "https://app.prolific.com/submissions/complete"


def people_over_limits(campaign: Campaign) -> dict[int, str]:
    """Return annotator -> what their answers have too much of: "too many skips" or "too often cannot judge".

    Gold pairs and repeats count too. Those below a pass mark are "screened out".
    """
    screened = dict.fromkeys(screened_out(campaign), SCREENED_OUT)
    if campaign.most_skips is None and campaign.most_cannot_judge is None:
        return screened
    answers = Assignment.objects.filter(campaign=campaign).answered().order_by().values_list("annotator")
    counts = answers.annotate(
        total=Count("pk"),
        skips=Count("pk", filter=Q(status=Assignment.Status.SKIPPED)),
        unjudged=Count("pk", filter=Q(vote__choice=Undecided.CANNOT_JUDGE)),
    )
    return {
        annotator: excess
        for annotator, total, skips, unjudged in counts
        if (excess := _excess(campaign, skips / total, unjudged / total))
    } | screened


def _excess(campaign: Campaign, skips: float, unjudged: float) -> str:
    if campaign.most_skips is not None and skips > campaign.most_skips:
        return "too many skips"
    if campaign.most_cannot_judge is not None and unjudged > campaign.most_cannot_judge:
        return "too often cannot judge"
    return ""


def finished_people(campaign: Campaign) -> set[int]:
    """Return the annotators without pairs left who voted: skips alone finish nothing."""
    voted = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.VOTED)
    return people_without_pairs(campaign) & set(voted.values_list("annotator", flat=True))


def people_without_pairs(campaign: Campaign) -> set[int]:
    """Return the annotators who answered pairs and have none left, not even a check, and those who saw their code.

    Somebody whose votes are excluded has no pair left, unless the exclusion lets them go on.
    """
    own = Assignment.objects.filter(campaign=campaign, annotator=OuterRef("annotator"))
    free = CampaignPair.objects.filter(campaign=campaign).free_for(OuterRef(OuterRef("annotator")))
    people = (
        campaign.participations.with_exclusion()
        .with_completeness()
        .filter(Exists(own.answered()))
        .annotate(has_pairs=Exists(own.answerable()) | Exists(free))
    )
    is_drawing = campaign.pairs_to_choose() > 0
    finished = {
        person.annotator_id
        for person in people
        if person.gave_part  # type: ignore[attr-defined]  # annotated
        or person.is_excluded  # type: ignore[attr-defined]  # annotated
        or not (person.has_pairs or is_drawing)
    }
    finished -= _people_with_checks_left(campaign, finished)
    shown = Enrolment.objects.shown_their_code().filter(campaign=campaign)
    return finished | set(shown.values_list("annotator", flat=True))


def _people_with_checks_left(campaign: Campaign, people: set[int]) -> set[int]:
    """Return those of the people to whom a gold pair or a repeat is still to come."""
    if not campaign.has_checks:
        return set()
    counted = annotate_counts(campaign.participations.with_part(), OuterRef("annotator"), campaign="campaign")
    rows = counted.filter(annotator__in=people)
    return {row.annotator_id for row in rows if campaign.progress_of(counts_of(row)).left}


@dataclass(frozen=True, slots=True)
class Completion:
    """link: a page of the platform that takes the code; empty without a platform.

    missing: why there is no code; then `code` is empty. is_final: True for somebody who gets no further pair.
    """

    code: str = ""
    link: str = ""
    completed_at: datetime | None = None
    missing: str = ""
    is_final: bool = False


def note_completed(campaign: Campaign, *, annotator: User) -> Completion | None:
    """Note that no pair is left for an annotator, and return the completion; None if no code is shown.

    Without the votes that earn it, the code is empty. In a closed campaign pairs may be left, and it may open again.
    Then only people who are shown their code are noted. Somebody who is excluded gets no code that they did not see.
    """
    enrolment = Enrolment.objects.filter(campaign=campaign, annotator=annotator).select_related("invitation").first()
    is_excluded = campaign.participations.filter(annotator=annotator).excluded().exists()
    if enrolment is None or (enrolment.completed_at is None and is_excluded):
        return None
    if annotator.pk in screened_out(campaign, annotator):
        return _screening(enrolment)
    if enrolment.invitation is None or not enrolment.invitation.completion_code:
        if not campaign.is_closed and campaign.progress_for(annotator).votes:
            _note_end(enrolment)
        return None
    if enrolment.completed_at is None and (missing := _missing_votes(campaign, annotator)):
        return Completion(missing=missing)
    _note_end(enrolment)
    return _completion(enrolment, enrolment.invitation)


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
    return Completion(invitation.completion_code, _link(enrolment, invitation.completion_code), enrolment.completed_at)


def _screening(enrolment: Enrolment) -> Completion:
    code = enrolment.invitation.screening_code if enrolment.invitation else ""
    return Completion(code, _link(enrolment, code), missing="" if code else NO_CODE_SCREENED, is_final=True)


def _link(enrolment: Enrolment, code: str) -> str:
    return f"{PROLIFIC}?{urlencode({'cc': code})}" if code and enrolment.platform == "prolific" else ""
