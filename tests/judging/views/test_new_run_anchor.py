"""Starting runs that compare every text with one system, by page."""

import pytest
from django.urls import reverse

from tests.factories import make_dataset
from tests.judging.views.new_runs import choices, start

pytestmark = pytest.mark.django_db

ANCHORED = {"selection": "anchor", "anchor": "system-b"}


def test_run_is_started_by_page_with_its_anchor(client, researcher, handed_over):
    dataset = make_dataset(candidates=(6,))

    start(client, dataset, **ANCHORED)
    run = dataset.runs.get()
    page = client.get(run.get_absolute_url()).content.decode()

    assert (run.selection, run.anchor, run.planned) == ("anchor", "system-b", 10)
    assert "anchor:system-b" in page
    again = client.get(reverse("run-new", args=[dataset.pk]), {"like": run.pk}).content.decode()
    assert '<option value="system-b" selected>' in again


def test_preview_counts_the_contexts_without_the_anchor(client, researcher):
    dataset = make_dataset(candidates=(6, 1, 2))
    dataset.contexts.get(key="c2").candidates.filter(key="b").update(system="other")

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **ANCHORED)).content.decode()

    assert "1 context without a text of the anchor and another is not compared" in " ".join(page.split())
