"""Reports that read one order of candidates, or count what has no answer as wrong."""

import csv
import io
import json

import pytest
from django.urls import reverse

from rankings.report.report_choice import ReportChoice
from tests.commands import printed, printed_json
from tests.rankings.report.report_figures import report_json
from tests.rankings.studies import compared, make_dataset, one_context, scored

WRONG = ReportChoice(unparsed="wrong")
GIVEN = ReportChoice(order="given")
HEAD = "context,attribute,first,second,p_first,choice\n"
FORWARD = "c0,overall,a,b,0.9,\nc0,overall,a,c,0.2,\nc0,overall,b,c,,unparsed\n"
BACKWARD = "c0,overall,b,a,0.8,\nc0,overall,c,a,0.7,\nc0,overall,c,b,,error\n"

pytestmark = pytest.mark.django_db


def dataset_of_few_contexts(name="Other"):
    return make_dataset(one_context(3, 2, 1), name=name)


@pytest.fixture(scope="module")
def run(rows_of_module):
    return compared(dataset_of_few_contexts("Study"), HEAD + FORWARD + BACKWARD)


def test_given_order_is_the_report_of_a_run_that_asked_in_that_order(run):
    alone = compared(dataset_of_few_contexts(), HEAD + FORWARD)

    [row], [expected] = report_json(run.dataset, choice=GIVEN), report_json(alone.dataset)

    assert row.pop("order") == "given"
    assert row == expected | {"run": run.pk}
    assert (row["accuracy"]["value"], row["accuracy"]["n"], row["unparsed"], row["errors"]) == (0.5, 2, 1, 0)


def test_both_orders_are_read_by_default_and_the_cache_keeps_the_orders_apart(run):
    rows = [report_json(run.dataset, choice=choice)[0] for choice in (ReportChoice(), GIVEN, ReportChoice())]

    assert [("order" in row, row["comparisons"]) for row in rows] == [(False, 4), (True, 2), (False, 4)]


@pytest.mark.parametrize(("choice", "name", "value"), [(GIVEN, "order", "given"), (WRONG, "unparsed", "wrong")])
def test_command_api_and_download_read_the_choice(run, client, researcher, capsys, choice, name, value):
    expected = {"rows": report_json(run.dataset, choice=choice)}

    document = printed_json(capsys, "report", "--dataset", "Study", f"--{name}", value)
    file = client.get(reverse("dataset-report", args=[run.dataset_id, "json"]), {name: value})

    assert document == json.loads(file.getvalue()) == expected
    for address in (f"/api/runs/{run.pk}/report/", f"/api/datasets/{run.dataset_id}/report/"):
        assert client.get(address, {name: value}).json() == expected
        assert client.get(address, {name: "reverse"}).status_code == 400


@pytest.mark.parametrize("option", [["--csv"], ["--csv", "--column", "all"], ["--long", "--csv"]])
def test_every_csv_file_names_the_given_order(run, capsys, option):
    lines = list(
        csv.DictReader(io.StringIO(printed(capsys, "report", "--dataset", "Study", "--order", "given", *option)))
    )

    assert {line["order"] for line in lines} == {"given"}


@pytest.mark.parametrize("page", ["run-results", "dataset-results"])
def test_page_says_which_order_it_reads_and_that_unparsed_answers_are_wrong(run, client, researcher, page):
    address = reverse(page, args=[run.pk if page == "run-results" else run.dataset_id])
    note = "Only comparisons in the dataset’s order of candidates are read."

    wrong = client.get(address, {"unparsed": "wrong"}).content.decode()

    assert note in client.get(address, {"order": "given"}).content.decode()
    assert note not in client.get(address).content.decode()
    assert "Unparsed answers and errors count as wrong in every accuracy." in wrong
    assert "are excluded" not in wrong


