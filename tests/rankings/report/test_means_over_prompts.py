"""Means of figures over runs that differ in the prompt only."""

import csv
import io
import json
from statistics import fmean, stdev

import pytest

from tests.commands import printed
from tests.rankings.studies import compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

HEAD = "context,attribute,first,second,p_first,prompt\n"


def answers(prompt, *p_first):
    pairs = ("a,b", "b,a", "a,c")
    return HEAD + "".join(f"c0,overall,{pair},{p},{prompt}\n" for pair, p in zip(pairs, p_first, strict=True))


@pytest.fixture
def runs():
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


def test_mean_of_a_figure_that_a_run_lacks_is_undefined(runs, capsys):
    report = json.loads(printed(capsys, "report", "--dataset", "Study", "--json", "--over-prompts"))

    mean = mean_of(report["means"], "human")

    assert (mean["value"], mean["sd"]) == (None, None)
    assert mean["undefined"].startswith(f"run {runs[0].pk}: ")


def test_means_are_printed_as_csv(runs, capsys):
    lines = list(csv.DictReader(io.StringIO(printed(capsys, "report", "--dataset", "Study", "--over-prompts"))))

    [accuracy] = [line for line in lines if line["figure"] == "accuracy"]
    assert (accuracy["prompts"], float(accuracy["n"])) == ("one; two", 6)


def test_api_adds_means_on_request(runs, client, researcher):
    client.force_login(researcher)
    address = f"/api/datasets/{runs[0].dataset_id}/report/"

    usual, with_means = (client.get(address, query).json() for query in ({}, {"over_prompts": "true"}))

    assert "means" not in usual
    assert mean_of(with_means["means"], "accuracy")["prompts"] == ["one", "two"]
