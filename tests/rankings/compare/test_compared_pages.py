"""The pages of two runs and of all runs compared: sentences and tables, who may see them, and downloads."""

import json

import pytest
from django.urls import reverse

from judging.models import Run
from rankings.compare import all_runs_page
from rankings.compare.all_runs import compare_all
from rankings.compare.all_runs_page import groups_table, letters_table
from rankings.compare.two_runs import compare_runs
from rankings.compare.two_runs_page import two_runs_title
from tests.factories import make_judge, make_run
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide, read
from tests.rankings.report.report_figures import differences_json, groups_json
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def panel(rows_of_module):
    return voted_dataset(contexts=12)


@pytest.fixture
def runs(panel):
    return judged(panel, "careful"), judged(panel, "hasty")


def same_answers(run, judge):
    """Another run that answers as this one does."""
    rows = run.comparisons.values_list("first__context__key", "first__key", "second__key", "p_first")
    lines = [f"{context},overall,{first},{second},{p_first}\n" for context, first, second, p_first in rows]
    return compared(run.dataset, "context,attribute,first,second,p_first\n" + "".join(lines), judge=judge)


def sentences_of(client, panel, **query):
    """Return the sentences of the page of all runs."""
    blocks = client.get(reverse("dataset-groups", args=[panel.pk]), query).context["blocks"]
    return [shown.block.text for shown in blocks if not shown.name]


def test_page_begins_with_the_best_run_and_the_place_of_a_run_names_it_too(client, panel, runs):
    twin = same_answers(runs[0], "twin")

    accuracy = groups_json(runs)["figures"][0]["runs"][0]["value"]
    begin = f"By accuracy, careful with recorded (run {runs[0].pk}) is first with {100 * accuracy:.1f}\u202f%"
    assert (
        sentences_of(client, panel, run=[run.pk for run in runs])[0] == f"{begin}; all others are significantly worse."
    )
    end = f"twin with recorded (run {twin.pk}) is not significantly worse."
    assert sentences_of(client, panel)[0] == f"{begin}; {end}"

    sentences = {run.pk: client.get(reverse("run-place", args=[run.pk])).context["sentence"] for run in (*runs, twin)}

    best = f"careful with recorded (run {runs[0].pk})"
    assert sentences == {
        runs[0].pk: f"First of 3 runs by accuracy; twin with recorded (run {twin.pk}) is not significantly worse.",
        twin.pk: f"Second of 3 runs by accuracy; not significantly worse than {best}.",
        runs[1].pk: f"Third of 3 runs by accuracy; significantly worse than {best}.",
    }


def test_each_run_has_its_letters(panel, runs):
    rows = letters_table(compare_all(runs)).rows

    names = [f"{judge}, recorded (run {run.pk})" for judge, run in zip(("careful", "hasty"), runs, strict=True)]
    assert [row.names for row in rows] == [(names[0], "a", "a"), (names[1], "b", "b")]


def test_run_that_is_left_out_is_named_with_the_reason(client, panel, runs, researcher):
    empty = make_run(panel, judge=make_judge(), owner=researcher)

    page = read(client, "dataset-groups", panel)

    address = reverse("run-results", args=[empty.pk])
    assert f'<a href="{address}">Left out: run {empty.pk} (tiny) has no answer yet.</a>' in page


def test_page_without_two_runs_leads_to_a_new_run(client, panel):
    judged(panel, "careful")

    page = read(client, "dataset-groups", panel)

    assert f'<a href="{reverse("run-new", args=[panel.pk])}">Start a run</a>' in page
    assert 'role="alert"' not in page


def test_page_of_a_dataset_without_attributes_is_there(client):
    dataset = make_dataset(one_context(None, None))

    assert client.get(reverse("dataset-groups", args=[dataset.pk])).status_code == 200
    assert client.get(reverse("dataset-groups-download", args=[dataset.pk])).status_code == 404


def test_results_lead_to_all_runs_compared(client, panel):
    assert reverse("dataset-groups", args=[panel.pk]) in read(client, "dataset-results", panel)


def table_of_two(client, panel, runs, table, **query):
    """Return name of a row -> column -> cell, of a table of the page of two runs."""
    address = reverse("dataset-compare", args=[panel.pk])
    blocks = client.get(address, {"one": runs[0].pk, "other": runs[1].pk} | query).context["blocks"]
    [shown] = [shown.table for shown in blocks if shown.name == table]
    return {row.name: {cell.column.name: cell for cell in row.cells} for row in shown.sections[0].rows}


