"""The page of a study: every number is one of the report, the choices are in the address, and runs stay private."""

import csv
import io
import json
import re
from copy import deepcopy
from itertools import product

import pytest
from django.urls import reverse

from evenhand.numerics.correlation.coefficients import LEVELS
from judging.models import Run, Study
from judging.services.studies.study_changes import create_study
from rankings.report.report_columns import CORRELATIONS
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES
from tests.commands import printed_json
from tests.factories import answer_run, make_judge, make_run
from tests.factories import make_dataset as make_plain_dataset
from tests.rankings.pages import hide, read
from tests.rankings.studies import WORKED_ANSWERS, WORKED_CONTEXTS, compared, make_dataset, with_copies
from tests.rankings.studies.many_contexts import contexts, right_in, wrong_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

CELL = re.compile(r'<td class="num[^>]*data-column="([^"]*)" data-value="([^"]*)"')
RIGHT = """\
context,attribute,first,second,p_first,choice
c0,overall,a,b,0.9,
c0,overall,b,a,0.1,
c0,overall,a,c,0.9,
c0,overall,c,a,0.2,
c0,overall,b,c,0.8,
c0,overall,c,b,0.3,
c1,overall,a,b,0.2,
"""
UNDEFINED_HERE = ("thinking_shift", "thinking_flips", "self_preference", "soft_pairwise_accuracy")
"""Figures without any value for these judges."""
UNKNOWN = [{"rows": "nothing"}, {"figure": "x"}, {"sort": "x"}, {"baseline": "x"}, {"preset": "x"}]


def contexts_with_lengths():
    """Return the worked contexts with texts of three lengths in the first; in the second, all are equally long."""
    contexts = deepcopy(WORKED_CONTEXTS)
    for candidate, text in zip(contexts[0]["candidates"], ("AAA", "BB", "C"), strict=True):
        candidate["text"] = text
    return contexts


@pytest.fixture(scope="module")
def two(rows_of_module):
    """A judge that is always right, one of the worked example, and a run outside of the study."""
    dataset = make_dataset(contexts_with_lengths())
    runs = [compared(dataset, judge="Llama"), compared(dataset, RIGHT, judge="GPT")]
    compared(dataset, WORKED_ANSWERS, judge="outsider")
    return create_study("Table 1", runs=runs)


@pytest.fixture
def study(two):
    return Study.objects.get(pk=two.pk)


@pytest.fixture(scope="module")
def study_of_four(rows_of_module):
    """The same two judges on ten contexts more, so that figures have intervals and rows are compared."""
    contexts, worked = with_copies(WORKED_CONTEXTS, WORKED_ANSWERS, times=10)
    dataset = make_dataset(contexts, name="Four")
    compared(dataset, worked, judge="outsider")
    right = with_copies(WORKED_CONTEXTS, RIGHT, times=10)[1]
    return create_study("Four", runs=[compared(dataset, worked, judge="Llama"), compared(dataset, right, judge="GPT")])


def drawn_cells(page):
    """Return the column and value of each cell with a number."""
    return [(column, value) for column, value in CELL.findall(page) if value]


def in_report(row, figure, *, ranking="bradley-terry", kind="raw", level="per_context"):
    """Return the value of a figure in a row of `report --json`; None if it is undefined or absent."""
    if figure in CORRELATIONS:
        block = row[figure][ranking][kind]
        return block["value"] if figure == "soft_pairwise_accuracy" else block[level]
    if figure == "n":
        return row["accuracy"]["n"]
    value = row.get(figure)
    return value["value"] if isinstance(value, dict) else value


def judged_cells(page):
    """Return the numbers of the rows of judges, rising."""
    rows = [row for row in page.split("<tr")[1:] if 'class="people"' not in row[:20]]
    return sorted(value for row in rows for _, value in drawn_cells(row))


def rows_of_study(capsys):
    rows = printed_json(capsys, "report", "--dataset", "Study")["rows"]
    return [row for row in rows if row["judge"] in ("Llama", "GPT")]


def as_drawn(values):
    return sorted(f"{value:.10g}" for value in values if value is not None)


