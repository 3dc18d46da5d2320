"""The matrix of agreement of many runs: a page shows it as a chart, files as a table."""

import csv
import io
import re

import pytest
from django.urls import reverse

from rankings.studies.charts.chart_tab import IN_FILES_NOTE, MOST_COLUMNS_ON_PAGE
from rankings.studies.charts.kinds.agreement import PEOPLE_IN_MATRIX
from tests.rankings.pages import read
from tests.rankings.studies.charts.studies_with_charts import VOTES, cells_by_row, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


def judges(n):
    return [f"judge {number}" for number in range(n)]


def columns_of_file(client, study):
    file = client.get(reverse("study-agreement", args=[study.pk]), {"table": "csv"}).getvalue().decode()
    return {name.rpartition(".")[0] for name in next(csv.reader(io.StringIO(file))) if name.endswith(".value")}


def test_wide_matrix_has_its_table_in_files_and_agreement_with_people_and_their_number_on_the_page(client):
    of_one = [vote for vote in VOTES if vote["rater"] == "h1"]
    study = make_study(*judges(MOST_COLUMNS_ON_PAGE), votes=of_one)

    page = read(client, "study-agreement", study)

    assert {name for cells in cells_by_row(page).values() for name in cells} == {"Mean over people"}
    assert IN_FILES_NOTE in page
    assert columns_of_file(client, study) == {"Mean over people", *judges(MOST_COLUMNS_ON_PAGE)}
    [caption] = re.findall(r"<caption>(.*?)</caption>", page)
    assert caption.rpartition(" · ")[2] == "1 person"
    assert page.count(PEOPLE_IN_MATRIX) == 1


def test_wide_matrix_without_people_is_a_chart_alone(client):
    study = make_study(*judges(MOST_COLUMNS_ON_PAGE + 1))

    page = read(client, "study-agreement", study)

    assert cells_by_row(page) == {}
    assert "data-chart=" in page
    assert columns_of_file(client, study) == set(judges(MOST_COLUMNS_ON_PAGE + 1))


def test_matrix_that_fits_is_a_table_on_the_page_without_notes(client):
    page = read(client, "study-agreement", make_study(*judges(3)))

    assert {name for cells in cells_by_row(page).values() for name in cells} == set(judges(3))
    assert IN_FILES_NOTE not in page
    assert PEOPLE_IN_MATRIX not in page
