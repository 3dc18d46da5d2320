"""Set-up of campaigns: their pairs, annotators and guidelines."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from judging.exceptions import Refused
from judging.models import Assignment, Campaign, CampaignPair, Dataset, Participation, User
from rankings.numerics import most_comparisons, select_pairs

FIXED = (
    "the guidelines, the question and the rule on ties are fixed: the campaign has votes. "
    "Start another campaign to change them"
)


@transaction.atomic
def create_campaign(
    dataset: Dataset,
    *,
    pairs_per_context: int | None = None,
    contexts: int | None = None,
    annotators: Collection[User] = (),
    seed: int | None = None,
    **columns: Any,  # noqa: ANN401 - as each column needs
) -> Campaign:
    """Create a campaign: draw its pairs and add its annotators. columns: its other columns.

    pairs_per_context: number of unordered pairs of each context; None for all. Smaller contexts give all their pairs.
    contexts: use only the first N contexts of the dataset; None for all.
    seed: for drawing the pairs; None for a fresh one, so that two campaigns draw different pairs.
    Raises Refused with every problem.
    """
    campaign = Campaign(dataset=dataset, seed=fresh_seed() if seed is None else seed, **columns)
    campaign.name = campaign.name.strip()
    _require_possible(campaign, pairs_per_context, contexts)
    _require_annotators(annotators)
    by_context = dataset.candidates_by_context(limit=contexts)
    pairs = draw_pairs(list(by_context.values()), pairs_per_context=pairs_per_context, seed=campaign.seed)
    if not pairs:
        raise Refused(f'dataset "{dataset.name}": no context has two candidates, so there is no pair to vote on')
    campaign.save(force_insert=True)
    CampaignPair.objects.bulk_create(
        [
            CampaignPair(
                campaign=campaign,
                one_id=one,
                other_id=other,
                position=position,
                places=campaign.votes_per_pair,
                turn=position,
            )
            for position, (one, other) in enumerate(pairs)
        ],
        batch_size=1000,
    )
    set_annotators(campaign, annotators=annotators)
    return campaign


def fresh_seed() -> int:
    return secrets.randbelow(2**31)


def draw_pairs(contexts: Sequence[Sequence[int]], *, pairs_per_context: int | None, seed: int) -> list[tuple[int, int]]:
    """Draw unordered pairs of the candidates of each context. A pair's first candidate is the earlier one.

    Within a context, the candidates' numbers of pairs differ by at most two, and the first pairs connect them all.
    The result takes one pair from each context in random order, then a second from each, and so on. A campaign that
    ends early has then covered all contexts.
    """
    rng = np.random.default_rng(seed)
    drawn = [_pairs_of(candidates, pairs_per_context, rng) for candidates in contexts]
    shuffled = [drawn[index] for index in rng.permutation(len(drawn))]
    return [pair for round_ in zip_longest(*shuffled) for pair in round_ if pair is not None]


def _pairs_of(candidates: Sequence[int], number: int | None, rng: np.random.Generator) -> list[tuple[int, int]]:
    most = most_comparisons("no-repeat", len(candidates))
    if not most:
        return []
    if number is None or number >= most:
        pairs = select_pairs("no-repeat", len(candidates), most, rng)
    else:
        pairs = select_pairs("d-optimal", len(candidates), number, rng)
    indices = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return [(candidates[min(pair)], candidates[max(pair)]) for pair in indices]


def _require_possible(campaign: Campaign, pairs_per_context: int | None, contexts: int | None) -> None:
    numbers = {
        "votes per pair": campaign.votes_per_pair,
        "pairs per context": pairs_per_context,
        "contexts": contexts,
    }
    problems = [
        f"{field}: {number} — give a whole number above 0"
        for field, number in numbers.items()
        if number is not None and number < 1
    ]
    if campaign.seed < 0:
        problems.append(f"seed: {campaign.seed} — give a whole number, 0 or above")
    if campaign.attribute.dataset_id != campaign.dataset_id:
        problems.append(
            f'attribute: "{campaign.attribute.name}" is not an attribute of the dataset "{campaign.dataset.name}"'
        )
    if not campaign.name:
        problems.append("name: is empty — give the campaign a name")
    elif Campaign.objects.filter(name=campaign.name).exists():
        problems.append(f'name: a campaign is already called "{campaign.name}" — choose another name')
    if problems:
        raise Refused(*problems)


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
def revise_guidelines(campaign: Campaign, *, guidelines: str, allow_ties: bool, question: str = "") -> None:
    """Change guidelines, question and ties before the first vote. Annotators must read the new guidelines.

    Raises Refused if the campaign has votes.
    """
    wait_for_answers(campaign)
    now = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if (guidelines, allow_ties, question) == (now.guidelines, now.allow_ties, now.question):
        return
    if has_votes(campaign):
        raise Refused(FIXED)
    Campaign.objects.filter(pk=campaign.pk).update(guidelines=guidelines, allow_ties=allow_ties, question=question)
    campaign.participations.update(guidelines_read_at=None)


@transaction.atomic
def discard_campaign(campaign: Campaign) -> None:
    """Delete a campaign without votes. Raises Refused if it has votes."""
    wait_for_answers(campaign)
    if has_votes(campaign):
        raise Refused(f'campaign "{campaign.name}" has votes and cannot be deleted')
    campaign.delete()


def wait_for_answers(campaign: Campaign) -> None:
    """Wait for answers that are being stored, and hold back new ones until the transaction ends."""
    list(campaign.participations.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def has_votes(campaign: Campaign) -> bool:
    return Assignment.objects.filter(campaign=campaign, status=Assignment.Status.VOTED).exists()


def note_guidelines_read(campaign: Campaign, *, annotator: User) -> None:
    """Record that the annotator read the guidelines, which allows them to vote."""
    unread = campaign.participations.filter(annotator=annotator, guidelines_read_at=None)
    unread.update(guidelines_read_at=timezone.now())
