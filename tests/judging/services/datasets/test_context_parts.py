"""The split of a dataset's contexts into a development part and a test part."""

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Dataset
from judging.services.datasets.dataset_changes import split_dataset
from tests.commands import printed, printed_json, refused
from tests.rankings.agreement.panels import judged, voted_dataset

pytestmark = pytest.mark.django_db


def parts_of(dataset):
    return dict(dataset.contexts.values_list("key", "fields__part"))


def test_split_puts_each_context_into_one_part_and_keeps_it():
    dataset = voted_dataset(contexts=20)

    split_dataset(dataset, test_share=0.3, seed=7)

    stored = Dataset.objects.get(pk=dataset.pk)
    assert stored.split == {"seed": 7, "test_share": 0.3, "development": 14, "test": 6}
    assert sorted(parts_of(stored).values()) == ["development"] * 14 + ["test"] * 6
    assert stored.context_fields == ["part"]


@pytest.mark.parametrize(("options", "reason"), [({"test_share": 0.01}, "leaves a part empty")])
def test_impossible_splits_are_refused(options, reason):
    dataset = voted_dataset(contexts=4)

    with pytest.raises(Refused, match=reason):
        split_dataset(dataset, **options)

    assert parts_of(dataset) == dict.fromkeys(("c0", "c1", "c2", "c3"))


def test_second_split_is_refused():
    dataset = voted_dataset()
    split_dataset(dataset, seed=1)
    before = parts_of(dataset)

    with pytest.raises(Refused, match="split already"):
        split_dataset(dataset, seed=2)

    assert parts_of(dataset) == before


def test_own_field_of_the_same_name_stays():
    dataset = voted_dataset()
    dataset.context_fields = ["part"]
    dataset.save()

    with pytest.raises(Refused, match="of their own"):
        split_dataset(dataset)


@pytest.mark.usefixtures("forget_reports")
def test_report_has_a_row_for_each_part(capsys):
    dataset = voted_dataset(contexts=20)
    run = judged(dataset, "steady")

    made = printed_json(capsys, "split_dataset", "Panel", "--seed", "7")
    rows = printed_json(capsys, "report", "--dataset", "Panel", "--subsets-by", "part")["rows"]

    assert made == {"dataset": "Panel", "seed": 7, "test_share": 0.5, "development": 10, "test": 10}
    assert {(row["subset"], row["comparisons"]) for row in rows} == {("all", 120), ("development", 60), ("test", 60)}
    assert {row["run"] for row in rows} == {run.pk}


def test_command_says_how_many_contexts_are_in_each_part(capsys):
    voted_dataset(contexts=20)

    shown = printed(capsys, "split_dataset", "Panel", "--seed", "7", "--test-share", "0.25")

    assert shown == "Panel: 15 contexts in development and 5 contexts in test (seed 7)\n"
    assert "split already" in refused(capsys, "split_dataset", "Panel")[0]


def test_owner_splits_by_page_once(client, researcher):
    dataset = voted_dataset(contexts=20)
    Dataset.objects.update(owner=researcher)
    address = reverse("dataset-split", args=[dataset.pk])

    page = client.post(address, {"test_share": "0.5", "seed": "7"}, follow=True).content.decode()

    assert "10 contexts for development, 10 for the test (seed 7)" in page
    assert "split already" in client.post(address, {"test_share": "0.5"}, follow=True).content.decode()
