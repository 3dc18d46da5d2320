"""The page that shows what goes with a row, and deletes it."""

import pytest
from django.urls import reverse

from judging.models import Dataset, Run
from tests.factories import answer_run, make_dataset, make_run, make_user
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db


def test_the_page_counts_what_goes_and_deletes_it_once_the_name_is_typed(client, researcher):
    dataset = make_dataset(owner=researcher)
    answer_run(make_run(dataset, owner=researcher))
    address = reverse("dataset-delete", args=[dataset.pk])

    offered = page(client, "dataset", dataset.pk)
    shown = page(client, "dataset-delete", dataset.pk)
    wrong = client.post(address, {"name": "summaries"}).content.decode()
    kept = Dataset.objects.count()
    deleted = client.post(address, {"name": "Summaries"}, follow=True)

    assert address in offered
    assert '<th scope="row">comparisons</th><td class="num">12</td>' in shown
    assert "is not its name — type Summaries to delete it" in wrong
    assert (kept, Dataset.objects.count(), Run.objects.count()) == (1, 0, 0)
    assert deleted.redirect_chain == [(reverse("dataset-list"), 302)]
    assert "Summaries is deleted." in deleted.content.decode()


def test_the_page_says_why_it_cannot_be_deleted_and_offers_no_button(client, researcher):
    dataset = make_dataset(owner=researcher)
    run = make_run(dataset, owner=make_user("olaf", "researcher"))

    shown = page(client, "dataset-delete", dataset.pk)

    assert f"It cannot be deleted now: run {run.pk} is being judged" in shown
    assert "other people made 1 runs of these" in shown
    assert '<th scope="row">runs</th><td class="num">1</td><td class="num">1</td>' in shown
    assert "Delete the dataset</button>" not in shown


def test_only_people_who_may_delete_are_offered_it(client, researcher):
    own, other = (make_run(make_dataset(name), owner=owner) for name, owner in (("A", researcher), ("B", None)))

    for run, is_offered in ((own, True), (other, False)):
        assert (reverse("run-delete", args=[run.pk]) in page(client, "run", run.pk)) == is_offered
    assert reverse("judge-delete", args=[own.judge.pk]) not in page(client, "judge", own.judge.pk)
