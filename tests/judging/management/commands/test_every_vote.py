"""The table of all votes: people, judges and skipped pairs with the same columns, by command, page and API."""

import csv
import io
import json
from itertools import product

import pyarrow.parquet
import pytest
from django.core.management import call_command
from django.urls import reverse

from evenhand.formats import RecordedVote, VoteRecord
from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Candidate, Comparison, HumanScore, TrainingAnswer, Vote
from judging.services.campaign_pairs.training import answer_training_pair, next_training_pair, set_training_pairs
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.campaigns.vote_exclusions import exclude_later_votes, exclude_rater
from judging.services.campaigns.votes import change_vote
from judging.services.datasets.recorded.recorded_votes import import_votes
from judging.services.datasets.vote_records import load_votes
from judging.services.exports.exported_votes import EVERY_VOTE_COLUMNS
from tests.campaigns import make_annotator, make_ready_campaign, shown_in, vote
from tests.commands import printed, refused
from tests.factories import answer_run, make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(ann):
    """One changed and excluded vote, one skipped pair, and a run on two contexts of two candidates."""
    rita = make_user("rita", "researcher")
    dataset = make_dataset(candidates=(2, 2), owner=rita)
    campaign = make_ready_campaign(ann, dataset=dataset, guidelines="Read both.", created_by=rita)
    cast = vote(campaign, ann, "first", milliseconds=1500)
    change_vote(cast.assignment, choice="tie", shown=shown_in(cast.assignment))
    skip_pair(next_pair(campaign, annotator=ann), reason="language")
    exclude_rater(dataset, rater=ann.rater_name, reason="guessed")
    answer_run(make_run(dataset, owner=rita), p_first=0.7)
    return campaign


def train(dataset, annotator):
    """Answer the training pair of another campaign, "Trained", by the first text, and return the pair as shown."""
    campaign = make_ready_campaign(make_annotator("ben"), dataset=dataset, name="Trained")
    set_training_pairs(campaign, [KnownPair("c0", "b", "a", "first")])
    shown = next_training_pair(campaign, annotator)
    answer_training_pair(shown.pair, annotator, choice="first")
    return shown


@pytest.fixture
def printed_rows(capsys, tmp_path):
    """Return the rows of the file that an export of the dataset writes."""

    def export(command, *options):
        *options, ending = options
        file = tmp_path / f"exported.{ending}"
        printed(capsys, command, "--dataset", "Summaries", *options, "--output", file)
        return rows_of(file)

    return export


