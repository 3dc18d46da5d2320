"""Juries that cannot be, with the reason and what would work: by page, API and command."""

import pytest
from django.urls import reverse

from judging.models import Run
from judging.services.datasets.context_parts import split_dataset
from rankings.juries.stored_juries import make_jury
from tests.commands import refused
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


def no_common_pair():
    dataset = make_dataset(one_context(3, 2, 1))
    rows = {"one": "a b 0.9", "two": "b c 0.9"}
    return [compared(dataset, answers(row), judge=name) for name, row in rows.items()], {"by": "mean"}


def tuned_on_the_same_contexts():
    dataset = voted_dataset()
    careful, hasty = judged(dataset, "careful"), judged(dataset, "hasty")
    return [make_jury("tuned", [careful, hasty], by="weighted").run, hasty], {"by": "weighted"}


def chosen_on_the_part_of_the_report():
    dataset = split_dataset(voted_dataset(contexts=40), seed=7)
    runs = [judged(dataset, name) for name in ("careful", "hasty")]
    return runs, {"by": "weighted", "choose_on": "test"}


@pytest.mark.parametrize(
    ("case", "reason", "page_reason"),
    [
        (no_common_pair, "answered no comparison that run", "answered no comparison that run"),
        (tuned_on_the_same_contexts, "were learned on", "were learned on"),
        (chosen_on_the_part_of_the_report, "choose on development, and report on test", "Select a valid choice"),
    ],
)
def test_jury_is_refused_by_page_api_and_command_and_nothing_is_stored(client, capsys, case, reason, page_reason):
    runs, choice = case()
    numbers, dataset, count = [run.pk for run in runs], runs[0].dataset, Run.objects.count()
    words = [word for name, value in choice.items() for word in (f"--{name.replace('_', '-')}", value)]

    by_command = refused(capsys, "jury", "panel", "--dataset", dataset.name, "--run", *numbers, *words)
    body = {"name": "panel", "runs": numbers} | choice
    by_api = client.post(f"/api/datasets/{dataset.pk}/juries/", body, content_type="application/json")
    page = client.post(reverse("dataset-juries", args=[dataset.pk]), {"name": "panel", "run": numbers} | choice)

    assert reason in "\n".join(by_command)
    assert (by_api.status_code, reason in by_api.content.decode()) == (400, True)
    assert page_reason in page.content.decode()
    assert Run.objects.count() == count
