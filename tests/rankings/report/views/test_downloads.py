"""Tables of results to take home, and the addresses that choose their columns."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, paper_style, report_table
from rankings.tables.formats import TABLE_FORMATS
from tests.rankings.report.report_figures import report_json
from tests.rankings.report.views.scored_runs import better_wins, scored_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def run(rows_of_module):
    return better_wins(scored_run(None))


@pytest.mark.parametrize(("name", "place"), [("run-report", "pk"), ("dataset-report", "dataset_id")])
def test_downloads_hold_the_rows_of_the_report(client, run, name, place):
    rows = report_json(run.dataset)

    def downloaded(ending: str) -> str:
        return client.get(reverse(name, args=[getattr(run, place), ending])).getvalue().decode()

    assert json.loads(downloaded("json")) == {"rows": rows}
    assert float(next(csv.DictReader(downloaded("csv").splitlines()))["accuracy.value"]) == rows[0]["accuracy"]["value"]
    assert "\\toprule" in downloaded("tex")


CHOICE = {"column": ["judge", "accuracy"], "subset": ["all"], "sort": "accuracy", "digits": "0", "interval": "none"}


@pytest.mark.parametrize("ending", ["csv", "tex", "md", "html"])
def test_download_has_the_columns_and_rows_of_the_page(client, run, ending):
    address = reverse("dataset-report", args=[run.dataset_id, ending])
    text = client.get(address, CHOICE).getvalue().decode()
    page = client.get(reverse("dataset-results", args=[run.dataset_id]), CHOICE).content.decode()

    rows = report_rows(run.dataset)
    choice = TableChoice(("judge", "accuracy"), subsets=("all",), sort="accuracy")
    table = report_table(rows, choice, runs=[run])
    style = replace(paper_style(table, run.dataset), digits=0, interval="none")
    assert text == TABLE_FORMATS[ending].write(table, style)
    assert "Accuracy (%)</a>" in page
    assert "Spearman</" not in page


def test_xlsx_download_is_a_workbook_and_other_kinds_do_not_exist(client, run):
    assert client.get(reverse("run-report", args=[run.pk, "xls"])).status_code == 404

    response = client.get(reverse("run-report", args=[run.pk, "xlsx"]))

    assert load_workbook(io.BytesIO(response.getvalue())).sheetnames == ["Table", "Notes"]
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}.xlsx"'


@pytest.mark.parametrize(("name", "place"), [("run-table", "pk"), ("dataset-table", "dataset_id")])
def test_table_page_shows_the_text_of_the_download(client, run, name, place):
    key = getattr(run, place)

    page = client.get(reverse(name, args=[key]), CHOICE | {"format": "md"})

    download = client.get(reverse(name.replace("table", "report"), args=[key, "md"]), CHOICE)
    assert page.context["text"] == download.getvalue().decode()
    assert '<input type="hidden" name="column" value="accuracy">' in page.content.decode()


@pytest.mark.parametrize("name", ["dataset-results", "dataset-table"])
def test_unknown_choices_in_an_address_are_named_and_the_usual_ones_hold(client, run, name):
    strange = {"column": "precision", "sort": "recall", "ranking": "elo", "run": "0"}

    page = client.get(reverse(name, args=[run.dataset_id]), strange)

    usual = client.get(reverse(name, args=[run.dataset_id]))
    assert set(page.context["form"].errors) == set(strange)
    assert "elo is not one of the available choices" in page.content.decode()
    assert page.context["form"].table_choice.columns == usual.context["form"].table_choice.columns
    looks = {"digits": "many", "interval": "wide"}
    table, usual = (client.get(reverse("dataset-table", args=[run.dataset_id]), query) for query in (looks, {}))
    assert set(table.context["style_form"].errors) == set(looks)
    assert table.context["text"] == usual.context["text"]


def test_scores_download_keeps_texts_from_being_formulas(client, run):
    run.dataset.contexts.filter(key="c0").update(key="=1+1")

    lines = client.get(reverse("run-scores-download", args=[run.pk])).getvalue().decode().splitlines()

    assert {row["context"] for row in csv.DictReader(lines)} == {"'=1+1", "c1"}
