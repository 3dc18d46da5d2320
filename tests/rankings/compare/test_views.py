"""The pages of two runs and of all runs compared: sentences and tables, who may see them, and downloads."""

import json

import pytest
from django.urls import reverse

from judging.models import Run
from rankings.compare import all_runs_page, views
from tests.factories import make_judge, make_run
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import hide, read
from tests.rankings.report.report_figures import differences_json, groups_json
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.fixture
def panel():
    return voted_dataset(contexts=12)


@pytest.fixture
def runs(panel):
    return judged(panel, "careful"), judged(panel, "hasty")


def same_answers(run, judge):
    """Another run that answers as this one does."""
    rows = run.comparisons.values_list("first__context__key", "first__key", "second__key", "p_first")
    lines = [f"{context},overall,{first},{second},{p_first}\n" for context, first, second, p_first in rows]
    return compared(run.dataset, "context,attribute,first,second,p_first\n" + "".join(lines), judge=judge)


def test_page_begins_with_the_best_run(client, panel, runs):
    page = read(client, "dataset-groups", panel)

    accuracy = groups_json(runs)["figures"][0]["runs"][0]["value"]
    best = f"careful with recorded (run {runs[0].pk})"
    assert f"By accuracy, {best} is first with {100 * accuracy:.1f}\u202f%; all others are significantly worse" in page


def test_page_names_the_runs_without_a_significant_difference_to_the_best(client, panel, runs):
    twin = same_answers(runs[0], "twin")

    sentences = client.get(reverse("dataset-groups", args=[panel.pk])).context["sentences"]

    assert sentences[0].endswith(f"; twin with recorded (run {twin.pk}) is not significantly worse.")


def test_table_has_a_line_for_each_run_with_its_letters(client, panel, runs):
    shown = client.get(reverse("dataset-groups", args=[panel.pk])).context["lines"]

    assert [(line.run.run, [cell.letters for cell in line.cells]) for line in shown] == [
        (runs[0].pk, [["a"], ["a"]]),
        (runs[1].pk, [["b"], ["b"]]),
    ]


def test_run_that_is_left_out_is_named_with_the_reason(client, panel, runs, researcher):
    empty = make_run(panel, judge=make_judge(), owner=researcher)

    page = read(client, "dataset-groups", panel)

    assert f'<a href="{reverse("run-results", args=[empty.pk])}">Run {empty.pk}</a> (tiny) has no answer yet.' in page


def test_of_many_runs_the_latest_are_compared(client, panel, runs, monkeypatch):
    monkeypatch.setattr(views, "MOST_RUNS", 2)
    latest = same_answers(runs[0], "twin")

    page = client.get(reverse("dataset-groups", args=[panel.pk]))

    assert {run.name.run for run in page.context["result"].runs} == {runs[1].pk, latest.pk}
    assert "Of 3 runs, the latest 2 are compared. Choose others under Runs." in page.content.decode()


def test_page_without_two_runs_asks_for_runs(client, panel):
    judged(panel, "careful")

    assert "A comparison needs two runs of this attribute." in read(client, "dataset-groups", panel)
    assert client.get(reverse("dataset-groups-download", args=[panel.pk])).status_code == 404


def test_page_of_a_dataset_without_attributes_is_there(client):
    dataset = make_dataset(one_context(None, None))

    assert client.get(reverse("dataset-groups", args=[dataset.pk])).status_code == 200
    assert client.get(reverse("dataset-groups-download", args=[dataset.pk])).status_code == 404


def test_download_is_the_result_in_full_precision(client, panel, runs):
    assert json.loads(read(client, "dataset-groups-download", panel)) == groups_json(runs)


def test_runs_of_others_are_not_compared(client, panel, runs):
    hide(runs[1])

    assert "result" not in client.get(reverse("dataset-groups", args=[panel.pk])).context


def test_results_lead_to_all_runs_compared(client, panel):
    assert reverse("dataset-groups", args=[panel.pk]) in read(client, "dataset-results", panel)


@pytest.mark.parametrize("more", [0, 2])
def test_page_needs_the_same_queries_for_any_number_of_runs(client, panel, runs, django_assert_num_queries, more):
    for number in range(more):
        same_answers(runs[0], f"twin {number}")
    read(client, "dataset-groups", panel)  # the result is kept from now on

    with django_assert_num_queries(9):
        read(client, "dataset-groups", panel)


def test_runs_of_one_attribute_are_compared(client):
    scores = {"overall": 1, "fluency": 2}
    candidates = [{"candidate": key, "text": key, "scores": scores} for key in "ab"]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}])
    for judge in ("one", "other"):
        for attribute in scores:
            lines = f"context,attribute,first,second,p_first\nc0,{attribute},a,b,0.9\n"
            compared(dataset, lines, judge=judge)
    query = {"attribute": "overall"}

    shown = client.get(reverse("dataset-groups", args=[dataset.pk]), query).context["result"].runs
    from_api = client.get(f"/api/datasets/{dataset.pk}/groups/", query).json()["runs"]

    wanted = list(Run.objects.filter(attribute__name="overall").order_by("pk").values_list("pk", flat=True))
    assert sorted(run.name.run for run in shown) == sorted(run["run"] for run in from_api) == wanted


