"""Starting runs of the selection `until-sure` by page and API."""

import pytest
from django.urls import reverse

from tests.factories import make_dataset
from tests.judging.views.new_runs import start

pytestmark = pytest.mark.django_db

SURE = {"selection": "until-sure", "bound": "0.1"}


def test_run_is_started_by_page_with_its_bound(client, researcher, handed_over):
    dataset = make_dataset(candidates=(6,))

    start(client, dataset, **SURE)
    run = dataset.runs.get()
    page = client.get(run.get_absolute_url()).content.decode()

    assert (run.selection, run.bound, run.comparisons_per_context, run.planned) == ("until-sure", 0.1, None, 30)
    assert "until-sure, at most 0.1 of pairs reordered" in page
    assert "Stop at" in client.get(reverse("run-new", args=[dataset.pk]), {"like": run.pk}).content.decode()
