"""Starting runs of the selection `until-sure` by page and API."""

import pytest
from django.urls import reverse

from tests.factories import make_dataset, make_judge, make_run
from tests.judging.views.new_runs import choices, start

pytestmark = pytest.mark.django_db

SURE = {"selection": "until-sure", "bound": "0.1"}


def test_run_is_started_by_page_with_its_bound(client, researcher, handed_over):
    dataset = make_dataset(candidates=(6,))

    start(client, dataset, **SURE)
    run = dataset.runs.get()
    page = client.get(run.get_absolute_url()).content.decode()

    assert (run.selection, run.bound, run.comparisons_per_context, run.planned) == ("until-sure", 0.1, None, 30)
    assert "until-sure, at most 0.1 of pairs reordered" in page
    again = client.get(reverse("run-new", args=[dataset.pk]), {"like": run.pk}).content.decode()
    assert "Stop at" in again


def test_bound_of_another_selection_is_refused_by_page_and_api(client, researcher):
    dataset = make_dataset(candidates=(6,))
    make_run(dataset, judge=make_judge("other"))
    body = {"dataset": dataset.name, "attribute": "coherence", "judge": "other", "bound": 0.1}

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, bound="0.1")).content.decode()
    refused = client.post("/api/runs/", body, content_type="application/json")
    made = client.post("/api/runs/", body | {"selection": "until-sure"}, content_type="application/json")

    problem = "only selection until-sure stops at a bound; leave it out"
    assert problem in page
    assert (refused.status_code, problem in refused.content.decode()) == (400, True)
    assert (made.status_code, made.json()["bound"]) == (201, 0.1)
