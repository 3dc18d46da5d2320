"""Set-up of campaigns: their pairs and annotators."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from evenhand.refusals import Refusals, Refused, unknown_choice
from judging.models import Attribute, Campaign, CampaignKind, CampaignState, Dataset, Participation, Run, User
from judging.services.campaign_pairs.asked_pairs import (
    AskedPair,
    in_asked_order,
    on_all_attributes,
    store_pairs,
    texts_on_all_attributes,
)
from judging.services.campaign_pairs.campaign_selection import (
    ADAPTIVE,
    D_OPTIMAL,
    GIVEN,
    TEXTS,
    CampaignSelection,
    choice_problems,
    rule_for,
)
from judging.services.campaign_pairs.judge_doubt import load_doubts
from judging.services.campaign_pairs.pair_drawing import draw_pairs, plan_pairs
from judging.services.campaign_pairs.rating_scales import RatingScale, scale_problems
from judging.services.campaign_pairs.text_drawing import draw_texts
from judging.services.campaigns.answer_rules import has_votes, rule_problems
from judging.services.campaigns.asked_attributes import (
    NO_OWN_QUESTIONS,
    USUAL_SCALES,
    attribute_problems,
    store_attributes,
)
from judging.services.campaigns.campaign_states import require_ahead, wait_for_answers
from judging.services.campaigns.guidelines import change_guidelines
from judging.services.campaigns.wanted_width import width_problem

FIRST_STATES = (CampaignState.OPEN, CampaignState.DRAFT)


@transaction.atomic
def create_campaign(
    dataset: Dataset,
    *,
    attributes: Sequence[Attribute],
    questions: Mapping[str, str] = NO_OWN_QUESTIONS,
    scales: Mapping[str, RatingScale] = USUAL_SCALES,
    selection: str = D_OPTIMAL,
    pairs_per_context: int | None = None,
    contexts: int | None = None,
    pair_limit: int | None = None,
    random_share: float = 0.0,
    runs: Sequence[Run] = (),
    given_pairs: Sequence[AskedPair] | None = None,
    annotators: Collection[User] = (),
    seed: int | None = None,
    state: str = CampaignState.OPEN,
    **columns: Any,  # noqa: ANN401 - as each column needs
) -> Campaign:
    """Create a campaign: draw its pairs or texts, and add its annotators. columns: its other columns, such as `kind`.

    attributes: in the order in which annotators are asked about each pair. Each pair is asked on all of them.
    questions: name of an attribute -> its own question.
    scales: of a campaign of ratings: name of an attribute -> its scale; others have the usual one.
    selection, pairs_per_context, contexts, pair_limit, random_share, runs: see CampaignSelection.
    given_pairs: the pairs in the order to ask; None to draw the pairs. runs: then only recorded.
    seed: for drawing the pairs; None for a fresh one, so that two campaigns draw different pairs.
    state: open, or draft.
    Raises Refused with every problem.
    """
    is_of_ratings = columns.get("kind") == CampaignKind.RATINGS
    rule = rule_for(selection, is_of_ratings=is_of_ratings) if given_pairs is None else GIVEN
    choice = CampaignSelection(rule, pairs_per_context, contexts, pair_limit, random_share, tuple(runs))
    campaign = Campaign(dataset=dataset, seed=fresh_seed() if seed is None else seed, chosen_state=state, **columns)
    campaign.name, campaign.pair_choice = campaign.name.strip(), choice.settings()
    _require_possible(campaign, choice, attributes, questions, scales)
    _require_annotators(annotators)
    if choice.rule == ADAPTIVE:
        planned = plan_pairs(list(_candidates(campaign, choice).values()), choice)
        campaign.pairs_planned = planned * len(attributes)
    pairs = _draw(campaign, choice, attributes) if given_pairs is None else in_asked_order(given_pairs, attributes)
    campaign.save(force_insert=True)
    store_attributes(campaign, attributes, questions, scales)
    change_guidelines(campaign, text=campaign.guidelines, changed_by=campaign.created_by)
    store_pairs(campaign, pairs)
    set_annotators(campaign, annotators=annotators)
    return campaign


def _draw(campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute]) -> list[AskedPair]:
    """Draw the pairs, or the texts of a campaign of ratings. Raises Refused if there are none."""
    by_context = _candidates(campaign, choice)
    if campaign.is_of_ratings:
        texts = draw_texts(list(by_context.values()), choice=choice, seed=campaign.seed)
        return texts_on_all_attributes(texts, attributes)
    if not any(len(candidates) > 1 for candidates in by_context.values()):
        raise Refused(
            f'dataset "{campaign.dataset.name}": no context has two candidates, so there is no pair to vote on'
        )
    doubts = load_doubts(choice.runs)
    pairs = draw_pairs(list(by_context.values()), choice=choice, seed=campaign.seed, doubts=doubts)
    if not pairs:
        raise Refused("runs: they have no answers on pairs of these contexts — choose runs that are done")
    return on_all_attributes(pairs, attributes)


def _candidates(campaign: Campaign, choice: CampaignSelection) -> dict[int, tuple[int, ...]]:
    return campaign.dataset.candidates_by_context(limit=choice.contexts)


def fresh_seed() -> int:
    return secrets.randbelow(2**31)


def _require_possible(
    campaign: Campaign,
    choice: CampaignSelection,
    attributes: Sequence[Attribute],
    questions: Mapping[str, str],
    scales: Mapping[str, RatingScale],
) -> None:
    problems = list(_kind_problems(campaign, choice, attributes, scales))
    if campaign.votes_per_pair < 1:
        asked = "ratings per text" if campaign.is_of_ratings else "votes per pair"
        problems.append(f"{asked}: {campaign.votes_per_pair} — give a whole number above 0")
    problems += choice_problems(choice, attributes)
    problems += [*_schedule_problems(campaign), *rule_problems(campaign)]
    if problem := width_problem(campaign.wanted_width):
        problems.append(problem)
    if campaign.seed < 0:
        problems.append(f"seed: {campaign.seed} — give a whole number, 0 or above")
    problems += attribute_problems(campaign.dataset, attributes, questions)
    if not campaign.name:
        problems.append("name: is empty — give the campaign a name")
    elif Campaign.objects.filter(name=campaign.name).exists():
        problems.append(f'name: a campaign is already called "{campaign.name}" — choose another name')
    if not campaign.dataset.has_texts():
        problems.append(f'dataset: "{campaign.dataset.name}" has no texts, so annotators have nothing to read')
    if problems:
        raise Refused(*problems)


def _kind_problems(
    campaign: Campaign, choice: CampaignSelection, attributes: Sequence[Attribute], scales: Mapping[str, RatingScale]
) -> Iterator[str]:
    if campaign.kind not in CampaignKind.values:
        yield unknown_choice("kind", campaign.kind, CampaignKind.values)
    elif not campaign.is_of_ratings:
        if scales:
            yield "scale: only a campaign of ratings has one; leave it out"
        return
    if choice.rule not in (TEXTS, GIVEN):
        yield f'selection: "{choice.rule}" chooses pairs; leave it out in a campaign of ratings'
    if campaign.allow_repeats:
        yield "repeats: nobody rates a text twice on an attribute; leave them out"
    yield from scale_problems(attributes, scales)


def _schedule_problems(campaign: Campaign) -> list[str]:
    refusals = Refusals()
    refusals.of(lambda: require_ahead(campaign.deadline))
    if campaign.chosen_state not in FIRST_STATES:
        refusals.problems.append(unknown_choice("state", campaign.chosen_state, FIRST_STATES))
    return refusals.problems


def _require_annotators(people: Iterable[User]) -> None:
    problems = [
        f'annotators: "{person.get_username()}" does not have the role annotator'
        for person in people
        if not person.is_annotator
    ]
    if problems:
        raise Refused(*problems)


@transaction.atomic
def set_annotators(campaign: Campaign, *, annotators: Collection[User]) -> None:
    """Replace the annotators of a campaign. Votes of removed annotators stay, and are theirs if they return."""
    _require_annotators(annotators)
    campaign.participations.exclude(annotator__in=annotators).delete()
    Participation.objects.bulk_create(
        [Participation(campaign=campaign, annotator=annotator) for annotator in annotators], ignore_conflicts=True
    )


@transaction.atomic
def discard_campaign(campaign: Campaign) -> None:
    """Delete a campaign without votes. Raises Refused if it has votes."""
    wait_for_answers(campaign)
    if has_votes(campaign):
        raise Refused(f'campaign "{campaign.name}" has votes and cannot be deleted')
    campaign.delete()
