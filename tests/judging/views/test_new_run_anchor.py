"""Starting runs that compare every text with one system, by page, study and API."""

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.forms.studies import selection_texts
from judging.services.studies.study_plan import parse_selection, selection_text
from tests.factories import make_dataset, make_run
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


def test_a_study_has_one_selection_for_each_anchor():
    assert selection_texts(["full", "symmetric", "anchor"], [4], ["M1", "M2: new"]) == [
        *("full", "symmetric:4", "anchor:M1", "anchor:M2: new")
    ]
    assert selection_texts(["anchor"], [], []) == ["anchor"]
    assert parse_selection("anchor:M2: new").anchor == "M2: new"
    assert selection_text(make_run(make_dataset(), selection=parse_selection("anchor:system-b"))) == "anchor:system-b"
    with pytest.raises(Refused, match="anchor: missing"):
        parse_selection("anchor")