def test_every_number_of_the_page_is_one_of_the_report(client, study, capsys):
    rows = rows_of_study(capsys)

    for figure in PIVOT_FIGURES:
        shown = judged_cells(read(client, "study", study, figure=figure, rows="judge", columns="subset"))
        assert shown == as_drawn(in_report(row, figure) for row in rows), figure
        assert shown or figure in UNDEFINED_HERE, figure


def test_every_correlation_of_the_page_is_one_of_the_report(client, study, capsys):
    rows = rows_of_study(capsys)

    for choice in product(["win-ratio", "poe-gaussian", "likelihood"], LEVELS, ["raw", "debiased"]):
        ranking, level, kind = choice
        query = {"figure": "kendall", "ranking": ranking, "level": level, "debias": "yes" if kind == "debiased" else ""}
        shown = judged_cells(read(client, "study", study, rows="judge", columns="subset", **query))
        reported = (in_report(row, "kendall", ranking=ranking, level=level, kind=kind) for row in rows)
        assert shown == as_drawn(reported), choice
        assert shown, choice


def test_page_begins_with_the_row_that_leads(client, study_of_four):
    page = read(client, "study", study_of_four, rows="judge", columns="subset")

    assert "GPT leads on all contexts: accuracy 100.0\u202f%" in page
    assert page.index(">GPT</a>") < page.index(">Llama</a>")
    assert "outsider" not in page


def test_choices_of_the_address_hold(client, study):
    page = read(client, "study", study, rows="judge", columns="attribute", figure="spearman", ranking="win-ratio")

    assert re.search(r'<option value="spearman" selected>', page)
    assert re.search(r'<option value="win-ratio" selected>', page)
    assert re.search(r'data-column="overall"', page)


def test_switches_work_without_scripts_and_a_dimension_is_rows_or_columns_but_not_both(client, study):
    page = read(client, "study", study, rows="judge", columns="judge")

    assert 'hx-trigger="change" hx-sync="this:replace" hx-target="#study" hx-select="#study"' in page
    assert "<noscript><button" in page
    assert re.search(r'<select name="columns"[^>]*>.*?<option value="judge" selected>', page, re.DOTALL)
    assert not re.search(r'<select name="rows"[^>]*>[^/]*<option value="judge" selected>', page)


def test_unknown_choices_are_ignored(client, study_of_four):
    for query in UNKNOWN:
        assert "GPT leads" in read(client, "study", study_of_four, **query), query


def test_differences_are_to_the_chosen_row(client, study):
    page = read(client, "study", study, rows="judge", columns="subset", baseline="Llama")
    plain = read(client, "study", study, rows="judge", columns="subset")

    cells = [float(value) for column, value in drawn_cells(page) if column == "all"]
    values = [float(value) for column, value in drawn_cells(plain) if column == "all"]
    assert "Differences to Llama" in page
    gpt, llama, *references = values
    assert reference_cells(plain, "Always first")["all"] == "0.4285714286"
    assert cells == pytest.approx([one - llama for one in (gpt, *references)])
    assert len(references) == 2


def reference_cells(page, title):
    row = page[page.index(f">{title}<") :]
    return dict(drawn_cells(row[: row.index("</tr>")]))


@pytest.fixture(scope="module")
def long_and_right(rows_of_module):
    """People prefer the longer text of every pair of the first context."""
    return create_study("Lengths", runs=[compared(make_dataset(contexts_with_lengths(), name="Lengths"))])


def test_longer_text_is_a_simple_judge_that_ties_equal_lengths_and_gives_lengths_as_scores(client, long_and_right):
    page = read(client, "study", long_and_right, rows="judge", columns="subset")
    correlated = read(client, "study", long_and_right, rows="judge", columns="subset", figure="spearman")

    cells = reference_cells(page, "Longer text")
    assert (cells["scored"], cells["voted"]) == ("1", "0.5")
    assert reference_cells(correlated, "Longer text") == {"all": "1", "scored": "1"}


def test_reference_rows_can_be_hidden(client, study):
    assert "Always first" not in read(client, "study", study, references="no")
    assert "Always first" in read_file(client, study, "tex")
    assert "Always first" not in read_file(client, study, "tex", references="no")
    assert "Always first" in read_file(client, study, "csv")
    assert "Always first" not in read_file(client, study, "csv", references="no")


