"""Who has finished in a campaign, and whose answers are too often none: for its dashboard and its list of people."""

from django.db.models import Count, Exists, OuterRef, Q

from judging.models import Assignment, Campaign, CampaignPair, Enrolment, Undecided
from judging.models.labelling.own_progress import annotate_counts, counts_of


def people_over_limits(campaign: Campaign) -> dict[int, str]:
    """Return annotator -> what their answers have too much of: "too many skips" or "too often cannot judge".

    Gold pairs and repeats count too.
    """
    if campaign.most_skips is None and campaign.most_cannot_judge is None:
        return {}
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
    }


def _excess(campaign: Campaign, skips: float, unjudged: float) -> str:
    if campaign.most_skips is not None and skips > campaign.most_skips:
        return "too many skips"
    if campaign.most_cannot_judge is not None and unjudged > campaign.most_cannot_judge:
        return "too often cannot judge"
    return ""


def finished_people(campaign: Campaign) -> set[int]:
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
