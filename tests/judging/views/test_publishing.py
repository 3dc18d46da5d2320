"""The page that writes a package to publish."""

import io
import json
from zipfile import ZipFile

import pytest
from django.urls import reverse

from tests.factories import answer_run, make_dataset, make_run, make_user
from tests.published_packages import make_study

pytestmark = pytest.mark.django_db


def package_of(client, dataset, query=""):
    """Return name -> text of the files in the downloaded package."""
    answer = client.get(f"{reverse('dataset-publish', args=[dataset.pk])}?download=zip{query}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/zip")
    archive = ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def test_results_page_has_a_button_to_the_page(client, researcher):
    run = answer_run(make_run(owner=researcher))

    page = client.get(reverse("dataset-results", args=[run.dataset_id])).content.decode()

    assert f'href="{reverse("dataset-publish", args=[run.dataset_id])}">Publish data</a>' in page


def test_package_holds_the_chosen_runs_and_the_creators(client, researcher):
    dataset = make_study()
    chosen = dataset.runs.first()

    files = package_of(client, dataset, f"&run={chosen.pk}&creators=Ada Lovelace; Alan Turing&url=https://example.org")

    assert [name for name in files if "judgments" in name] == [f"Study/judgments/run-{chosen.pk}.jsonl"]
    metadata = json.loads(files["Study/croissant.json"])
    assert [one["name"] for one in metadata["creator"]] == ["Ada Lovelace", "Alan Turing"]


def test_package_without_a_chosen_run_holds_no_judgments(client, researcher):
    files = package_of(client, make_study())

    assert [name for name in files if "judgments" in name] == []
    assert "The package holds no judgments." in files["Study/README.md"]


def test_page_offers_only_runs_that_this_person_may_see(client, researcher):
    dataset = make_dataset()
    own = answer_run(make_run(dataset, owner=researcher))
    answer_run(make_run(dataset, prompt="comparative-2", owner=make_user("rob", "researcher")))

    page = client.get(reverse("dataset-publish", args=[dataset.pk]))

    assert list(page.context["form"].fields["run"].queryset) == [own]


@pytest.mark.parametrize(("licence", "warns"), [("", True), ("CC-BY-4.0", False)])
def test_page_warns_of_a_missing_licence(client, researcher, licence, warns):
    dataset = make_study(licence=licence)

    page = client.get(reverse("dataset-publish", args=[dataset.pk])).content.decode()

    assert ("This dataset states no licence." in page) is warns


def test_wrong_input_is_shown_at_its_field(client, researcher):
    dataset = make_study()

    page = client.get(f"{reverse('dataset-publish', args=[dataset.pk])}?download=zip&run=99&url=no address")

    assert page.status_code == 400
    assert set(page.context["form"].errors) == {"run", "url"}
