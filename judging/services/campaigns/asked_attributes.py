"""The attributes of a campaign and their questions, checked, stored and changed; and whether their votes are enough."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType

from evenhand.refusals import did_you_mean, raise_if_any
from judging.models import Attribute, Campaign, CampaignAttribute, Dataset
from judging.services.campaign_pairs.rating_scales import USUAL_SCALE, RatingScale
from judging.services.campaigns.progress.campaign_progress import VoteAgreement

NARROWEST, WIDEST = 0.001, 0.999
NO_OWN_QUESTIONS: Mapping[str, str] = MappingProxyType({})
LONGEST_QUESTION = 300


def is_enough(campaign: Campaign, agreement: VoteAgreement) -> bool | None:
    """Return True if the interval of the agreement is at most as wide as wanted; None if the campaign has no goal."""
    if campaign.wanted_width is None:
        return None
    return agreement.width is not None and agreement.width <= campaign.wanted_width


def attribute_problems(
    dataset: Dataset, attributes: Sequence[Attribute], questions: Mapping[str, str]
) -> Iterator[str]:
    """Yield the problems of the attributes of a new campaign. questions: name of an attribute -> its own question."""
    if not attributes:
        yield "attributes: missing — choose one or more attributes of the dataset"
    names = [attribute.name for attribute in attributes]
    for attribute in attributes:
        if attribute.dataset_id != dataset.pk:
            yield f'attribute: "{attribute.name}" is not an attribute of the dataset "{dataset.name}"'
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f'attribute: "{name}" is given twice'
    yield from question_problems(questions, names)


def question_problems(questions: Mapping[str, str], names: Sequence[str]) -> Iterator[str]:
    """Yield a problem for each question on an attribute that the campaign does not ask about."""
    for name in questions:
        if name not in names:
            yield f'questions: "{name}" is not an attribute of the campaign{did_you_mean(name, names)}'


def store_attributes(
    campaign: Campaign, attributes: Sequence[Attribute], questions: Mapping[str, str], scales: Mapping[str, RatingScale]
) -> None:
    """Store the attributes of a new campaign, in this order. scales: of a campaign of ratings; others have none."""
    for position, attribute in enumerate(attributes):
        scale = asdict(scales.get(attribute.name, USUAL_SCALE).on(attribute)) if campaign.is_of_ratings else {}
        CampaignAttribute.objects.create(
            campaign=campaign,
            attribute=attribute,
            position=position,
            question=questions.get(attribute.name, ""),
            **scale,
        )


def different_questions(campaign: Campaign, questions: Mapping[str, str]) -> list[CampaignAttribute]:
    """Return the attributes whose question differs from the given one, with the new one, not saved.

    Raises Refused for a question on an attribute that the campaign does not ask about.
    """
    asked = {one.attribute.name: one for one in campaign.asked_attributes.all()}
    raise_if_any(question_problems(questions, list(asked)))
    changed = [asked[name] for name, question in questions.items() if asked[name].question != question]
    for one in changed:
        one.question = questions[one.attribute.name]
    return changed
