"""The choices of the results of a dataset: runs, subsets, level, raw and debiased, and their links."""

import pytest
from django.urls import reverse

from rankings.report.forms import of_variant
from rankings.report.views import table_source
from tests.rankings.pages import hide
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def dataset(rows_of_module):
    return make_dataset()


@pytest.fixture(scope="module")
def runs(dataset):
    return compared(dataset, judge="one"), compared(dataset, WORKED_ANSWERS.replace("0.9", "0.2"), judge="two")


def table_of(client, dataset, **query):
    return client.get(reverse("dataset-results", args=[dataset.pk]), query).context["table"]


def rows_of(table):
    sections = [(one.title, [row.name for row in one.rows if not row.is_people]) for one in table.sections]
    return [one for one in sections if "For comparison" not in one[0]]


def test_rows_are_sorted_by_accuracy_at_first(client, dataset, runs):
    table = table_of(client, dataset, subset="all")

    assert rows_of(table) == [("", ["one", "two"])]
    assert [heading.sort.direction for heading in table.headings[:2]] == ["", "descending"]


def test_chosen_runs_that_one_may_see_are_shown_alone_and_the_page_says_so(client, dataset, runs):
    page = client.get(reverse("dataset-results", args=[dataset.pk]), {"run": runs[1].pk, "subset": "all"})

    assert rows_of(page.context["table"]) == [("", ["two"])]
    assert "1 of 2 runs, as chosen under Runs." in page.content.decode()
    hide(runs[1])
    assert rows_of(table_of(client, dataset, run=runs[1].pk, subset="all")) == [("", ["one"])]


def test_short_table_has_sections_of_subsets_and_a_long_one_names_the_hidden(client, dataset, runs, monkeypatch):
    assert [title for title, _ in rows_of(table_of(client, dataset))] == ["all", "scored", "voted"]
    monkeypatch.setattr(table_source, "MOST_ROWS_AT_FIRST", 3)

    page = client.get(reverse("dataset-results", args=[dataset.pk]))

    assert rows_of(page.context["table"]) == [("", ["one", "two"])]
    assert "2 subsets can be added under Subsets." in page.content.decode()


def test_level_of_correlations_is_chosen_and_named(client, dataset, runs):
    table = table_of(client, dataset, level="pooled", column="spearman")

    assert "Spearman: all candidates pooled, for the ranking Bradley-Terry." in table.notes
    assert [heading.n for heading in table.headings] == [""]


@pytest.mark.parametrize(
    ("variant", "columns"),
    [
        ("", ("answers", "accuracy", "accuracy_debiased", "spearman", "spearman_debiased")),
        ("raw", ("answers", "accuracy", "spearman")),
        ("debiased", ("answers", "accuracy_debiased", "spearman_debiased")),
    ],
)
def test_variant_chooses_between_raw_and_debiased_columns(variant, columns):
    every = ("answers", "accuracy", "accuracy_debiased", "spearman", "spearman_debiased")

    assert of_variant(every, variant) == columns


def test_figures_lead_to_the_answers_behind_them(client, dataset, runs):
    cells = {cell.column.name: cell for cell in table_of(client, dataset).sections[0].rows[0].cells}

    answers = reverse("run-answers", args=[runs[0].pk])
    assert cells["accuracy"].href == f"{answers}?kind=wrong"
    assert cells["order_agreement"].href == f"{answers}?kind=flipped"
    assert cells["answers"].href == answers
    assert cells["p_first"].href == ""


def test_chart_is_a_part_of_its_own(client, dataset, runs):
    page = client.get(reverse("dataset-results", args=[dataset.pk])).content.decode()
    part = client.get(reverse("dataset-results", args=[dataset.pk]), {"chart": ""}).content.decode()

    assert 'id="chart-data"' not in page
    assert 'id="chart-data"' in part
    assert "<!doctype html>" not in part