def test_runs_of_other_datasets_are_not_offered_for_comparison(client, panel, runs):
    elsewhere = judged(voted_dataset(contexts=2, name="Another"), "careful")

    answer = client.get(reverse("dataset-differences", args=[panel.pk]), {"one": runs[0].pk, "other": elsewhere.pk})

    assert list(answer.context["form"].runs) == [str(run.pk) for run in runs]
    assert "result" not in answer.context


def test_two_runs_begin_with_their_difference(client, panel, runs):
    accuracy = differences_json(*runs)["differences"][0]

    page = read(client, "dataset-differences", panel, one=runs[0].pk, other=runs[1].pk)

    assert (
        f"The accuracy of careful with recorded (run {runs[0].pk}) is {100 * accuracy['difference']:.1f} points higher "
        f"than that of hasty with recorded (run {runs[1].pk}), n = 72"
    ) in page


def table_of_two(client, panel, runs, table, **query):
    """Return name of a row -> column -> cell, of a table of the page of two runs."""
    address = reverse("dataset-differences", args=[panel.pk])
    shown = client.get(address, {"one": runs[0].pk, "other": runs[1].pk} | query).context[table]
    return {row.name: {cell.column.name: cell for cell in row.cells} for row in shown.sections[0].rows}


def test_two_runs_are_the_columns_of_a_table_with_the_test_of_their_difference(client, panel, runs):
    tested, expected = differences_json(*runs)["differences"][0], differences_json(*runs)["one"]

    rows = table_of_two(client, panel, runs, "shares")

    accuracy = rows["Accuracy"]
    assert [accuracy["one"].column.title, accuracy["other"].column.title] == ["careful", "hasty"]
    assert accuracy["one"].number == f"{100 * expected['accuracy']['value']:.1f}"
    assert accuracy["one"].details.endswith("n = 72")
    assert accuracy["difference"].number == f"{100 * tested['difference']:.1f}"
    assert accuracy["p_value"].number == ("<0.001" if tested["p_value"] < 0.001 else f"{tested['p_value']:.3f}")
    assert rows["P(first)"]["p_value"].number == ""


def test_agreement_between_the_two_runs_is_the_row_of_a_table(client, panel, runs):
    expected = differences_json(*runs)

    rows = table_of_two(client, panel, runs, "between")

    cells = rows["careful and hasty"]
    assert float(cells["same-decision"].sort_value) == pytest.approx(expected["percent_agreement"]["value"])
    assert float(cells["cohens-kappa"].sort_value) == pytest.approx(expected["cohen_kappa"]["value"])


def test_correlations_of_two_runs_name_ranking_and_variant_and_sort_by_p(client, panel, runs):
    expected = [row for row in differences_json(*runs)["differences"] if row["ranking"]]

    rows = table_of_two(client, panel, runs, "correlations", sort="p_value")

    assert "Bradley-Terry, raw" in rows
    shown = [float(row["p_value"].sort_value) for row in rows.values() if row["p_value"].sort_value]
    assert shown == sorted(row["p_value"] for row in expected if row["p_value_holm"] is not None)


def test_two_runs_of_one_judge_and_prompt_are_named_by_their_numbers(client, panel, runs):
    twin = same_answers(runs[0], "twin")
    Run.objects.filter(pk=twin.pk).update(judge=runs[0].judge)

    rows = table_of_two(client, panel, (runs[0], twin), "shares")

    assert rows["Accuracy"]["other"].column.title == f"run {twin.pk}"


def test_two_runs_of_one_judge_are_named_by_their_prompts(client, panel, runs):
    twin = same_answers(runs[0], "twin")
    Run.objects.filter(pk=twin.pk).update(judge=runs[0].judge, prompt_name="cot-1")
    address = reverse("dataset-differences", args=[panel.pk])

    title = client.get(address, {"one": runs[0].pk, "other": twin.pk}).context["title"]

    assert title == "Panel · overall · careful · recorded and cot-1"


def test_two_runs_are_chosen_among_those_one_may_see(client, panel, runs):
    hide(runs[1])

    page = read(client, "dataset-differences", panel)
    asked = read(client, "dataset-differences", panel, one=runs[0].pk, other=runs[1].pk)

    assert "hasty" not in page
    assert "hasty" not in asked
    assert "Spearman per context</h2>" not in asked


def test_two_runs_that_cannot_be_compared_say_why(client, panel, runs):
    page = read(client, "dataset-differences", panel, one=runs[0].pk, other=runs[0].pk)

    assert f"run: {runs[0].pk} is named twice; name two runs" in page


