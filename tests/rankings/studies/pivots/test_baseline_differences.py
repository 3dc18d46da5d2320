"""Differences to a row: signed, with paired intervals where both answered the same comparisons, and in the sentence."""

import csv
import html
import io
import re

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from judging.services.studies.study_changes import create_study
from rankings.compare.all_runs import compare_all
from tests.rankings.pages import headline, read
from tests.rankings.studies import compared, make_dataset
from tests.rankings.studies.many_contexts import contexts, right_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

BY_JUDGE = {"rows": "judge", "columns": "attribute"}
ONLY_VALUES = "Differences of values; for intervals and tests see All runs compared."


@pytest.fixture(scope="module")
def study(rows_of_module):
    dataset = make_dataset(contexts())
    return create_study("Base", runs=[compared(dataset, right_in(n), judge=f"right in {n}") for n in (28, 20, 8)])


@pytest.fixture
def pair(study):
    """The comparison of the best run with the second."""
    [accuracy, _] = compare_all(list(study.runs.all())).figures
    judges = {run.pk: run.judge.name for run in study.runs.all()}
    [pair] = [one for one in accuracy.pairs if (judges[one.one], judges[one.other]) == ("right in 28", "right in 20")]
    return pair


def cells_of(page, row):
    """Return the texts of the cells of a row."""
    table = page[page.index('<table class="figures"') :]
    line = table[table.index(f">{row}<") :].partition("</tr>")[0]
    cells = re.findall(r'<td class="num.*?</td>', line, re.DOTALL)
    return [re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", cell))).strip() for cell in cells]


def test_baseline_that_the_table_lacks_is_an_error_in_words(client, study):
    page = html.unescape(read(client, "study", study, **BY_JUDGE, baseline="x"))

    assert "The table has no row “x”, so it shows no differences." in page


def test_differences_have_the_paired_intervals_of_the_comparison_of_runs(client, study, pair):
    page = read(client, "study", study, **BY_JUDGE, baseline="right in 20", references="no")

    half = 100 * (pair.high - pair.low) / 2
    text = f"+{100 * pair.difference:.1f} ±{half:.1f}"
    assert cells_of(page, "right in 28") == [text]
    assert headline(page) == [f"right in 28 leads: accuracy {text} points over right in 20."]
    assert "Intervals: 95 %, paired by context." in page
    assert page.count('<svg class="plot"') == 2


def test_row_of_the_baseline_has_no_figures_and_reference_rows_are_differences_too(client, study):
    page = read(client, "study", study, **BY_JUDGE, baseline="right in 20")

    assert cells_of(page, "right in 20") == ["– 1"]
    assert re.findall(r'<li id="figures-note-1">(.*?)</li>', page) == ["this row is the baseline"]
    assert [text.partition(" ")[0] for text in cells_of(page, "Always first")] == ["0.0"]
    assert "Select a valid choice" not in page
    assert "errorlist" not in page
    assert re.search(r'<option value="right in 20" selected>', page)


def test_figure_without_a_test_has_differences_of_values(client, study):
    page = read(client, "study", study, **BY_JUDGE, figure="p_first", baseline="right in 20", references="no")

    assert ONLY_VALUES in page
    [sentence] = headline(page)
    assert sentence.startswith("P(first), against right in 20: +")


def test_best_baseline_is_named(client, study):
    [sentence] = headline(read(client, "study", study, **BY_JUDGE, baseline="right in 28"))

    assert sentence.startswith("No row is above right in 28: the best, right in 20, has −")


def downloaded(client, study, ending, **query):
    answer = client.get(reverse("study-table-file", args=[study.pk, ending]), BY_JUDGE | query)
    return b"".join(answer).decode()


def test_files_have_the_differences_of_the_page(client, study, pair):
    latex = downloaded(client, study, "tex", baseline="right in 20")
    lines = csv.DictReader(io.StringIO(downloaded(client, study, "csv", baseline="right in 20")))

    assert f"right in 28 & +{100 * pair.difference:.1f}" in latex
    assert "Differences to right in 20, in points where the figure is a share." in latex
    [best] = [line for line in lines if line["judge"] == "right in 28"]
    assert float(best["overall.difference"]) == pytest.approx(pair.difference)
    assert [float(best[f"overall.{end}"]) for end in ("low", "high")] == pytest.approx([pair.low, pair.high])


def test_file_of_json_has_the_figures_themselves(client, study):
    usual, chosen = (downloaded(client, study, "json", **query) for query in ({}, {"baseline": "right in 20"}))

    assert usual == chosen


@pytest.fixture(scope="module")
def repeated(rows_of_module):
    """Two runs of each of two judges, whose figures are averaged."""
    dataset = make_dataset(contexts(), name="Repeated")
    runs = [
        compared(dataset, right_in(n).replace("\n", f",prompt {n}\n").replace(f"prompt {n}", "prompt", 1), judge=judge)
        for judge, numbers in (("judge 1", (18, 16)), ("judge 2", (28, 26)))
        for n in numbers
    ]
    return create_study("Twice", runs=runs)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "tex", "md"])
def test_files_of_means_have_their_differences(client, repeated, ending):
    content = client.get(
        reverse("study-table-file", args=[repeated.pk, ending]), BY_JUDGE | {"baseline": "judge 1"}
    ).getvalue()

    if ending == "xlsx":
        rows = list(load_workbook(io.BytesIO(content))["Table"].values)
        assert rows[0][:2] == ("judge", "overall.difference")
        assert [row[1] for row in rows if row[0] == "judge 2"] == [pytest.approx(1 / 3)]
    else:
        assert ("0.3333" if ending == "csv" else "+33.3") in content.decode()


def test_notes_are_those_of_differences(client, repeated):
    usual, differences = (downloaded(client, repeated, "md", **query) for query in ({}, {"baseline": "judge 1"}))

    assert "Means, with the standard deviation (sd), over 2 runs" in usual
    assert "Means over 2 runs" in differences
    assert "are not compared" not in differences
    assert "Undefined (–): overall: this row is the baseline." in differences


def test_name_of_a_file_says_to_what_it_has_differences(client, study):
    answer = client.get(reverse("study-table-file", args=[study.pk, "csv"]), BY_JUDGE | {"baseline": "right in 20"})

    assert answer["Content-Disposition"] == 'attachment; filename="Base-differences-to-right-in-20.csv"'


def test_baseline_leaves_the_other_controls_as_they_are(client, study):
    """Rows that stand in the columns already are left out, and no field complains about that."""
    page = read(client, "study", study, rows="judge,attribute", columns="attribute", baseline="right in 20")

    assert "so the rows are judge." in page
    assert "Select a valid choice" not in page
    assert re.search(r'<option value="judge" selected>', page)
