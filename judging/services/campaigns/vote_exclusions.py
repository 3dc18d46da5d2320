"""Leave votes and ratings out of figures, with a reason, and take them back in."""

from collections.abc import Sequence
from typing import Annotated

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from evenhand.options import Option, options_of
from evenhand.refusals import Refused, did_you_mean
from judging.models import Attribute, Campaign, Dataset, HumanScore, User, Vote, VoteExclusion
from judging.models.activity_and_looks import Act
from judging.models.users import RATER_PREFIX
from judging.services.activity import noted
from judging.services.campaigns.places_of_pairs import settled_places

_Answers = QuerySet[Vote] | QuerySet[HumanScore]

MOST_CHARACTERS = 2_000
RATER = Option("Name or pseudonym of the person.", "Person", longest=200)
REASON = Option("Why; reports print it.", "Reason", longest=MOST_CHARACTERS)
GOES_ON = Option("The person still gets pairs, and a completion code at the end.", "The person goes on")


@noted(Act.EXCLUDE, what="{rater}")
def exclude_rater(
    dataset: Dataset,
    campaign: Campaign | None = None,
    user: User | None = None,
    *,
    rater: Annotated[str, RATER],
    reason: Annotated[str, REASON],
    goes_on: Annotated[bool, GOES_ON] = False,
) -> VoteExclusion:
    """Leave all votes and ratings of a rater on a dataset out of figures, also later ones. Others are asked for them.

    campaign: only those of this campaign. user: None for the command line. Raises Refused without a reason, for an
    unknown rater, and for one who is excluded.
    """
    _require_reason(reason)
    _hold_back_answers(dataset, rater)
    _require_rater(dataset, rater, campaign)
    if active := dataset.vote_exclusions.of_rater(rater, campaign).first():
        raise Refused(f'rater: "{rater}" is excluded already: {active.reason}')
    exclusion = VoteExclusion.objects.create(
        dataset=dataset, campaign=campaign, rater=rater, reason=reason.strip(), goes_on=goes_on, excluded_by=user
    )
    _exclude(_answers_of_rater(exclusion), exclusion)
    for answers in _answers_of_rater(exclusion):
        _count_changes(answers)  # of all: pages show the reason also where every answer was excluded before
    return exclusion


EXCLUSION_OPTIONS = (
    *options_of(exclude_rater),
    Option("Number or name of the campaign whose votes are left out.", longest=200, name="campaign", default=""),
)
"""The options of a page and a request, which name the campaign too."""


@noted(Act.RESTORE, on="dataset")
def restore_votes(exclusion: VoteExclusion, *, user: User | None = None) -> int:
    """Take the votes and ratings of an exclusion back into figures, and return their number. Twice changes nothing.

    Those of the rater that another exclusion leaves out stay out.
    """
    _hold_back_answers(exclusion.dataset, exclusion.rater)
    held = VoteExclusion.objects.active().filter(pk=exclusion.pk)
    if not held.update(restored_at=timezone.now(), restored_by=user):
        return 0
    restored, every = 0, _answers_of_rater(exclusion)
    with settled_places(_assignments_of([answers.filter(exclusion=exclusion) for answers in every])):
        for answers in every:
            _count_changes(answers)
            restored += answers.filter(exclusion=exclusion).update(excluded=False, exclusion=None)
        _exclude_of_whole_raters(exclusion.dataset, rater=exclusion.rater)
    return restored


def exclude_later_votes(dataset: Dataset, rater: str = "") -> None:
    """Leave new answers of excluded raters out too. rater: default: all raters. Call it after storing answers."""
    _exclude_of_whole_raters(dataset, **({"rater": rater} if rater else {}))


def excluded_raters(campaign: Campaign) -> set[str]:
    """Return the raters whose votes figures of this campaign leave out now."""
    own = campaign.dataset.vote_exclusions.active().filter(Q(campaign=campaign) | Q(campaign=None))
    return set(own.values_list("rater", flat=True))


def _exclude_of_whole_raters(dataset: Dataset, **raters: str) -> None:
    for exclusion in dataset.vote_exclusions.active().filter(**raters):
        _exclude(_answers_of_rater(exclusion), exclusion)


def _hold_back_answers(dataset: Dataset, rater: str) -> None:
    """Wait for answers of a rater that are being stored, and hold back new ones until the transaction ends."""
    own = User.objects.filter(rater_code=rater.removeprefix(RATER_PREFIX))
    list(own.select_for_update(no_key=True).values_list("pk"))
    Dataset.objects.select_for_update().get(pk=dataset.pk)


def _answers_of_rater(exclusion: VoteExclusion) -> list[_Answers]:
    """Return the votes and the ratings of the rater on the dataset, or in the campaign."""
    return [answers.filter(rater=exclusion.rater) for answers in _answers(exclusion.dataset, exclusion.campaign)]


def _answers(dataset: Dataset, campaign: Campaign | None) -> tuple[QuerySet[Vote], QuerySet[HumanScore]]:
    """Return the votes and the ratings on a dataset, or only those of a campaign."""
    of_campaign = {"assignment__campaign": campaign} if campaign else {}
    return (
        Vote.objects.filter(attribute__dataset=dataset, **of_campaign),
        HumanScore.objects.filter(attribute__dataset=dataset, **of_campaign).exclude(rater=""),
    )


def _exclude(every: Sequence[_Answers], exclusion: VoteExclusion) -> None:
    """Exclude those votes and ratings that are not excluded yet."""
    included = [answers.filter(excluded=False) for answers in every]
    with settled_places(_assignments_of(included)):
        for answers in included:
            _count_changes(answers)
            answers.update(excluded=True, exclusion=exclusion)


def _assignments_of(every: Sequence[_Answers]) -> list[int]:
    """Return the keys of the assignments of votes and ratings; imported ones have none."""
    keys = (answers.exclude(assignment=None).values_list("assignment", flat=True) for answers in every)
    return [key for own in keys for key in own if key is not None]


def _count_changes(answers: _Answers) -> None:
    """Count a change on each attribute of the answers, so that cached figures are computed again."""
    attributes = set(answers.order_by().values_list("attribute", flat=True))
    Attribute.objects.filter(pk__in=attributes).update(vote_changes=F("vote_changes") + 1)


def _require_rater(dataset: Dataset, rater: str, campaign: Campaign | None) -> None:
    votes, ratings = _answers(dataset, campaign)
    if votes.filter(rater=rater).exists() or ratings.filter(rater=rater).exists():
        return
    known = {name for answers in (votes, ratings) for name in answers.order_by().values_list("rater", flat=True)}
    where = f"in {campaign.name}" if campaign else f"on {dataset.name}"
    raise Refused(f'rater: nobody called "{rater}" voted {where}{did_you_mean(rater, sorted(known))}')


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused("reason: write why, for everybody who reads the figures")
    if len(reason) > MOST_CHARACTERS:
        raise Refused(f"reason: {len(reason):,} characters — write at most {MOST_CHARACTERS:,}")
