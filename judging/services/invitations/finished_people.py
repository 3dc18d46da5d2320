"""Who has finished in a campaign: the one rule of its dashboard and of its list of people."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from judging.models import Assignment, Campaign, CampaignPair, Enrolment
from judging.models.row_counts import count_rows


def finished_people(campaign: Campaign) -> set[int]:
    """Return the annotators who answered pairs and have none left, and those who were shown their code.

    Somebody whose votes are excluded has no pair left, unless the exclusion lets them go on.
    """
    own = Assignment.objects.filter(campaign=campaign, annotator=OuterRef("annotator"))
    free = CampaignPair.objects.filter(campaign=campaign).free_for(OuterRef(OuterRef("annotator")))
    people = (
        campaign.participations.with_exclusion()
        .filter(Exists(own.answered()))
        .annotate(
            votes=count_rows(own.filter(status=Assignment.Status.VOTED), by="annotator"),
            has_pairs=Exists(own.answerable()) | Exists(free),
        )
    )
    is_drawing = campaign.pairs_to_choose() > 0
    finished = {
        person.annotator_id
        for person in people
        if person.is_complete(person.votes)
        or person.is_excluded  # type: ignore[attr-defined]  # annotated
        or not (person.has_pairs or is_drawing)
    }
    shown = Enrolment.objects.shown_their_code().filter(campaign=campaign)
    return finished | set(shown.values_list("annotator", flat=True))
