"""Starting runs of the selection `pairs` by page: the preview, the plan, and refused settings."""

import pytest
from django.urls import reverse

from judging.services.execution.chunk_execution import execute_chunk
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset
from tests.judging.views.new_runs import choices, start

pytestmark = pytest.mark.django_db

SORT = {"selection": "pairs", "seed": "5"}


def test_sort_is_previewed_with_the_most_comparisons_that_it_can_need(client, researcher):
    dataset = make_dataset(candidates=(16, 16))

    answer = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **SORT))

    assert answer.context["preview"].totals == {"comparison": 2 * 49}


def test_sort_is_started_by_page_and_shows_what_it_asked(client, researcher, handed_over):
    dataset = make_dataset(candidates=(16,))

    start(client, dataset, **SORT)
    run = dataset.runs.get()
    planned = run.planned
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())
    page = client.get(run.get_absolute_url()).content.decode()

    run.refresh_from_db()
    assert handed_over == [run.pk]
    assert (run.selection, run.seed, run.comparisons_per_context, planned) == ("pairs", 5, None, 49)
    assert run.planned == run.comparisons.count() < 49
    assert f"{run.planned} comparisons" in page
    assert "pairs" in page
