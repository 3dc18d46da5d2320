"""Campaigns of ratings by command: a new one, and the file of all ratings."""

import csv

import pytest

from judging.models import HumanScore
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.ratings import change_rating
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.exports.exported_ratings import RATING_COLUMNS
from tests.campaigns import make_annotator, make_ready_campaign, rate
from tests.commands import printed
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db


def test_command_says_how_many_texts_there_are(capsys):
    make_dataset(candidates=(2,))

    said = printed(
        capsys, "new_campaign", "R", "--dataset", "Summaries", "--kind", "ratings", "--attributes", "coherence"
    )

    assert said == "R on coherence: 2 texts, 6 ratings; open\n"


@pytest.fixture
def rated():
    """A rating that was changed and excluded, a skipped text, and an imported rating."""
    ann = make_annotator("ann")
    dataset = make_dataset(candidates=(2,))
    campaign = make_ready_campaign(ann, dataset=dataset, kind="ratings", guidelines="Read all.", name="Ratings")
    stored = rate(campaign, ann, 4, milliseconds=2000)
    change_rating(stored.assignment, rating=5, shown=stored.assignment.first_name)
    skip_pair(next_pair(campaign, annotator=ann), reason="language")
    exclude_rater(dataset, rater=ann.rater_name, reason="guessed")
    other = dataset.contexts.get().candidates.exclude(pk=stored.candidate_id).get()
    HumanScore.objects.create(candidate=other, attribute=dataset.attributes.get(), rater="h1", value=3.5)
    return campaign


def exported(capsys, folder, *options):
    file = folder / "ratings.csv"
    printed(capsys, "export_ratings", "--dataset", "Summaries", "--output", file, *options)
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def test_export_has_every_rating_with_its_scale_time_and_exclusion(capsys, tmp_path, rated):
    rows = exported(capsys, tmp_path)

    given, imported = rows
    assert tuple(given) == RATING_COLUMNS
    assert (given["score"], given["lowest"], given["highest"], given["seconds"]) == ("5.0", "1", "5", "2.0")
    assert (given["excluded"], given["exclude_reason"], given["campaign"]) == ("true", "guessed", "Ratings")
    assert given["guidelines"]
    assert (imported["rater"], imported["score"], imported["lowest"], imported["excluded"]) == (
        "h1",
        "3.5",
        "",
        "false",
    )


def test_skipped_texts_are_rows_on_request(capsys, tmp_path, rated):
    rows = exported(capsys, tmp_path, "--skips")

    assert [(row["score"], row["skip_reason"]) for row in rows] == [("5.0", ""), ("3.5", ""), ("", "language")]


def test_exported_ratings_come_in_again(capsys, tmp_path, rated):
    exported(capsys, tmp_path)
    HumanScore.objects.all().delete()
    columns = ("context", "candidate", "attribute", "rater", "score")
    maps = [option for column in columns for option in ("--map", f"{column}={column}")]

    printed(capsys, "import_ratings", tmp_path / "ratings.csv", "--dataset", "Summaries", *maps)

    assert sorted(HumanScore.objects.values_list("value", flat=True)) == [3.5, 5]


def test_page_downloads_the_ratings_of_the_campaign(client, capsys, rated):
    client.force_login(make_user("ada", "admin"))

    response = client.get(f"/campaigns/{rated.pk}/download/")

    rows = list(csv.DictReader(b"".join(response.streaming_content).decode().splitlines()))
    assert [(row["score"], row["skip_reason"]) for row in rows] == [("5.0", ""), ("", "language")]
