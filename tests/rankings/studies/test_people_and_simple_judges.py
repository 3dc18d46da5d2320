"""Reference rows of a study's table."""

import csv
import re

import pytest
from django.urls import reverse

from evenhand.numerics import Figure
from rankings.report.report_rows import report_rows
from rankings.studies.pivots.pivot_table import KAPPA_NOTE
from rankings.studies.study_page import NOTE_ON_PEOPLE, in_order_of_sections
from rankings.tables.sorting import Sort
from rankings.tables.table import Column, Row, Table
from tests.rankings.pages import read
from tests.rankings.studies.charts.studies_with_charts import VOTES, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.mark.parametrize(("votes", "times"), [(VOTES, 1), ([], 0)])
def test_table_says_on_which_contexts_the_figures_of_people_are(client, votes, times):
    page = read(client, "study", make_study("first judge", "second judge", votes=votes), figure="p_first")

    assert page.count(NOTE_ON_PEOPLE) == times


def test_kappa_stands_beside_every_accuracy_on_page_and_in_files(client):
    study = make_study("first judge", "second judge")
    rows = [row for row in report_rows(study.runs.first().dataset) if row.is_whole]
    own = [row.kappa.value for row in rows] + [one.kappa.value for one in rows[0].for_comparison[1:]]

    page = read(client, "study", study)
    tex, text = (
        client.get(reverse("study-table-file", args=[study.pk, ending])).getvalue().decode()
        for ending in ("tex", "csv")
    )

    shown = [f"κ {value:.2f}".replace("-", "−") for value in own]
    assert len(set(shown)) > 1
    assert sorted(re.findall("κ −?[0-9.]+", re.sub("<[^>]*>", "", page))) == sorted(shown)
    assert sorted(re.findall(r"κ \S+(?= )", tex.replace("$\\kappa$", "κ").replace("$-$", "−"))) == sorted(shown)
    kappas = [float(line["overall.kappa"]) for line in csv.DictReader(text.splitlines())]
    assert sorted(kappas) == pytest.approx(sorted(own))
    assert KAPPA_NOTE in page


def test_kappa_stands_beside_no_other_figure(client):
    assert "κ" not in read(client, "study", make_study("first judge"), figure="accuracy", debias="yes")


def test_row_on_too_little_does_not_lead_its_section():
    rows = [
        Row((section, name), (Figure(value),), section=section, rivals=rivals)
        for section, name, value, rivals in (
            ("b", "lucky", 1.0, ""),
            ("a", "good", 0.8, "same"),
            ("b", "bad", 0.6, "same"),
        )
    ]
    table = Table(("Judge", "Prompt"), (Column(name="all", title="all", marks_best=True),), tuple(rows))

    ordered = in_order_of_sections(table, Sort("all"))

    assert [row.names[1] for row in ordered.rows] == ["good", "lucky", "bad"]
