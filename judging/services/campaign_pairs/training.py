"""Training: pairs with a known answer and feedback, before an annotator's first vote."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused, raise_if_any
from evenhand.report_json import Written
from judging.models import (
    Assignment,
    Campaign,
    CampaignPair,
    Candidate,
    Choice,
    PairAnswer,
    Participation,
    TrainingAnswer,
    TrainingPair,
    User,
)
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.campaign_pairs.gold_pairs import require_pairs
from judging.services.campaign_pairs.known_candidates import AnsweredPair, find_candidates
from judging.services.invitations.screening import screened_out

MOST_TRAINING_PAIRS = 100
TRAINING_FAILED = "{right} of your {total} training answers are right; {share:.3g} % are needed."
TRAIN_AGAIN = "You can do the training again."
_NOT_FAILED = "training: it can be done again only after too few right answers"
UNKNOWN_CHOICE = "Please choose one of the answers."


@dataclass(frozen=True, slots=True)
class ShownTrainingPair:
    """A training pair as one annotator sees it. number: from 1. total: training pairs of the campaign."""

    pair: TrainingPair
    first: Candidate
    second: Candidate
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """The annotator's answer to a training pair and the known one, as choices in the order shown."""

    choice: str
    answer: str
    explanation: str

    @property
    def is_right(self) -> Written[bool]:
        return self.choice == self.answer


@dataclass(frozen=True, slots=True)
class TrainingCounts:
    """Numbers of training pairs, of a person's answers to them, and of right ones. pass_mark: from 0 to 1."""

    total: int
    answered: int
    right: int
    pass_mark: float

    @property
    def is_needed(self) -> bool:
        """True while answers are missing, or too few are right."""
        return self.answered < self.total or self.right < self.pass_mark * self.total - 1e-9  # 0.7 of ten are seven


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A training pair with its answers so far. answer: key of the better one; empty for a tie.

    right: answers that are it.
    """

    attribute: str
    context: str
    one: str
    other: str
    answer: str
    explanation: str
    answers: int
    right: int


@noted(Act.CHANGE, what="training")
def set_training_pairs(campaign: Campaign, pairs: Sequence[KnownPair]) -> int:
    """Replace the training pairs of a campaign, and return their number. The campaign asks no vote on them.

    Raises Refused with every problem, and once an annotator has answered one of the old pairs.
    """
    if len(pairs) > MOST_TRAINING_PAIRS:
        raise Refused(f"training: {len(pairs)} pairs — give at most {MOST_TRAINING_PAIRS}")
    store_training_pairs(campaign, find_candidates(campaign, pairs))
    return len(pairs)


@transaction.atomic
def store_training_pairs(campaign: Campaign, answered: Sequence[AnsweredPair]) -> None:
    """Replace the training pairs of a campaign. Raises Refused once an annotator has answered one of the old pairs."""
    require_pairs(campaign)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if TrainingAnswer.objects.filter(pair__campaign=campaign).exists():
        raise Refused("training: annotators have answered training pairs; start another campaign to change them")
    _take_out_of_campaign(campaign, answered)
    TrainingPair.objects.filter(campaign=campaign).delete()
    TrainingPair.objects.bulk_create(
        TrainingPair(
            campaign=campaign,
            attribute=pair.attribute,
            one=pair.one,
            other=pair.other,
            answer=pair.answer or "",
            explanation=pair.explanation,
            position=position,
        )
        for position, pair in enumerate(answered)
    )


def next_training_pair(campaign: Campaign, annotator: User) -> ShownTrainingPair | None:
    """Return the first training pair that the annotator has not answered; None after the last one."""
    own = TrainingAnswer.objects.filter(pair=OuterRef("pk"), annotator=annotator)
    pair = _with_texts(campaign).filter(~Exists(own)).order_by("position").first()
    return None if pair is None else show_training_pair(pair, annotator)


def with_training(participations: QuerySet[Participation]) -> QuerySet[Participation]:
    """Annotate `has_training`: True where the campaign has training pairs."""
    return participations.annotate(has_training=Exists(TrainingPair.objects.filter(campaign=OuterRef("campaign"))))


def needs_training(participation: Participation) -> bool:
    """Return True while the annotator has training pairs to answer, or is below the pass mark.

    Takes a row of `with_training`.
    """
    has_training: bool = participation.has_training  # type: ignore[attr-defined]  # annotated
    return has_training and _own_training(participation.campaign, participation.annotator).is_needed


def failed_training(campaign: Campaign, annotator: User) -> str:
    """Return what somebody reads who answered all training pairs and is below the pass mark; else an empty text."""
    own = _own_training(campaign, annotator)
    if own.answered < own.total or not own.is_needed:
        return ""
    failed = TRAINING_FAILED.format(right=own.right, total=own.total, share=100 * own.pass_mark)
    return failed if annotator.pk in screened_out(campaign, annotator) else f"{failed} {TRAIN_AGAIN}"


def _own_training(campaign: Campaign, annotator: User) -> TrainingCounts:
    answers = TrainingAnswer.objects.filter(pair__campaign=campaign, annotator=annotator).select_related("pair")
    is_right = [one.is_right for one in answers]
    total = TrainingPair.objects.filter(campaign=campaign).count()
    return TrainingCounts(total, len(is_right), sum(is_right), campaign.training_pass_mark)


@transaction.atomic
def repeat_training(campaign: Campaign, annotator: User) -> None:
    """Forget the annotator's training answers. Raises Refused for people who have not failed or are screened out."""
    if not failed_training(campaign, annotator) or annotator.pk in screened_out(campaign, annotator):
        raise Refused(_NOT_FAILED)
    TrainingAnswer.objects.filter(pair__campaign=campaign, annotator=annotator).delete()


