"""Packages to publish over the HTTP API."""

import io
from zipfile import ZipFile

import pytest
from django.urls import reverse

from judging.models import User
from tests.factories import answer_run, make_dataset, make_run
from tests.published_packages import make_study

pytestmark = pytest.mark.django_db


def test_package_holds_the_runs_asked_for(researcher):
    dataset = make_study()
    run = dataset.runs.first()  # of the command line, so every researcher sees it

    answer = researcher.get(reverse("api-dataset-package", args=[dataset.pk]), {"run": run.pk, "creator": "Ada"})

    archive = ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert [name for name in archive.namelist() if "judgments" in name] == [f"Study/judgments/run-{run.pk}.jsonl"]
    assert b"by Ada" in archive.read("Study/README.md")


def test_runs_of_others_are_not_published(researcher, other_researcher):
    dataset = make_dataset()
    own = answer_run(make_run(dataset, owner=researcher.user))
    foreign = answer_run(make_run(dataset, prompt="comparative-2", owner=User.objects.get(username="rob")))
    address = reverse("api-dataset-package", args=[dataset.pk])

    everything = researcher.get(address)
    refused = researcher.get(address, {"run": foreign.pk})

    names = ZipFile(io.BytesIO(b"".join(everything.streaming_content))).namelist()
    assert [name for name in names if "judgments" in name] == [f"Summaries/judgments/run-{own.pk}.jsonl"]
    assert (refused.status_code, refused.json()["problems"]) == (
        400,
        [f"run: the dataset has no run {foreign.pk}; there are: {own.pk}"],
    )


def test_unknown_options_are_refused(researcher):
    dataset = make_dataset()

    assert researcher.get(reverse("api-dataset-package", args=[dataset.pk]), {"runs": 1}).status_code == 400
