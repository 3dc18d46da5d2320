"""Means of figures over runs that differ in the prompt only."""

import csv
import io
import json
from statistics import fmean, stdev

import pytest
from django.urls import reverse

from rankings.report.report_rows import report_rows
from tests.commands import printed
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = pytest.mark.django_db

HEAD = "context,attribute,first,second,p_first,prompt\n"


def answers(prompt, *p_first):
    pairs = ("a,b", "b,a", "a,c")
    return HEAD + "".join(f"c0,overall,{pair},{p},{prompt}\n" for pair, p in zip(pairs, p_first, strict=True))


@pytest.fixture(scope="module")
def runs(rows_of_module):
    dataset = make_dataset(one_context(3, 2, 1))
    one = compared(dataset, answers("one", 0.9, 0.2, 0.8))
    two = compared(dataset, answers("two", 0.4, 0.7, 0.9))
    compared(dataset, answers("one", 0.1, 0.1, 0.1), judge="other")
    return one, two


def mean_of(means, figure, variant=None):
    [mean] = [one for one in means if (one["figure"], one["variant"], one["subset"]) == (figure, variant, "all")]
    return mean


def test_means_are_those_of_the_runs_that_differ_in_the_prompt(runs, capsys):
    report = json.loads(printed(capsys, "report", "--dataset", "Study", "--json", "--over-prompts"))

    accuracies = [row["accuracy"]["value"] for row in report["rows"][:2]]
    mean = mean_of(report["means"], "accuracy")
    assert (mean["runs"], mean["prompts"]) == ([run.pk for run in runs], ["one", "two"])
    assert (mean["value"], mean["sd"], mean["n"]) == (fmean(accuracies), stdev(accuracies), 6)
    assert {tuple(one["runs"]) for one in report["means"]} == {tuple(run.pk for run in runs)}
    lacking = mean_of(report["means"], "human")
    assert (lacking["value"], lacking["sd"], lacking["undefined"]) == (None, None, "the attribute has no votes")


def test_means_are_printed_as_csv(runs, capsys):
    lines = list(csv.DictReader(io.StringIO(printed(capsys, "report", "--dataset", "Study", "--over-prompts"))))

    [accuracy] = [line for line in lines if line["figure"] == "accuracy"]
    assert (accuracy["prompts"], float(accuracy["n"])) == ("one; two", 6)


@pytest.fixture
def page(runs, client, researcher):
    client.force_login(researcher)

    def get(name="dataset-results", *arguments, **query):
        return client.get(reverse(name, args=[runs[0].dataset_id, *arguments]), query)

    return get


def test_page_shows_the_means_and_names_their_runs(runs, page):
    means, usual = (page(**query).context["table"] for query in ({"over_prompts": "on"}, {}))

    accuracies = [row.accuracy.value for row in rows_of_runs(runs)]
    [row] = [row for section in means.sections for row in section.rows if not row.is_people]
    accuracy = next(cell for cell in row.cells if cell.column.name == "accuracy")
    assert row.name == "judge"
    assert row.more_names == f"runs {runs[0].pk}, {runs[1].pk}"
    assert accuracy.number == f"{100 * fmean(accuracies):.1f}"
    assert accuracy.interval == f"(sd {100 * stdev(accuracies):.1f})"
    assert sum(len(section.rows) for section in usual.sections) > 1
    assert f"Not averaged, because no run differs in the prompt only: run {runs[1].pk + 1}." in means.notes


def test_page_offers_means_only_where_runs_differ_in_the_prompt(client, researcher):
    client.force_login(researcher)
    dataset = make_dataset(name="Other")
    compared(dataset)

    form = client.get(reverse("dataset-results", args=[dataset.pk]), {"over_prompts": "on"}).context["form"]

    assert "over_prompts" not in form.fields
    assert not form.table_choice.over_prompts


def test_table_of_means_is_exported_by_page_command_and_api(runs, page, capsys, client):
    query = {"over_prompts": "on", "column": ["judge", "run", "accuracy"]}

    line, *for_comparison = csv.DictReader(io.StringIO(content_of(page("dataset-report", "csv", **query))))
    latex = content_of(page("dataset-report", "tex", **query))

    accuracies = [row.accuracy.value for row in rows_of_runs(runs)]
    assert line["run"] == f"{runs[0].pk}, {runs[1].pk}"
    assert float(line["accuracy.value"]) == fmean(accuracies)
    assert float(line["accuracy.sd"]) == stdev(accuracies)
    assert [line["judge"] for line in for_comparison] == ["Always first", "Longer text"]
    of_command = printed(capsys, "report", "--dataset", "Study", "--over-prompts", "--latex", "--column", "accuracy")
    chosen = {"over_prompts": "true", "table": "tex", "column": "accuracy"}
    of_api = content_of(client.get(f"/api/datasets/{runs[0].dataset_id}/report/", chosen))
    assert all(f"{100 * fmean(accuracies):.1f}" in text for text in (latex, of_command, of_api))


def test_json_and_long_form_of_the_page_have_the_means(runs, page):
    document = json.loads(content_of(page("dataset-report", "json", over_prompts="on")))
    lines = list(csv.DictReader(io.StringIO(content_of(page("dataset-report-long", "csv", over_prompts="on")))))

    mean = mean_of(document["means"], "accuracy")
    [line] = [line for line in lines if line["figure"] == "accuracy" and line["subset"] == "all"]
    assert (float(line["value"]), float(line["sd"])) == (mean["value"], mean["sd"])
    assert line["runs"] == "; ".join(str(run.pk) for run in runs)


def content_of(response):
    return b"".join(response.streaming_content).decode() if response.streaming else response.content.decode()


def rows_of_runs(runs):
    rows = report_rows(runs[0].dataset, runs=runs)
    return [row for row in rows if row.subset == "all"]