def show_training_pair(pair: TrainingPair, annotator: User) -> ShownTrainingPair:
    is_swapped = pair.is_swapped_for(annotator)
    first, second = (pair.other, pair.one) if is_swapped else (pair.one, pair.other)
    return ShownTrainingPair(
        pair, first, second, pair.position + 1, TrainingPair.objects.filter(campaign=pair.campaign).count()
    )


def answer_training_pair(pair: TrainingPair, annotator: User, *, choice: str) -> Feedback:
    """Store the annotator's answer and return the known one. The first answer counts; a second changes nothing.

    Raises Refused for an unknown choice, and for a tie in a campaign without ties.
    """
    if choice not in Choice.values or (choice == Choice.TIE and not pair.campaign.allow_ties):
        raise Refused(UNKNOWN_CHOICE)
    values = {"choice": choice, "swapped": pair.is_swapped_for(annotator)}
    TrainingAnswer.objects.get_or_create(pair=pair, annotator=annotator, defaults=values)
    return feedback_of(pair, annotator)


def feedback_of(pair: TrainingPair, annotator: User) -> Feedback:
    """Return the feedback on an answered pair. Raises TrainingAnswer.DoesNotExist before the answer."""
    own = TrainingAnswer.objects.get(pair=pair, annotator=annotator)
    return Feedback(own.choice, own.known_answer, pair.explanation)


def training_results(campaign: Campaign) -> list[TrainingResult]:
    """Return the training pairs with the number of answers, and of right ones."""
    pairs = _with_texts(campaign).order_by("position").prefetch_related("answers__pair")
    return [_result(pair) for pair in pairs]


def _result(pair: TrainingPair) -> TrainingResult:
    answers = list(pair.answers.all())
    right = sum(one.is_right for one in answers)
    preferred = {PairAnswer.ONE.value: pair.one.key, PairAnswer.OTHER.value: pair.other.key}.get(pair.answer, "")
    keys = (pair.attribute.name, pair.one.context.key, pair.one.key, pair.other.key)
    return TrainingResult(*keys, preferred, pair.explanation, len(answers), right)


def _with_texts(campaign: Campaign) -> QuerySet[TrainingPair]:
    related = ("campaign", "attribute", "one__context__dataset", "other")
    return TrainingPair.objects.filter(campaign=campaign).select_related(*related)


def _take_out_of_campaign(campaign: Campaign, pairs: Sequence[AnsweredPair]) -> None:
    """Delete the training pairs from the pairs of the campaign. Raises Refused for pairs that somebody has seen."""
    keys = {pair.keys for pair in pairs}
    asked = [pair for pair in campaign.pairs.all() if (pair.one_id, pair.other_id, pair.attribute_id) in keys]
    seen = Assignment.objects.filter(pair__in=asked).values_list("pair__one__key", "pair__other__key").distinct()
    raise_if_any([f"{one} against {other}: somebody has seen this pair in the campaign" for one, other in seen])
    CampaignPair.objects.filter(pk__in=[pair.pk for pair in asked]).delete()
    if not campaign.pairs.asked().exists():
        raise Refused("training: no pair of the campaign is left that people are asked about")
