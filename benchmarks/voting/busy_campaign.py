"""The campaign of the benchmark, and what must be true of its votes."""

from __future__ import annotations

VOTES_PER_PAIR = 3
PASSWORD = "a long benchmark password"
ARTICLE, SUMMARY = "The council voted to close two libraries. " * 40, "Two libraries will close. " * 10


def annotator_name(number: int) -> str:
    return f"annotator-{number:04}"


def make_campaign(people: int, pairs: int, attributes: int = 1) -> int:
    """Store a campaign with these numbers of annotators, pairs and attributes, five pairs of each context.

    Each pair is asked on all attributes. Returns the key of the campaign.
    """
    from django.db import connection

    from judging.models import Dataset
    from judging.services.campaigns.campaign_setup import create_campaign
    from judging.services.campaigns.guidelines import note_guidelines_read

    dataset = _store_dataset(contexts=-(-pairs // 5), attributes=attributes)
    annotators = _make_annotators(people)
    campaign = create_campaign(
        Dataset.objects.get(pk=dataset.pk),
        attributes=dataset.attributes.all(),
        name="benchmark",
        votes_per_pair=VOTES_PER_PAIR,
        pairs_per_context=5,
        annotators=annotators,
    )
    for annotator in annotators:
        note_guidelines_read(campaign, annotator=annotator)
    if connection.vendor == "postgresql":
        connection.cursor().execute("ANALYZE")
    return campaign.pk


def _store_dataset(contexts: int, attributes: int):  # noqa: ANN202 - models are imported after Django is set up
    from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
    from judging.services.datasets.dataset_import import import_dataset

    candidates = tuple(CandidateRecord(f"M{number}", SUMMARY, f"M{number}") for number in range(5))
    rows = tuple(ContextRecord(f"c{number}", ARTICLE, candidates=candidates) for number in range(contexts))
    asked = tuple(AttributeRecord(f"attribute-{number}", "good") for number in range(attributes))
    record = DatasetRecord(attributes=asked, contexts=rows)
    return import_dataset(record, name="benchmark", sha256="0" * 64)


def _make_annotators(people: int):  # noqa: ANN202
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import Group

    from judging.models import ANNOTATOR, User

    password = make_password(PASSWORD)
    annotators = [User.objects.create(username=annotator_name(number), password=password) for number in range(people)]
    Group.objects.get_or_create(name=ANNOTATOR)[0].user_set.add(*annotators)
    return annotators


def check_votes(campaign: int, votes: int) -> list[str]:
    """Return what is wrong with the stored votes: too many on a pair, too few or too many in all, wrong free places.

    votes: the number that annotators gave.
    """
    from django.db.models import Count, F, Q

    from judging.models import CampaignPair, Vote

    pairs = CampaignPair.objects.filter(campaign=campaign).annotate(
        taken=Count("assignments", filter=Q(assignments__has_place=True))
    )
    stored = Vote.objects.filter(assignment__campaign=campaign).count()
    numbers = {
        f"{stored} votes are stored, {votes} were given": stored != votes,
        "pairs have too many votes": pairs.filter(taken__gt=VOTES_PER_PAIR).exists(),
        "free places of pairs are wrong": pairs.exclude(places=VOTES_PER_PAIR - F("taken")).exists(),
    }
    return [problem for problem, is_true in numbers.items() if is_true]