def test_run_without_answers_cannot_be_compared(client, panel, runs, researcher):
    empty = make_run(panel, judge=make_judge(), owner=researcher)

    page = read(client, "dataset-differences", panel, one=runs[0].pk, other=empty.pk)

    assert f"run: {runs[0].pk} and {empty.pk} have answers to no ordered pair in common" in page


def test_download_of_runs_that_cannot_be_compared_does_not_exist(client, panel, runs):
    address = reverse("dataset-differences-download", args=[panel.pk])

    assert client.get(address, {"one": runs[0].pk, "other": runs[0].pk}).status_code == 404
    assert client.get(address, {"one": runs[0].pk}).status_code == 404


def test_address_without_runs_compares_the_first_two_of_an_attribute(client, panel, runs):
    page, file = (reverse(name, args=[panel.pk]) for name in ("dataset-differences", "dataset-differences-download"))

    form = client.get(page).context["form"]

    assert [form[field].value() for field in ("one", "other")] == [str(run.pk) for run in runs]
    assert json.loads(b"".join(client.get(file).streaming_content)) == differences_json(*runs)


@pytest.mark.parametrize("more", [0, 1])
def test_two_runs_need_the_same_queries_for_any_number_of_runs(
    client, panel, runs, researcher, django_assert_num_queries, more
):
    for _ in range(more):
        make_run(panel, judge=make_judge(), owner=researcher)
    chosen = {"one": runs[0].pk, "other": runs[1].pk}
    read(client, "dataset-differences", panel, **chosen)  # the figures are kept from now on

    with django_assert_num_queries(10):
        read(client, "dataset-differences", panel, **chosen)


def test_download_of_two_runs_holds_the_json_of_the_command(client, panel, runs):
    shown = json.loads(read(client, "dataset-differences-download", panel, one=runs[0].pk, other=runs[1].pk))

    assert shown == differences_json(*runs)


def test_place_of_a_run_names_the_best_and_whether_it_is_significantly_better(client, panel, runs):
    twin = same_answers(runs[0], "twin")

    sentences = {run.pk: client.get(reverse("run-place", args=[run.pk])).context["sentence"] for run in (*runs, twin)}

    best = f"careful with recorded (run {runs[0].pk})"
    assert sentences == {
        runs[0].pk: f"First of 3 runs by accuracy; twin with recorded (run {twin.pk}) is not significantly worse.",
        twin.pk: f"Second of 3 runs by accuracy; not significantly worse than {best}.",
        runs[1].pk: f"Third of 3 runs by accuracy; significantly worse than {best}.",
    }


def test_place_is_among_the_runs_that_one_may_see(client, panel, runs):
    hide(runs[1])

    assert client.get(reverse("run-place", args=[runs[0].pk])).context["sentence"] == ""


@pytest.mark.parametrize(("place", "word"), [(1, "first"), (5, "fifth"), (11, "11th"), (21, "21st"), (52, "52nd")])
def test_places_are_written_as_ordinals(place, word):
    assert all_runs_page.ordinal(place) == word


def test_chosen_runs_alone_are_compared_and_the_page_says_so(client, panel, runs):
    twin = same_answers(runs[0], "twin")

    page = client.get(reverse("dataset-groups", args=[panel.pk]), {"run": [runs[0].pk, twin.pk]})

    assert {run.name.run for run in page.context["result"].runs} == {runs[0].pk, twin.pk}
    assert "2 of 3 runs, as chosen under Runs." in page.content.decode()
    assert {
        run["run"]
        for run in json.loads(read(client, "dataset-groups-download", panel, run=[runs[0].pk, twin.pk]))["runs"]
    } == {runs[0].pk, twin.pk}


def test_table_marks_the_runs_that_are_not_significantly_worse_than_the_best(client, panel, runs):
    twin = same_answers(runs[0], "twin")

    table = client.get(reverse("dataset-groups", args=[panel.pk])).context["table"]

    rows = {row.name: row.cells[0] for row in table.sections[0].rows if not row.is_people}
    assert {name: cell.is_tied for name, cell in rows.items()} == {
        "careful": False,
        twin.judge.name: True,
        "hasty": False,
    }
    assert [heading.column.title for heading in table.headings] == [
        "Accuracy",
        "Spearman per context (Bradley-Terry, raw)",
    ]


def test_many_pairs_are_a_part_of_their_own(client, panel, runs, monkeypatch):
    monkeypatch.setattr(all_runs_page, "FEW_PAIRS", 0)
    row = f'<th scope="row">{runs[0].pk}&nbsp;−&nbsp;{runs[1].pk}</th>'

    page, part = (read(client, "dataset-groups", panel, **query) for query in ({}, {"pairs": "accuracy"}))

    assert row not in page
    assert row in part
    assert client.get(reverse("dataset-groups", args=[panel.pk]), {"pairs": "kendall"}).status_code == 404
