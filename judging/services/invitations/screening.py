"""People who are screened out: below a pass mark of the training or of gold pairs, they get no further pair."""

from collections import Counter

from judging.models import Campaign, Enrolment, Purpose, TrainingAnswer, User, Vote
from judging.models.labelling.votes import answer_of_choice

SCREENED_OUT = "screened out"
FEWEST_GOLD_ANSWERS = 5
_ROUNDING = 1e-9  # 0.7 of ten are seven


def screened_out(campaign: Campaign, annotator: User | None = None) -> set[int]:
    """Return the annotators below a pass mark, without those who were shown their completion code.

    Training: those who answered all its pairs, and whose link has a screening code; others do it again.
    Gold pairs: those with five answers or more. annotator: only this one.
    """
    if not (campaign.training_pass_mark or campaign.gold_pass_mark):
        return set()
    found = _below_training_mark(campaign, annotator) | _below_gold_mark(campaign, annotator)
    shown = Enrolment.objects.shown_their_code().filter(campaign=campaign)
    return found - set(shown.values_list("annotator", flat=True)) if found else found


def _below_training_mark(campaign: Campaign, annotator: User | None) -> set[int]:
    total = campaign.training_pairs.count() if campaign.training_pass_mark else 0
    if not total:
        return set()
    invited = campaign.enrolments.filter(invitation__screening_code__gt="")
    answers = TrainingAnswer.objects.filter(pair__campaign=campaign, annotator__in=invited.values("annotator"))
    answers = answers.select_related("pair").filter(**{"annotator": annotator} if annotator else {})
    given = [(one.annotator_id, one.is_right) for one in answers]
    return _below(given, campaign.training_pass_mark, fewest=total)


def _below_gold_mark(campaign: Campaign, annotator: User | None) -> set[int]:
    if not campaign.gold_pass_mark:
        return set()
    votes = Vote.objects.filter(purpose=Purpose.GOLD, assignment__campaign=campaign)
    votes = votes.filter(**{"user": annotator} if annotator else {"user__isnull": False})
    columns = ("user", "choice", "assignment__swapped", "assignment__pair__gold_answer")
    given = [
        (person, answer_of_choice(choice, is_swapped=is_swapped) == answer)
        for person, choice, is_swapped, answer in votes.values_list(*columns)
    ]
    return _below(given, campaign.gold_pass_mark, fewest=FEWEST_GOLD_ANSWERS)


def _below(given: list[tuple[int, bool]], mark: float, *, fewest: int) -> set[int]:
    """given: person and whether the answer is right, for each answer. fewest: answers that a person must have given."""
    answers, right = Counter(person for person, _ in given), Counter(person for person, is_right in given if is_right)
    return {one for one, number in answers.items() if number >= fewest and right[one] < mark * number - _ROUNDING}