def rows_of(file):
    if file.suffix == ".parquet":
        return pyarrow.parquet.read_table(file).to_pylist()
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    return [
        {name: value or None for name, value in row.items()} for row in csv.DictReader(io.StringIO(file.read_text()))
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_judges_and_skips_are_rows_with_the_columns_of_votes(campaign, ann, capsys, tmp_path, ending):
    file = tmp_path / f"votes.{ending}"

    said = printed(capsys, "export_votes", "--dataset", "Summaries", "--judges", "--skips", "--output", file)

    cast, skipped, *judged = rows_of(file)
    assert said == f"6 rows written to {file}\n"
    assert tuple(cast) == EVERY_VOTE_COLUMNS
    assert (cast["choice"], cast["rater_type"], cast["excluded"], cast["exclude_reason"], float(cast["changes"])) == (
        *("tie", "person", "true" if ending == "csv" else True, "guessed"),
        1,
    )
    assert (skipped["choice"], skipped["skip_reason"], skipped["rater"]) == ("skipped", "language", ann.rater_name)
    assert cast["guidelines"] == skipped["guidelines"]
    assert {(row["choice"], row["rater_type"], row["rater"], float(row["p_first"])) for row in judged} == {
        ("first", "judge", "tiny", 0.7)
    }


def test_excluded_is_true_or_false_as_such_in_every_file_but_csv(campaign, ann, printed_rows):
    files = {"csv": {"true", "false"}, "jsonl": {True, False}, "parquet": {True, False}}
    exports = [("export_votes",), ("export_votes", "--skips", "--judges"), ("export_votes", "--history")]
    dataset = campaign.dataset
    HumanScore.objects.bulk_create(
        HumanScore(candidate=Candidate.objects.first(), attribute=dataset.attributes.get(), rater=rater, value=3)
        for rater in (ann.rater_name, "h1")
    )
    exclude_later_votes(dataset)
    import_votes([RecordedVote("", 2, "c0", VoteRecord("coherence", "a", "b", "first", "h1"))], dataset=dataset)
    other = make_ready_campaign(make_annotator("ben"), dataset=dataset, name="Second")
    vote(other, other.annotators.get())

    for (ending, flags), options in product(files.items(), [*exports, ("export_ratings",)]):
        rows = printed_rows(*options, ending)
        assert {row["excluded"] for row in rows} == flags, (ending, options)
        values = {value for row in rows for value in row.values()}
        assert not {"true", "false", "None", ""} & values - flags, (ending, options)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_training_answers_are_rows_on_request_with_the_known_answer(campaign, ann, capsys, tmp_path, ending):
    shown = train(campaign.dataset, ann)
    file = tmp_path / f"votes.{ending}"

    printed(capsys, "export_votes", "--dataset", "Summaries", "--checks", "--output", file)

    cast, trained = rows_of(file)
    assert (cast["purpose"], trained["purpose"], trained["campaign"]) == ("ordinary", "training", "Trained")
    assert (trained["first"], trained["second"]) == (shown.first.key, shown.second.key)
    assert (trained["choice"], trained["gold_answer"]) == ("first", "first" if shown.first.key == "b" else "second")
    assert trained["voted_at"] == TrainingAnswer.objects.get().answered_at.isoformat()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_round_trip_keeps_the_votes_of_people_and_says_what_is_no_vote(campaign, ann, capsys, tmp_path, ending):
    Vote.objects.update(strength=2, confidence=3, comment="Close.")
    train(campaign.dataset, ann)
    copy, file = make_dataset("Copy", candidates=(2, 2)), tmp_path / f"votes.{ending}"
    printed(capsys, "export_votes", "--dataset", "Summaries", "--judges", "--skips", "--checks", "--output", file)

    call_command("import_votes", str(file), "--dataset", "Copy")

    [stored] = load_votes(copy)
    assert [stored] == list(load_votes(campaign.dataset))
    assert (stored.vote.excluded, stored.vote.exclude_reason) == (True, "guessed")
    notes = capsys.readouterr().err
    assert "not used, answers of judges; import_comparisons stores such answers: 4 (" in notes
    assert "not used, skipped pairs: 1 (" in notes
    assert "not used, training answers: 1 (" in notes


def test_an_answer_that_nobody_could_read_is_no_decision(campaign, capsys, tmp_path):
    Comparison.objects.filter(first__key="a").update(outcome="unparsed", p_first=None, text="Both.")
    file = tmp_path / "votes.jsonl"

    printed(capsys, "export_votes", "--dataset", "Summaries", "--judges", "--output", file)

    judged = [row for row in rows_of(file) if row["rater_type"] == "judge"]
    assert [(row["choice"], row["p_first"]) for row in judged if row["first"] == "a"] == [("unparsed", None)] * 2
    assert "skipped" not in {row["choice"] for row in rows_of(file)}


def test_without_a_switch_the_file_has_votes_of_people_alone(campaign, capsys, tmp_path):
    file = tmp_path / "votes.jsonl"

    printed(capsys, "export_votes", "--dataset", "Summaries", "--output", file)

    [row] = rows_of(file)
    assert "rater_type" not in row
    assert (
        "leave out --judges"
        in refused(capsys, "export_votes", "--dataset", "Summaries", "--history", "--judges", "--output", file)[0]
    )


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_page_and_api_give_the_file_of_the_command(campaign, ann, client, capsys, tmp_path, ending):
    file = tmp_path / f"votes.{ending}"
    train(campaign.dataset, ann)
    rows = ("judges", "skips", "checks")
    printed(capsys, "export_votes", "--dataset", "Summaries", *(f"--{one}" for one in rows), "--output", file)
    client.force_login(campaign.created_by)

    page = client.get(reverse("dataset-votes-download", args=[campaign.dataset_id, ending]), dict.fromkeys(rows, 1))
    api = client.get(
        reverse("api-dataset-votes", args=[campaign.dataset_id]), {"ending": ending} | dict.fromkeys(rows, 1)
    )

    assert page.getvalue() == file.read_bytes()
    assert api.getvalue() == file.read_bytes()


def test_votes_are_no_file_for_annotators_and_other_endings(campaign, client, ann):
    address = reverse("api-dataset-votes", args=[campaign.dataset_id])
    client.force_login(ann)
    assert client.get(address).status_code in (403, 404)

    client.force_login(campaign.created_by)
    assert client.get(reverse("dataset-votes-download", args=[campaign.dataset_id, "pdf"])).status_code == 404
    assert client.get(address, {"ending": "pdf"}).status_code == 400