def test_runs_of_somebody_else_are_not_in_the_table(client, researcher, study):
    hidden = study.runs.get(judge__name="Llama")
    study.owner = researcher
    study.save()
    hide(hidden)

    page = read(client, "study", study)

    assert "Llama" not in page
    assert "1 run of this study is not visible to you" in page


def test_study_without_runs_says_what_to_do(client, researcher):
    assert "This study has no runs yet" in read(client, "study", create_study("Empty", owner=researcher))


def test_figure_without_any_value_says_why(client, researcher):
    dataset = make_plain_dataset()
    study = create_study("Without people", owner=researcher, runs=[answer_run(make_run(dataset, owner=researcher))])

    page = read(client, "study", study)

    assert "No cell has a value: people prefer no candidate of a compared pair; collect votes or scores" in page


def test_costs_stand_beside_the_figures_of_runs_that_were_judged_here(client, researcher):
    dataset = make_plain_dataset()
    runs = [answer_run(make_run(dataset, owner=researcher, judge=make_judge(name))) for name in ("fast", "slow")]
    for run, seconds in zip(runs, (60, 600), strict=True):
        Run.objects.filter(pk=run.pk).update(seconds=seconds, prompt_tokens=1000)
    study = create_study("Costs", owner=researcher, runs=runs)

    page = read(client, "study", study, figure="p_first", rows="judge", columns="attribute")

    assert [cell for cell in drawn_cells(page) if cell[0] == "minutes"] == [("minutes", "1"), ("minutes", "10")]


def test_row_that_is_not_worse_and_took_less_time_says_so(client):
    dataset = make_dataset(contexts(), name="Speed")
    runs = [compared(dataset, right_in(25), judge="slow"), compared(dataset, wrong_in(range(6)), judge="fast")]
    for run, seconds in zip(runs, (1000, 100), strict=True):
        Run.objects.filter(pk=run.pk).update(seconds=seconds)

    page = read(client, "study", create_study("Speed", runs=runs), rows="judge", columns="attribute")

    assert "slow leads" in page
    assert page.count("not worse, 90\u202f% less time") == 1


def test_time_that_is_saved_is_counted_against_the_best_row_of_the_same_question(client):
    runs = []
    for name, seconds in (("Easy", (6000, 3000)), ("Hard", (1000, 800))):
        dataset = make_dataset(contexts(), name=name)
        pair = [compared(dataset, right_in(25), judge="slow"), compared(dataset, wrong_in(range(6)), judge="fast")]
        for run, took in zip(pair, seconds, strict=True):
            Run.objects.filter(pk=run.pk).update(seconds=took)
        runs += pair

    page = read(client, "study", create_study("Speed", runs=runs), rows="dataset,judge", columns="attribute")

    assert re.findall(r"not worse, (\d+)", page) == ["50", "20"]


def test_means_name_their_standard_deviation(client, study, capsys):
    [[cell]] = printed_json(capsys, "study", "Table 1", "--rows", "method", "--columns", "attribute")["cells"]

    page = read(client, "study", study, rows="method", columns="attribute")

    assert f"{100 * cell['value']:.1f}\u202f% (sd {100 * cell['sd']:.1f})" in page
    assert f"(sd {100 * cell['sd']:.1f})" in page


def test_downloads_have_the_table_of_the_page(client, study):
    query = {"rows": "judge", "columns": "subset", "figure": "p_first"}

    files = {ending: read_file(client, study, ending, **query) for ending in ("json", "csv", "tex", "md", "html")}

    table = json.loads(files["json"])
    first, *_ = csv.DictReader(io.StringIO(files["csv"]))
    assert float(first["all.value"]) == table["cells"][0][0]["value"]
    assert all("P(first)" in files[ending] for ending in ("tex", "md", "html"))


def read_file(client, study, ending, **query):
    answer = client.get(reverse("study-table-file", args=[study.pk, ending]), query)
    return (answer.getvalue() if answer.streaming else answer.content).decode()


@pytest.mark.parametrize("number", [1, 3])
def test_page_takes_the_same_queries_for_any_number_of_runs(client, django_assert_max_num_queries, number):
    dataset = make_dataset(name="Many")
    study = create_study("Many", runs=[compared(dataset, judge=f"judge {n}") for n in range(number)])
    read(client, "study", study)  # fills the cache

    with django_assert_max_num_queries(24):
        read(client, "study", study)