def test_two_runs_are_the_columns_of_a_table_with_the_test_of_their_difference(client, panel, runs):
    tested, expected = differences_json(*runs)["differences"][0], differences_json(*runs)["one"]

    rows = table_of_two(client, panel, runs, "accuracy-and-position-bias")

    accuracy = rows["Accuracy"]
    assert [accuracy["one"].column.title, accuracy["other"].column.title] == ["careful", "hasty"]
    assert accuracy["one"].number == f"{100 * expected['accuracy']['value']:.1f}"
    assert accuracy["one"].details.endswith("n = 72")
    assert accuracy["difference"].number == f"{100 * tested['difference']:.1f}"
    assert accuracy["p_value"].number == ("<0.001" if tested["p_value"] < 0.001 else f"{tested['p_value']:.3f}")
    assert rows["P(first)"]["p_value"].number == ""


def test_agreement_between_the_two_runs_is_the_row_of_a_table(client, panel, runs):
    expected = differences_json(*runs)

    rows = table_of_two(client, panel, runs, "agreement-between-the-two-runs")

    cells = rows["careful and hasty"]
    assert float(cells["percent_agreement"].sort_value) == pytest.approx(expected["percent_agreement"]["value"])
    assert float(cells["cohen_kappa"].sort_value) == pytest.approx(expected["cohen_kappa"]["value"])


def test_correlations_of_two_runs_name_ranking_and_variant_and_sort_by_p(client, panel, runs):
    expected = [row for row in differences_json(*runs)["differences"] if row["ranking"]]

    rows = table_of_two(client, panel, runs, "spearman-per-context", sort="p_value")

    assert "Bradley-Terry, raw" in rows
    shown = [float(row["p_value"].sort_value) for row in rows.values() if row["p_value"].sort_value]
    assert shown == sorted(row["p_value"] for row in expected if row["p_value_holm"] is not None)


def test_two_runs_of_one_judge_are_named_by_their_prompts(panel, runs):
    twin = same_answers(runs[0], "twin")
    Run.objects.filter(pk=twin.pk).update(judge=runs[0].judge, prompt_name="cot-1")
    twin = Run.objects.get(pk=twin.pk)

    assert two_runs_title(compare_runs(runs[0], twin)) == "Panel · overall · careful · recorded and cot-1"


def test_two_runs_of_one_judge_and_prompt_are_named_by_their_numbers(client, panel, runs):
    twin = same_answers(runs[0], "twin")
    Run.objects.filter(pk=twin.pk).update(judge=runs[0].judge)

    rows = table_of_two(client, panel, (runs[0], twin), "accuracy-and-position-bias")

    assert rows["Accuracy"]["other"].column.title == f"run {twin.pk}"


def test_address_without_runs_compares_the_first_two_of_an_attribute(client, panel, runs):
    page, file = (reverse(name, args=[panel.pk]) for name in ("dataset-compare", "dataset-compare-download"))

    form = client.get(page).context["form"]

    assert [form[field].value() for field in ("one", "other")] == [str(run.pk) for run in runs]
    assert json.loads(b"".join(client.get(file).streaming_content)) == differences_json(*runs)


def test_place_is_among_the_runs_that_one_may_see(client, panel, runs):
    hide(runs[1])

    assert client.get(reverse("run-place", args=[runs[0].pk])).context["sentence"] == ""


@pytest.mark.parametrize(("place", "word"), [(1, "first"), (5, "fifth"), (11, "11th"), (21, "21st"), (52, "52nd")])
def test_places_are_written_as_ordinals(place, word):
    assert all_runs_page.ordinal(place) == word


def test_table_marks_the_runs_that_are_not_significantly_worse_than_the_best(panel, runs):
    twin = same_answers(runs[0], "twin")

    table = groups_table(compare_all([*runs, twin]))

    rows = [row for row in table.rows if row.of == "judge"]
    assert {row.names[0]: row.ties for row in rows} == {"careful": frozenset(), "twin": {0, 1}, "hasty": frozenset()}
    assert [column.title for column in table.columns] == ["Accuracy", "Spearman per context (Bradley-Terry, raw)"]
