"""Prompts that are too long for a judge, at each door that starts runs: command, page and API."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.models import Run
from tests.commands import refused
from tests.factories import make_dataset
from tests.judging.views.new_runs import choices, start

pytestmark = pytest.mark.django_db

JUDGE = ("judge", "--dataset", "Summaries", "--judge", "tiny")
ASKED = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny"}
WARNING = 'About 2 of 4 prompts are longer than the 1,024 tokens that "tiny" takes. '
PROBLEM = 'judge: all 4 prompts are longer than the 1,024 tokens that "tiny" takes; shorten the prompt or the texts'


@pytest.fixture
def dataset(researcher):
    """A dataset with one long and one short context."""
    dataset = make_dataset(candidates=(2, 2), attributes=("coherence",), owner=researcher)
    lengthen(dataset, "c0")
    return dataset


def lengthen(dataset, key):
    dataset.contexts.filter(key=key).update(text="The cat sat. " * 400)


def post(client, name, body, *args):
    return client.post(reverse(name, args=args), body, content_type="application/json")


def test_command_warns_of_long_prompts_and_counts_their_errors(capsys, dataset, judge):
    call_command(*JUDGE)

    shown = capsys.readouterr()
    run = Run.objects.get()
    assert shown.err.count(WARNING) == 1
    assert shown.err.index(WARNING) < shown.err.index(
        f"run {run.pk}: first of 2 errors: the prompt is too long: it has"
    )
    assert "2 comparisons, 0 unparsed, 2 errors" in shown.out


def test_page_of_a_run_shows_the_warning(client, dataset, judge):
    answer = start(client, dataset, judges=[judge.pk])

    run = Run.objects.get()
    assert answer.url == run.get_absolute_url()
    assert "<p>About 2 of 4 prompts are longer than the 1,024 tokens " in client.get(answer.url).content.decode()


def test_several_runs_that_start_together_show_each_warning_once(client, dataset, judge):
    fluency = dataset.attributes.create(name="fluency", position=1)
    both = [dataset.attributes.first().pk, fluency.pk]

    page = client.get(start(client, dataset, judges=[judge.pk], attributes=both).url).content.decode()

    assert Run.objects.exclude(warning="").count() == 2
    assert page.count("prompts are longer than the 1,024 tokens") == len(
        set(Run.objects.values_list("warning", flat=True))
    )


def test_run_that_could_answer_nothing_is_refused_at_every_door(capsys, client, dataset, judge):
    lengthen(dataset, "c1")

    lines = refused(capsys, *JUDGE)
    answer = post(client, "api-run-list", ASKED)
    address, chosen = reverse("run-new", args=[dataset.pk]), choices(dataset, judges=[judge.pk])
    pages = [client.post(address, chosen | asked).content.decode() for asked in ({}, {"shown": "", "start": ""})]

    assert lines[-1].startswith(PROBLEM)
    assert (answer.status_code, answer.json()["problems"]) == (400, lines[-1:])
    assert all("all 4 prompts are longer than the 1,024 tokens" in page for page in pages)
    assert all('name="start" disabled>' in page for page in pages)
    assert not Run.objects.exists()
