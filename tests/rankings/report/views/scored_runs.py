"""Runs on candidates that people scored 1, 2 and 3, and the text of a page."""

from django.urls import reverse

from judging.models import Comparison, HumanScore, Run
from tests.factories import answer_run, make_dataset, make_run


def scored_run(owner, name: str = "Articles", candidates: tuple[int, ...] = (3, 3), **fields) -> Run:
    """Contexts (two of three) of candidates whose human scores are 1, 2, 3; the judge always prefers the first."""
    dataset = make_dataset(name, candidates=candidates)
    attribute = dataset.attributes.get()
    for context in dataset.contexts.all():
        for value, candidate in enumerate(context.candidates.all(), start=1):
            HumanScore.objects.create(candidate=candidate, attribute=attribute, value=value)
    return answer_run(make_run(dataset, owner=owner, **fields))


def better_wins(run: Run) -> Run:
    """The judge decides as people do, without a doubt of the order."""
    for comparison in run.comparisons.select_related("first", "second"):
        p_first = 0.9 if comparison.first.position > comparison.second.position else 0.2
        Comparison.objects.filter(pk=comparison.pk).update(p_first=p_first)
    return run


def read(client, name: str, *args: object, **query: str) -> str:
    return client.get(reverse(name, args=args), query).content.decode()
