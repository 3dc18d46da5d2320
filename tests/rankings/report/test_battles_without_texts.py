"""Battles without texts: figures of votes and of recorded judgments work, and nobody is asked."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from judging.models import Campaign, Dataset, Run
from tests.commands import printed, printed_json, refused
from tests.factories import make_judge
from tests.judging.views.new_runs import choices
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db

BATTLES = """question_id,model_a,model_b,winner,judge
q1,amber,birch,model_a,u1
q2,birch,cedar,model_b,u2
q3,amber,cedar,model_a,u1
q4,cedar,amber,model_b,u3
"""
NOTHING_TO_ASK = 'dataset: "Battles" has no texts, so there is nothing to ask a judge about'
NOTHING_TO_READ = 'dataset: "Battles" has no texts, so annotators have nothing to read'


@pytest.fixture
def dataset(tmp_path, capsys, researcher):
    (tmp_path / "battles.csv").write_text(BATTLES)
    printed(capsys, "import_dataset", tmp_path / "battles.csv", "--name", "Battles", "--owner", "rita")
    make_judge()
    return Dataset.objects.get()


@pytest.fixture
def run(tmp_path, capsys, dataset):
    """A judge's verdicts on the same battles, found by the systems."""
    file = tmp_path / "judged.csv"
    file.write_text(BATTLES.replace("q2,birch,cedar,model_b", "q2,birch,cedar,model_a").replace("judge", "quality"))
    file.write_text("\n".join(line.rpartition(",")[0] + ",overall" for line in file.read_text().splitlines()))
    columns = {"context": "question_id", "system_first": "model_a", "system_second": "model_b", "choice": "winner"}
    options = [f"--map={field}={column}" for field, column in {**columns, "attribute": "overall"}.items()]
    options += ["--choice=first=model_a", "--choice=second=model_b"]
    printed_json(capsys, "import_comparisons", file, "--dataset", "Battles", "--judge", "gpt", *options)
    return Run.objects.get()


def test_figures_of_votes_have_values_and_figures_of_lengths_are_not_applicable(run, dataset):
    row = report_json(dataset)[0]

    assert (row["accuracy"]["value"], row["accuracy"]["n"]) == (0.75, 4)
    lengths = row["length_preference"]
    parts = [lengths, *(lengths[name] for name in ("human", "accuracy_longer_right", "accuracy_shorter_right"))]
    assert {one["undefined"] for one in parts} == {"not applicable: the dataset has no texts"}
    assert {one["value"] for one in lengths["accuracy_by_gap"]} == {None}


def test_effects_of_style_are_refused_in_words(capsys, run):
    assert refused(capsys, "style", run.pk) == [
        f'run: {run.pk} — dataset "Battles" has no texts, so effects of style do not apply'
    ]


def test_no_judge_is_asked_by_command_page_or_api(capsys, client, dataset, researcher):
    api = APIClient()
    api.force_authenticate(researcher)
    asked = {"dataset": "Battles", "attributes": ["overall"], "judge": "tiny"}

    by_command = refused(capsys, "judge", "--dataset", "Battles", "--judge", "tiny")
    by_page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset)).content.decode()
    by_api = api.post("/api/runs/", asked, format="json")

    assert by_command == [NOTHING_TO_ASK]
    assert NOTHING_TO_ASK.replace('"', "&quot;") in by_page
    assert (by_api.status_code, by_api.json()["problems"]) == (400, [NOTHING_TO_ASK])
    assert not Run.objects.exists()


def test_no_annotator_is_asked_by_command_page_or_api(capsys, client, dataset, researcher):
    api = APIClient()
    api.force_authenticate(researcher)
    fields = {"name": "Chats", "attributes": "overall", "votes_per_pair": 1}
    body = {"name": "R", "dataset": "Battles", "attributes": ["overall"]}

    by_command = refused(capsys, "new_campaign", "R", "--dataset", "Battles", "--attributes", "overall")
    by_page = client.post(f"{reverse('campaign-new')}?dataset={dataset.pk}", fields).content.decode()
    by_api = api.post("/api/campaigns/", body, format="json")

    assert by_command == [NOTHING_TO_READ]
    assert NOTHING_TO_READ.replace('"', "&quot;") in by_page
    assert (by_api.status_code, by_api.json()["problems"]) == (400, [NOTHING_TO_READ])
    assert not Campaign.objects.exists()


def test_pages_of_a_dataset_and_a_context_say_that_there_is_no_text(client, run, dataset):
    context = client.get(reverse("context", args=[dataset.contexts.first().pk])).content.decode()

    assert client.get(reverse("dataset", args=[dataset.pk])).status_code == 200
    assert client.get(reverse("dataset-results", args=[dataset.pk])).status_code == 200
    assert "This context has no text." in context
    assert context.count("The text is empty.") == 2


def test_a_dataset_without_texts_keeps_everything_in_our_own_format(tmp_path, capsys, dataset):
    file = tmp_path / "out.jsonl"
    printed(capsys, "export_dataset", "Battles", "--output", file)

    stored = printed_json(capsys, "import_dataset", file, "--name", "Again")

    assert (stored["contexts"], stored["candidates"], stored["votes"]) == (4, 8, 4)
