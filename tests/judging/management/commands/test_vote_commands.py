"""The commands that import and export votes."""

import csv
import json

import pyarrow.parquet
import pytest
from django.core.management import call_command

from judging.models import Dataset, Vote
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.datasets.vote_records import load_votes
from tests.campaigns import make_annotator, make_campaign, vote
from tests.commands import printed, printed_json, refused
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

HEADER = (
    "context,attribute,first,second,choice,rater,strength,confidence,comment,seconds,campaign,guidelines,excluded\n"
)
LINES = (
    'c0,coherence,a,b,first,h1,2.0,0.75,"Short,\nand ""plain"" – so",3.21875,May,v1,false\n'
    "c0,coherence,b,a,cannot-judge,h1,,,'=1+1,,,,true\n"
    "c1,coherence,a,c,both-bad,h2,,,,,,,false\n"
    "c1,coherence,c,a,tie,h2,,,,0.1,,,false\n"
)


def import_lines(capsys, tmp_path, text=HEADER + LINES, dataset="Summaries"):
    file = tmp_path / "votes.csv"
    file.write_text(text)
    return printed_json(capsys, "import_votes", file, "--dataset", dataset)


def test_import_votes_prints_the_dataset_and_its_counts(capsys, tmp_path):
    make_dataset()

    assert import_lines(capsys, tmp_path) == {"dataset": "Summaries", "votes": 4, "raters": 2}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_round_trip_of_votes_loses_nothing(capsys, tmp_path, ending):
    one, copy, other = make_dataset(), make_dataset("Copy"), make_dataset("Others")
    import_lines(capsys, tmp_path)
    import_lines(capsys, tmp_path, HEADER + "c0,coherence,b,c,tie,h9,,,,,,,\n", dataset="Others")
    Vote.objects.filter(choice="tie", attribute__dataset=one).update(occurrence=1)  # a second vote on the pair
    first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"

    call_command("export_votes", "--dataset", "Summaries", "--output", str(first))
    assert capsys.readouterr().out == f"4 votes written to {first}\n"
    printed(capsys, "import_votes", first, "--dataset", "Copy")
    call_command("export_votes", "--dataset", "Copy", "--output", str(second))

    assert [(v.key, v.vote) for v in load_votes(copy)] == [(v.key, v.vote) for v in load_votes(one)]
    assert first.read_bytes() == second.read_bytes()
    assert len(list(load_votes(other))) == 1


def test_export_votes_writes_the_file_that_was_imported(capsys, tmp_path):
    make_dataset()
    import_lines(capsys, tmp_path)
    file = tmp_path / "again.csv"

    call_command("export_votes", "--dataset", "Summaries", "--output", str(file))

    written, imported = (
        list(csv.DictReader(text.splitlines(keepends=True))) for text in (file.read_text(), HEADER + LINES)
    )
    assert [{name: row[name] for name in imported[0]} for row in written] == imported
    assert {name for row in written for name in row if row[name]} == {
        *(*imported[0], "purpose", "occurrence", "changes", "first_system", "second_system"),
    }


def test_round_trip_of_a_dataset_keeps_imported_votes(capsys, tmp_path):
    make_dataset()
    import_lines(capsys, tmp_path)
    file = tmp_path / "dataset.jsonl"

    call_command("export_dataset", "Summaries", "--output", str(file))
    call_command("import_dataset", str(file), "--name", "Copy")

    copy, original = ([one.vote for one in load_votes(dataset)] for dataset in Dataset.objects.order_by("name"))
    assert copy == original
    assert len(copy) == 4


def test_import_votes_counts_equal_votes_on_standard_error(capsys, tmp_path):
    make_dataset()
    import_lines(capsys, tmp_path)

    call_command("import_votes", str(tmp_path / "votes.csv"), "--dataset", "Summaries", "--json")

    printed = capsys.readouterr()
    assert json.loads(printed.out)["votes"] == 0
    assert "4 votes equal to an earlier vote, not stored again" in printed.err


