"""The long form of figures in every format, and that of a report from command, page and HTTP API."""

import csv
import io
import json

import pyarrow.parquet
import pytest
from django.core.management import call_command
from django.urls import reverse

from rankings.tables.long_form import FIGURE_COLUMNS, NAME_COLUMNS, LongForm, long_csv, long_json_lines, long_parquet
from tests.commands import printed, printed_json, refused
from tests.rankings.agreement.panels import judged, voted_dataset

LINE = {"run": 3, "judge": "=judge", "figure": "accuracy", "value": 0.1, "n": 7}
UNDEFINED = {"figure": "alpha", "undefined": "no votes"}
FORM = LongForm(lambda: [LINE, UNDEFINED], ("rater",))
COLUMNS = (*NAME_COLUMNS, *FIGURE_COLUMNS, "rater")


def test_long_csv_has_a_cell_for_every_column():
    lines = list(csv.DictReader(io.StringIO("".join(long_csv(FORM)))))

    assert tuple(lines[0]) == COLUMNS
    assert (lines[0]["judge"], lines[0]["value"], lines[0]["n"], lines[0]["rater"]) == ("'=judge", "0.1", "7", "")
    assert lines[1]["undefined"] == "no votes"


def test_long_json_lines_have_null_for_what_is_missing():
    lines = [json.loads(line) for line in long_json_lines(FORM)]

    assert lines == [dict.fromkeys(COLUMNS) | LINE, dict.fromkeys(COLUMNS) | UNDEFINED]


def test_long_parquet_keeps_the_kinds_of_numbers():
    table = pyarrow.parquet.read_table(io.BytesIO(b"".join(long_parquet(FORM))))

    assert table.to_pylist() == list(FORM.lines)
    assert {name: str(table.schema.field(name).type) for name in ("run", "n", "low", "rater")} == {
        **{"run": "int64", "n": "int64"},
        **{"low": "double", "rater": "string"},
    }


@pytest.fixture
def run(researcher):
    dataset = voted_dataset(contexts=4)
    judged(dataset, "hasty")
    return judged(dataset, "careful")


@pytest.mark.django_db
@pytest.mark.usefixtures("forget_reports")
def test_long_form_of_a_report_is_the_same_from_command_page_and_api(run, client, capsys, tmp_path):
    command, dataset = ("report", "--dataset", "Panel"), run.dataset_id

    rows = printed_json(capsys, *command, "--long")["rows"]
    text = printed(capsys, *command, "--long")
    printed(capsys, *command, "--long", "--output", tmp_path / "long.parquet")
    downloaded = client.get(reverse("dataset-report-long", args=[dataset, "jsonl"])).getvalue().decode()
    sent = client.get(f"/api/datasets/{dataset}/report/", {"long": "csv"}, headers={"Accept": "text/csv"})

    assert rows
    assert pyarrow.parquet.read_table(tmp_path / "long.parquet").to_pylist() == rows
    assert [json.loads(line) for line in downloaded.splitlines()] == rows
    assert sent.getvalue().decode().splitlines() == text.splitlines()
    assert sent["Content-Type"] == "text/csv; charset=utf-8"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--long", "--output", "a.xlsx"], "output: the name must end in one of: .csv, .jsonl, .parquet"),
        (["--long", "--output", "no/a.csv"], 'output: there is no folder "no"'),
        (
            ["--long", "--json", "--output", "a.csv"],
            "output: --json prints and writes no file; leave one of the two out",
        ),
        (["--output", "a.csv"], "output: only the long form is written to a file; add --long"),
    ],
)
def test_output_of_another_ending_is_refused(run, capsys, options, problem):
    with pytest.raises(SystemExit) as ended:
        call_command("diagnostics", str(run.pk), *options)

    assert (ended.value.code, capsys.readouterr().err) == (2, f"{problem}\n")


@pytest.mark.django_db
def test_long_form_of_a_report_is_no_latex(run, capsys):
    problems = refused(capsys, "report", "--dataset", "Panel", "--long", "--latex")

    assert problems == ["long: it is printed as CSV or JSON, or written to a file; leave --latex out"]
