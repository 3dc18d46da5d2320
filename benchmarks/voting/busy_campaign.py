"""The campaign and the read pages of the benchmark, and what must be true of the votes."""

from __future__ import annotations

VOTES_PER_PAIR = 3
VOTING = ("next pair", "vote")
PASSWORD = "a long benchmark password"
ARTICLE, SUMMARY = "The council voted to close two libraries. " * 40, "Two libraries will close. " * 10


def annotator_name(number: int) -> str:
    return f"annotator-{number:04}"


def reader_name(number: int) -> str:
    return f"reader-{number:04}"


def make_campaign(people: int, pairs: int, attributes: int = 1) -> int:
    """Store a campaign with these numbers of annotators, pairs and attributes, five pairs of each context.

    Each pair is asked on all attributes. Returns the key of the campaign.
    """
    from django.db import connection

    from judging.models import ANNOTATOR, Dataset
    from judging.services.campaigns.campaign_setup import create_campaign
    from judging.services.campaigns.guidelines import note_guidelines_read

    dataset = _store_dataset(contexts=-(-pairs // 5), attributes=attributes)
    annotators = _make_people([annotator_name(number) for number in range(people)], role=ANNOTATOR)
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


def make_pages(readers: int) -> list[str]:
    """Store researchers, and ten runs with a million comparisons. Returns the addresses that the researchers read."""
    from django.urls import reverse

    from benchmarks.pages.shapes import SHAPES, stored, study_of
    from judging.models import RESEARCHER

    _make_people([reader_name(number) for number in range(readers)], role=RESEARCHER)
    dataset = stored(SHAPES["million"])
    run, study = dataset.runs.earliest("pk"), study_of(dataset)
    named = {"dataset-results": dataset, "dataset-agreement": dataset, "run-results": run, "run-answers": run}
    named |= {"run-diagnostics": run, "study": study}
    lists = [reverse(name) for name in ("home", "dataset-list", "run-list", "campaign-list")]
    return [*lists, *(reverse(name, args=[one.pk]) for name, one in named.items())]


def make_runs(number: int) -> None:
    """Store runs of the demo's judge that wait for a worker. Each takes minutes: every pair with reasoning."""
    from django.core.management import call_command

    from judging import tasks
    from judging.demo import SAMPLE_DATASET
    from judging.models import Dataset, Judge, Prompt
    from judging.services.runs.run_lifecycle import create_runs
    from judging.services.runs.run_request import RunRequest

    call_command("import_dataset", str(SAMPLE_DATASET), "--name", "Sample", verbosity=0)
    judge, prompt = Judge.objects.get(name="demo"), Prompt.objects.get(name="cot-1")
    dataset = Dataset.objects.get(name="Sample")
    for run in create_runs([RunRequest(dataset, dataset.attributes.first(), judge, prompt)] * number):
        tasks.send_run(run.pk)


def count_answers() -> int:
    """Count the answers of the runs of the demo's judge."""
    from judging.models import Comparison

    return Comparison.objects.filter(run__dataset__name="Sample").count()


def _store_dataset(contexts: int, attributes: int):  # noqa: ANN202 - models are imported after Django is set up
    from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord
    from judging.services.datasets.dataset_import import import_dataset

    candidates = tuple(CandidateRecord(f"M{number}", SUMMARY, f"M{number}") for number in range(5))
    rows = tuple(ContextRecord(f"c{number}", ARTICLE, candidates=candidates) for number in range(contexts))
    asked = tuple(AttributeRecord(f"attribute-{number}", "good") for number in range(attributes))
    record = DatasetRecord(attributes=asked, contexts=rows)
    return import_dataset(record, name="benchmark", sha256="0" * 64)


def _make_people(names: list[str], *, role: str):  # noqa: ANN202
    from django.contrib.auth.hashers import make_password
    from django.contrib.auth.models import Group

    from judging.models import User

    password = make_password(PASSWORD)
    people = [User.objects.create(username=name, password=password) for name in names]
    Group.objects.get_or_create(name=role)[0].user_set.add(*people)
    return people


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
