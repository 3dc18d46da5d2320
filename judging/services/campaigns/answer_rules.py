"""The rules on answers: their change before the first vote, and whether an answer follows them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from evenhand.refusals import Refused, raise_if_any
from judging.models import Assignment, Campaign, CampaignAttribute, Choice, Undecided
from judging.models.labelling.answer_rules import ANSWER_RULES, FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaigns.asked_attributes import NO_OWN_QUESTIONS, different_questions
from judging.services.campaigns.campaign_states import wait_for_answers

FIXED = "the question and the allowed answers are fixed: the campaign has votes. Start another campaign to change them"
NOT_ALLOWED: Mapping[str, str] = {
    Choice.TIE: "This campaign has no ties: please choose one of the two, or skip the pair.",
    Undecided.BOTH_BAD: "“Both bad” is no answer of this campaign: please choose one of the two, or skip the pair.",
    Undecided.CANNOT_JUDGE: "“Cannot judge” is no answer of this campaign: please choose, or skip the pair.",
}
"""Choice → the sentence for annotators whose campaign lacks it."""
LONGEST_COMMENT = 5_000
CHANGEABLE = ANSWER_RULES


@dataclass(frozen=True, slots=True)
class VoteDetails:
    """Additions of an annotator to a vote. strength, confidence: levels from 1; None without one."""

    strength: float | None = None
    confidence: float | None = None
    comment: str = ""


def require_allowed(campaign: Campaign, choice: str, details: VoteDetails) -> None:
    """Raise Refused if the campaign does not allow an answer."""
    if choice not in campaign.choices:
        unknown = f'Unknown choice "{choice}". Nothing was saved; please vote again.'
        raise Refused(NOT_ALLOWED.get(choice, unknown))
    raise_if_any(_detail_problems(campaign, details))


def _detail_problems(campaign: Campaign, details: VoteDetails) -> Iterator[str]:
    for name, level, levels in (
        ("strength", details.strength, campaign.strengths),
        ("confidence", details.confidence, campaign.confidences),
    ):
        if level is not None and not levels:
            yield f"This campaign takes no {name}. Your vote was not saved; please vote again."
        elif level is not None and level not in levels:
            yield f"{name}: {level:g} — choose a whole number from 1 to {levels[-1]}. Your vote was not saved."
    if details.comment and not campaign.take_comments:
        yield "This campaign takes no comments. Your vote was not saved; please vote again."
    if len(details.comment) > LONGEST_COMMENT:
        yield f"The comment has {len(details.comment):,} characters — write at most {LONGEST_COMMENT:,}."


def rule_problems(campaign: Campaign) -> Iterator[str]:
    """Yield the problems of a campaign's rules. They are about answers on pairs: one of ratings has the usual ones."""
    usual = Campaign()
    for name in ANSWER_RULES if campaign.is_of_ratings else ():
        if getattr(campaign, name) != getattr(usual, name):
            yield f"{name.replace('_', ' ')}: is about answers on pairs; leave it out in a campaign of ratings"
    for name in ("strength_levels", "confidence_levels"):
        levels = getattr(campaign, name)
        if levels is not None and not FEWEST_LEVELS <= levels <= MOST_LEVELS:
            label = name.replace("_", " ")
            yield f"{label}: {levels} — give a whole number from {FEWEST_LEVELS} to {MOST_LEVELS}, or none"


@transaction.atomic
def revise_rules(
    campaign: Campaign, changes: Mapping[str, Any], *, questions: Mapping[str, str] = NO_OWN_QUESTIONS
) -> None:
    """Change the rules of a campaign before the first vote. Annotators must read the guidelines again.

    changes: column → new value, for the columns in CHANGEABLE; equal values change nothing.
    questions: name of an attribute → its own question.
    Raises Refused if the campaign has votes, and for a question on an attribute that it does not ask about.
    """
    wait_for_answers(campaign)
    now = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    different = {name: value for name, value in changes.items() if getattr(now, name) != value}
    asked = different_questions(now, questions)
    if not different and not asked:
        return
    if has_votes(campaign):
        raise Refused(FIXED)
    for name, value in different.items():
        setattr(campaign, name, value)
    raise_if_any(rule_problems(campaign))
    campaign.save(update_fields=list(different))
    CampaignAttribute.objects.bulk_update(asked, ["question"])
    campaign.participations.update(guidelines=None, guidelines_read_at=None)


def has_votes(campaign: Campaign) -> bool:
    return Assignment.objects.filter(campaign=campaign, status=Assignment.Status.VOTED).exists()