def test_accuracies_count_unparsed_answers_and_errors_as_wrong(run):
    [row] = report_json(run.dataset, choice=WRONG)

    # a over b: right, then wrong. a over c: wrong twice. b over c: unparsed, then an error.
    assert row["unparsed_as"] == "wrong"
    assert (row["accuracy"]["value"], row["accuracy"]["n"]) == (pytest.approx(1 / 6), 6)
    assert (row["accuracy_both_orders"]["value"], row["accuracy_both_orders"]["n"]) == (0, 3)
    assert (row["accuracy_averaged"]["value"], row["accuracy_averaged"]["n"]) == (pytest.approx(1 / 3), 3)
    assert row["accuracy_debiased"]["n"] == 6
    by_length = row["length_preference"]["accuracy_by_gap"]
    assert sum(gap["n"] for gap in by_length) == 6


def test_one_missing_order_makes_the_mean_of_both_orders_wrong():
    dataset = dataset_of_few_contexts()
    compared(dataset, HEAD + "c0,overall,a,b,0.9,\nc0,overall,b,a,,error\nc0,overall,a,c,0.9,\nc0,overall,c,a,0.1,\n")

    [row] = report_json(dataset, choice=WRONG)

    assert (row["accuracy_averaged"]["value"], row["accuracy_averaged"]["n"]) == (0.5, 2)


def test_nothing_but_accuracies_changes_where_unparsed_answers_are_wrong(run):
    [usual], [row] = report_json(run.dataset), report_json(run.dataset, choice=WRONG)

    changed = {name for name in row if row[name] != usual.get(name)}

    accuracies = {"accuracy", "accuracy_averaged", "accuracy_both_orders", "accuracy_debiased"}
    assert changed == accuracies | {
        "for_comparison",
        "length_preference",
        "unparsed_as",
        "over_candidates",
        "decided_by_scores",
        "trust",
        "kappa",
    }
    inside = {name for name in row["over_candidates"] if row["over_candidates"][name] != usual["over_candidates"][name]}
    assert inside == {"accuracy", "accuracy_debiased"}
    assert row["length_preference"]["value"] == usual["length_preference"]["value"]


def test_run_without_a_gap_in_its_answers_has_the_same_report_either_way():
    run = compared(dataset_of_few_contexts(), HEAD + "c0,overall,a,b,0.9,\nc0,overall,b,a,0.8,\n")

    [usual], [row] = report_json(run.dataset), report_json(run.dataset, choice=WRONG)

    assert row == usual | {"unparsed_as": "wrong"}


def test_pairs_of_a_text_without_a_score_are_wrong():
    dataset = dataset_of_few_contexts()
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,7\nc0,overall,b,5\nc0,overall,c,\n")

    [usual], [row] = report_json(dataset), report_json(dataset, choice=WRONG)

    assert (usual["accuracy"]["value"], usual["accuracy"]["n"]) == (1, 1)
    assert (row["accuracy"]["value"], row["accuracy"]["n"]) == (pytest.approx(1 / 3), 3)


def test_votes_on_an_unparsed_answer_do_not_match():
    votes = [
        {"attribute": "overall", "first": "a", "second": "b", "choice": choice, "rater": f"h{number}"}
        for number, choice in enumerate(("first", "first", "tie"))
    ]
    dataset = make_dataset(one_context(None, None, votes=votes), name="Voted")
    compared(dataset, HEAD + "c0,overall,a,b,0.9,\nc0,overall,b,a,,unparsed\n")

    [row] = report_json(dataset, choice=WRONG)

    assert (row["accuracy_per_vote"]["value"], row["accuracy_per_vote"]["n"]) == (pytest.approx(2 / 6), 6)
    assert (row["accuracy_per_vote_decided"]["value"], row["accuracy_per_vote_decided"]["n"]) == (0.5, 4)


def test_every_export_says_that_unparsed_answers_are_wrong(run, client, researcher):
    for ending in ("tex", "md", "html", "csv"):
        address = reverse("dataset-report", args=[run.dataset_id, ending])
        content = client.get(address, {"unparsed": "wrong"}).getvalue().decode()
        assert "wrong" in content
    for ending in ("csv", "jsonl"):
        address = reverse("dataset-report-long", args=[run.dataset_id, ending])
        assert "unparsed_as" in b"".join(client.get(address, {"unparsed": "wrong"}).streaming_content).decode()
