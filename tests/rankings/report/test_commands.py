"""The commands report, scores and curve."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from openpyxl import load_workbook

from rankings.curves.curve_records import CurveChoice
from rankings.report.long_lines import every_figure_csv
from rankings.report.report_rows import report_rows
from tests.commands import printed, refused
from tests.rankings.report.report_figures import curve_json, report_json
from tests.rankings.studies import compared, make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def run(rows_of_module):
    return compared(make_dataset())


def test_report_prints_the_rows_as_one_json_document(run, capsys):
    assert json.loads(printed(capsys, "report", "--dataset", "Study", "--json")) == {"rows": report_json(run.dataset)}


def test_report_prints_the_runs_asked_for(run, capsys):
    other = compared(run.dataset, judge="other")

    rows = json.loads(printed(capsys, "report", "--dataset", "Study", "--run", other.pk, "--json"))["rows"]

    assert {row["judge"] for row in rows} == {"other"}


def test_report_prints_csv(run, capsys):
    lines = list(csv.DictReader(io.StringIO(printed(capsys, "report", "--dataset", "Study", "--csv"))))

    assert [(line["judge"], line["subset"]) for line in lines] == [
        *((name, subset) for subset in ("all", "scored") for name in ("judge", "Always first", "Longer text")),
        *((name, "voted") for name in ("judge", "People", "Always first", "Longer text")),
    ]


def test_report_prints_a_table_for_papers(run, capsys):
    style = ("--digits", 0, "--interval", "none", "--caption", "Mine", "--label", "tab:mine")
    columns = ("--column", "judge", "--column", "accuracy", "--subset", "all")

    lines = printed(capsys, "report", "--dataset", "Study", "--latex", *style, *columns).splitlines()

    assert lines[4:6] == ["\\caption{Mine}", "\\label{tab:mine}"]
    assert lines[8:15] == [
        "Judge & Accuracy (\\%) \\\\",
        "\\midrule",
        "judge & 79 \\\\",
        "\\addlinespace",
        "\\multicolumn{2}{l}{\\emph{For comparison}} \\\\",
        "Always first & 43 \\\\",
        "Longer text & 50 \\\\",
    ]


def test_report_prints_markup_and_csv_of_all_figures(run, capsys):
    def report(*options):
        return printed(capsys, "report", "--dataset", "Study", *options)

    assert report("--markdown").startswith("Agreement of judges")
    assert report("--html").startswith("<table>\n<caption>Ag")
    assert report("--csv", "--column", "all") == every_figure_csv(report_rows(run.dataset))


def test_report_writes_a_file_by_its_ending(run, capsys, tmp_path):
    printed(capsys, "report", "--dataset", "Study", "--output", tmp_path / "table.xlsx", "--column", "run")

    sheet = load_workbook(tmp_path / "table.xlsx")["Table"]
    assert [row[0] for row in sheet.iter_rows(values_only=True)] == ["run", run.pk, run.pk, run.pk]


def test_report_refuses_an_unknown_ending_and_column(run, capsys, tmp_path):
    [ending] = refused(capsys, "report", "--dataset", "Study", "--output", tmp_path / "table.doc")
    [column] = refused(capsys, "report", "--dataset", "Study", "--column", "precision")

    assert ending == "output: the name must end in one of: .tex, .md, .html, .csv, .xlsx"
    assert column.startswith('column: "precision" is unknown; choose one of: run, judge, method, ')


def test_report_refuses_digits_and_labels_that_no_table_has(run, capsys):
    digits = refused(capsys, "report", "--dataset", "Study", "--latex", "--digits", -1)
    label = refused(capsys, "report", "--dataset", "Study", "--latex", "--label", "tab}")

    assert digits == ["digits: -1 — give a whole number from 0 to 6"]
    assert label == ['label: "tab}" has other characters than letters, digits and _ : . -']


def test_report_lists_the_runs_of_one_attribute(run, capsys):
    table = printed(capsys, "report", "--dataset", "Study", "--attribute", "overall", "--csv", "--column", "run")

    assert table.splitlines() == ["run,undefined", *[f"{run.pk},"] * 3]


def test_report_prints_a_table_for_people(run, capsys):
    table, notes = printed(capsys, "report", "--dataset", "Study").split("\n\n")
    title, *rows = table.splitlines()

    assert title.split()[:6] == ["Run", "Judge", "Method", "Prompt", "Attribute", "Subset"]
    headings = ["all", "For comparison · all", "scored", "For comparison · scored", "voted", "For comparison · voted"]
    assert [row for row in rows if row in headings] == headings
    assert [row.split()[:6] for row in rows if row.startswith(str(run.pk))] == [
        [str(run.pk), "judge", "comparative", "recorded", "overall", subset] for subset in ("all", "scored", "voted")
    ]
    assert (
        "No row for people on overall: human scores decide the accuracy, and people’s agreement is on votes." in notes
    )
    assert f"run {run.pk}: failed checks: enough contexts (the answers are on 2 contexts" in notes


def test_report_names_the_datasets_and_runs_that_are_there(run, capsys):
    assert refused(capsys, "report", "--dataset", "study") == [
        'dataset: there is no "study" (did you mean "Study"?); there are: Study'
    ]
    assert refused(capsys, "report", "--dataset", "Study", "--run", run.pk, "--run", run.pk + 1) == [
        f'run: "Study" has no run {run.pk + 1}; there are: {run.pk}'
    ]


def test_scores_prints_a_dash_for_what_does_not_exist(run, capsys):
    lines = [line.split() for line in printed(capsys, "scores", run.pk, "--ranking", "win-ratio").splitlines()]

    assert ["a", "S", "c0", "1", "0.750", "-", "3"] in lines
    assert ["c", "c", "c1", "-", "-", "-", "-"] in lines
    assert ["c", "-"] in lines


def test_curve_of_people_prints_points_and_what_they_are_worth(run, capsys):
    chosen = ("--ranking", "win-ratio", "--people", "--both", "--measure", "accuracy", "--draws", 2)

    shown = json.loads(printed(capsys, "curve", run.pk, *chosen, "--json"))
    text = printed(capsys, "curve", run.pk, *chosen)

    choice = CurveChoice(("win-ratio",), biases=("raw", "debiased"), people=True, measure="accuracy", draws=2)
    assert shown == curve_json(run, choice)
    assert "\nWorth in votes\n" in text


def test_curve_of_averaged_orders_and_of_pairs_says_so(run, capsys):
    chosen = ("--ranking", "win-ratio", "--ranking", "pairs", "--average-orders", "--both", "--draws", 2)

    shown = json.loads(printed(capsys, "curve", run.pk, *chosen, "--json"))
    lines = [line.split()[:4] for line in printed(capsys, "curve", run.pk, *chosen).splitlines()]

    choice = CurveChoice(("win-ratio", "pairs"), biases=("raw", "debiased", "averaged"), draws=2)
    assert shown == curve_json(run, choice)
    assert ["win", "ratio", "random", "debiased"] in lines
    assert ["win", "ratio", "symmetric", "orders"] in lines
    assert ["PairS,", "beam", "16", "judge"] in lines


def test_report_without_runs_says_what_to_do(capsys):
    make_dataset(name="New")

    call_command("report", "--dataset", "New", "--json")

    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"rows": []}
    assert printed.err == "no runs yet; judge the dataset with: evenhand judge --dataset 'New' --judge demo\n"
