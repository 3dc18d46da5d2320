"""The data card of a package."""

import json

import pytest
from django.utils import timezone

from judging.models import Exclusion, Vote
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from tests.campaigns import make_annotator, make_ready_campaign, rate
from tests.factories import answer_run, make_run
from tests.published_packages import make_study, published

pytestmark = pytest.mark.django_db


def card_of(tmp_path):
    return (published(tmp_path / "package", "--creator", "Ada Lovelace") / "README.md").read_text()


def test_card_describes_data_people_and_judges(tmp_path):
    dataset = make_study()

    card = card_of(tmp_path)

    assert card.startswith("# Study\n\nTwo articles | three summaries.\n\n## Licence\n\nCC-BY-4.0\n")
    assert "by Ada Lovelace, written by Evenhand" in card
    assert "- Contexts: 2\n- Candidates: 6, by 6 known systems\n- Votes: 7\n- Subset scored: 1 context\n" in card
    assert "| overall | good |  | 1.0 to 5.0 | 2 | 2 | 7 | 6 |" in card
    assert "5 votes were collected elsewhere, and imported with the texts or later." in card
    assert "2 votes on overall were collected in Evenhand" in card
    run = dataset.runs.get(judge__name="recorded elsewhere")
    assert (
        f"| {run.pk} | recorded elsewhere |  |  | comparative | recorded | overall | recorded | 0 | 7 | 1 | 1 |" in card
    )
    assert "All figures are the same." in card


def test_card_tells_of_ratings_given_here_and_of_votes_that_came_with_their_times(tmp_path):
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_study(), kind="ratings", votes_per_pair=1, guidelines="Be fair.")
    rate(campaign, ann, 4)
    Vote.objects.filter(assignment=None).update(voted_at=timezone.now())

    card = card_of(tmp_path)

    assert "1 rating on overall was collected in Evenhand" in card
    assert "1 annotator took part, 1 for each text.\n" in card
    assert "> Be fair." in card
    assert "5 votes were collected elsewhere, and imported with the texts or later." in card


def test_card_names_runs_whose_settings_an_import_loses(tmp_path):
    dataset = make_study()
    run = answer_run(make_run(dataset, generation=GenerationSettings(samples=3, temperature=1.0)))

    card = card_of(tmp_path)

    assert f"All figures are the same, except:\n\n- Run {run.pk} sampled texts or wrote criteria." in card


def test_package_keeps_what_a_run_leaves_out(tmp_path):
    dataset = make_study()
    system = dataset.contexts.first().candidates.first().system
    left_out = SelectionSettings(exclusion=Exclusion(systems=(system,)))
    run = answer_run(make_run(dataset, selection=left_out))

    folder = published(tmp_path / "package", "--creator", "Ada Lovelace")

    assert "All figures are the same." in (folder / "README.md").read_text()
    assert f"--without-system={system}" in (folder / "recompute.sh").read_text()
    published_run = next(one for one in json.loads((folder / "runs.json").read_text()) if one["run"] == run.pk)
    assert published_run["spec"]["without"] == {"systems": [system], "contexts": []}