def test_import_votes_reports_every_problem_and_stores_nothing(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "votes.csv"
    answers = ("c0,coherence,a,b,maybe", "c9,coherence,a,b,tie", "c0,coherence,a,c,tie", "c0,coherence,a,c,first")
    file.write_text(HEADER + "".join(f"{answer},h1,,,,,,,\n" for answer in answers))

    lines = refused(capsys, "import_votes", file, "--dataset", "Summaries")

    assert [line.split(" — ")[0] for line in lines] == [
        f'{file}:2: choice: "maybe"',
        f'{file}:3: context: "c9"',
        f'{file}:5: "a" against "c" again, with another answer',
    ]
    assert not Vote.objects.exists()


def test_export_votes_writes_votes_of_campaigns(capsys, tmp_path):
    ann = make_annotator("ann")
    vote(make_campaign(name="May", annotators=[ann]), ann, "tie", milliseconds=1500)
    file = tmp_path / "votes.jsonl"

    call_command("export_votes", "--dataset", "Summaries", "--output", str(file))

    row = json.loads(file.read_text())
    assert (row["choice"], row["rater"], row["seconds"], row["campaign"]) == ("tie", ann.rater_name, 1.5, "May")


def test_import_votes_reads_columns_of_any_name(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "votes.csv"
    file.write_text("item;quality;left;right;preferred;who;mood\nc0;coherence;a;b;B wins;h1;good\n")
    columns = {"context": "item", "attribute": "quality", "first": "left", "second": "right", "rater": "who"}
    mapping = [word for field, column in columns.items() for word in ("--map", f"{field}={column}")]

    call_command(
        *("import_votes", str(file), "--dataset", "Summaries", *mapping),
        *("--map", "choice=preferred", "--choice", "second=B wins"),
    )

    assert list(Vote.objects.values_list("first__key", "choice", "rater")) == [("a", "second", "h1")]
    assert "ignored columns: mood" in capsys.readouterr().err


def test_import_votes_refuses_a_mapping_that_is_not_complete(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "votes.csv"
    file.write_text("item,preferred\nc0,B\n")

    lines = refused(
        *(capsys, "import_votes", file, "--dataset", "Summaries"),
        *("--map", "context=item", "--map", "winner=preferred", "--choice", "won=B"),
    )

    assert [line.split(" — ")[0] for line in lines] == [
        'map: unknown field "winner"',
        "map: first or text_first or system_first: missing",
        "map: second or text_second or system_second: missing",
        "map: choice or choice:NAME or vote:NAME: missing",
        "map: rater or vote:NAME: missing",
        'choice: unknown meaning "won"',
    ]


def test_import_votes_uses_the_mapping_of_earlier_votes_again(capsys, tmp_path):
    make_dataset(), make_dataset("More")
    file = tmp_path / "votes.csv"
    file.write_text("item,attribute,first,second,preferred,rater\nc0,coherence,a,b,B,h1\n")
    own = [f"--map={name}={name}" for name in ("attribute", "first", "second", "rater")]
    options = ["--map=context=item", "--map=choice=preferred", "--choice=second=B"]
    printed_json(capsys, "import_votes", file, "--dataset", "Summaries", *own, *options)

    again = printed_json(capsys, "import_votes", file, "--dataset", "More", "--mapping-of", "Summaries")

    assert again == {"dataset": "More", "votes": 1, "raters": 1}
    assert refused(capsys, "import_votes", file, "--dataset", "More", "--mapping-of", "Summaries", *own) == [
        "mapping: expected the mapping of a dataset, or another one, not both"
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_export_votes_writes_the_history_with_skips_and_undos(capsys, tmp_path, ending):
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(candidates=(2,)))
    vote(make_campaign(make_dataset("Others"), name="Others"), ann)
    stored = vote(campaign, ann, "first", milliseconds=4000)
    skip_pair(stored.assignment, reason="language")
    reopen_pair(stored.assignment)
    file = tmp_path / f"history.{ending}"

    call_command("export_votes", "--dataset", "Summaries", "--history", "--output", str(file))

    table = {"csv": read_csv, "jsonl": read_lines, "parquet": read_parquet}[ending](file)
    assert capsys.readouterr().out == f"3 actions written to {file}\n"
    assert [(row["action"], row["choice"], row["skip_reason"]) for row in table] == [
        ("voted", "first", None),
        ("skipped", None, "language"),
        ("reopened", None, None),
    ]
    assert {float(row["seconds"]) for row in table} == {4.0}
    assert {row["rater"] for row in table} == {ann.rater_name}
    assert (table[0]["first"], table[0]["second"]) == (stored.first.key, stored.second.key)
    assert table[0]["shown_at"] < table[0]["happened_at"] < table[2]["happened_at"]


def read_csv(file):
    with file.open(newline="") as lines:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(lines)]


def read_lines(file):
    missing = dict.fromkeys(("choice", "skip_reason"))
    return [missing | json.loads(line) for line in file.read_text().splitlines()]


def read_parquet(file):
    return pyarrow.parquet.read_table(file).to_pylist()
