"""Pages of datasets and contexts."""

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from evenhand.formats import SourceFile, read_dataset
from judging.models import HumanScore, Vote
from judging.services.datasets.stored_dataset import dataset_record
from tests.factories import make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def read(client, researcher):
    """The text of a page, as a researcher gets it."""
    return lambda name, *args, **query: client.get(reverse(name, args=args), query).content.decode()


def test_dataset_page_counts_human_judgments(read):
    dataset = make_dataset(candidates=(2,))
    attribute, context = dataset.attributes.get(), dataset.contexts.get()
    first, second = context.candidates.all()
    HumanScore.objects.create(candidate=first, attribute=attribute, value=4)
    for rater in ("h1", "h2"):
        Vote.objects.create(
            context=context, attribute=attribute, first=first, second=second, choice="first", rater=rater
        )

    facts = read("dataset", dataset.pk).split("Human judgments")[1].split("</table>")[0]

    assert [cell.split("<")[0] for cell in facts.split('<td class="num">')[1:]] == ["1", "2", "2"]


def test_dataset_search_finds_contexts_by_text_or_says_that_there_is_none(read):
    dataset = make_dataset(candidates=(2, 2))
    dataset.contexts.filter(key="c0").update(text="Bees are insects.")

    page = read("dataset", dataset.pk, search="insects")

    assert "Bees are insects." in page
    assert "Article 1." not in page
    assert "No context has “wasps”" in read("dataset", dataset.pk, search="wasps")
    for asked in ({"search": "a\0"}, {"subset": "\0"}):
        assert "Article 1." not in read("dataset", dataset.pk, **asked)


def test_dataset_shows_the_contexts_of_a_subset(client, researcher):
    dataset = make_dataset(candidates=(2, 2))
    dataset.contexts.filter(key="c1").update(subset="news")

    shown = client.get(reverse("dataset", args=[dataset.pk]), {"subset": "news"}).context

    assert [context.key for context in shown["page_obj"]] == ["c1"]


def test_dataset_shows_its_own_runs(client, researcher):
    run, _ = make_run(), make_run(make_dataset("Others"))

    assert list(client.get(reverse("dataset", args=[run.dataset_id])).context["runs"]) == [run]


def test_dataset_says_how_many_runs_it_has_beyond_the_latest(client, researcher):
    dataset = make_dataset(candidates=(2,))
    runs = [make_run(dataset, owner=researcher) for _ in range(11)]
    make_run(make_dataset("Others"), owner=researcher)

    page = client.get(reverse("dataset", args=[dataset.pk]))

    assert list(page.context["runs"]) == runs[:0:-1]
    assert f'<a href="{reverse("run-list")}?dataset={dataset.pk}">All 11 runs</a>' in page.content.decode()


def test_dataset_counts_its_parts_in_one_sentence(read):
    dataset = make_dataset(candidates=(2, 3), attributes=("coherence", "fluency"))
    make_dataset("Others", candidates=(4,))
    HumanScore.objects.all().delete()
    first, second = dataset.contexts.get(key="c0").candidates.all()
    for attribute in dataset.attributes.all():
        HumanScore.objects.create(candidate=first, attribute=attribute, value=4)
        HumanScore.objects.create(candidate=second, attribute=attribute, rater="h1", value=4)
        HumanScore.objects.create(candidate=second, attribute=attribute, rater="h2", value=2)

    sentence = strip_tags(read("dataset", dataset.pk).split('class="lede">')[1].split("</p>")[0])

    assert sentence == "5 candidates (summary) of 2 contexts, with 4 human scores on 2 attributes. No runs yet."


def test_dataset_shows_one_page_of_contexts(read):
    dataset = make_dataset(candidates=(1,) * 30)

    assert "1–25 of 30" in read("dataset", dataset.pk)
    assert "26–30 of 30" in read("dataset", dataset.pk, page="2")


def test_download_is_the_dataset(client, researcher):
    dataset = make_dataset()

    answer = client.get(reverse("dataset-download", args=[dataset.pk]))

    downloaded = read_dataset([SourceFile("download.jsonl", answer.getvalue())])
    assert downloaded.contexts == dataset_record(dataset).contexts
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Summaries.jsonl"'


@pytest.mark.parametrize("n", [1, 20])
def test_dataset_needs_the_same_queries_for_any_number_of_rows(client, researcher, django_assert_num_queries, n):
    dataset = make_dataset(candidates=(2,) * n, attributes=tuple(f"attribute-{number}" for number in range(n)))
    for attribute in dataset.attributes.all():
        make_run(dataset, attribute=attribute.name, owner=researcher)

    with django_assert_num_queries(11):
        client.get(reverse("dataset", args=[dataset.pk]))


def test_its_owner_shares_a_dataset_with_people(client, researcher):
    olaf, _ = make_user("olaf", "researcher"), make_user("olga", "researcher")
    dataset = make_dataset(owner=researcher)

    client.post(reverse("dataset-sharing", args=[dataset.pk]), {"visibility": "shared", "shared_with": ["olaf"]})

    dataset.refresh_from_db()
    assert (dataset.visibility, list(dataset.shared_with.all())) == ("shared", [olaf])
    assert "rita, olaf, and admins" in client.get(dataset.get_absolute_url()).content.decode()


def test_an_open_dataset_is_shared_and_deleted_by_nobody_but_its_owner(client, researcher):
    dataset = make_dataset(owner=make_user("olaf", "researcher"))

    page = client.get(dataset.get_absolute_url()).content.decode()

    for name in ("dataset-sharing", "dataset-delete"):
        assert reverse(name, args=[dataset.pk]) not in page
    assert client.get(reverse("dataset-sharing", args=[dataset.pk])).status_code == 404
