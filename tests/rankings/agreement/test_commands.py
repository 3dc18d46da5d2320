"""The commands agreement and compare."""

import json

import pytest

from tests.commands import printed, refused
from tests.rankings.agreement.worked_example import ANSWERS, voted_contexts
from tests.rankings.report.report_figures import groups_json
from tests.rankings.studies import compared, make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return compared(make_dataset(voted_contexts()), ANSWERS)


@pytest.fixture
def other(run):
    return compared(run.dataset, ANSWERS.replace("0.9", "0.1"), judge="other")


def test_agreement_prints_every_attribute_or_the_one_asked_for(capsys):
    candidates = [{"candidate": key, "text": key, "scores": {"x": 1, "y": 2}} for key in "ab"]
    make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}])

    def attributes(*chosen):
        shown = json.loads(printed(capsys, "agreement", "--dataset", "Study", *chosen, "--json"))
        return [row["attribute"] for row in shown["attributes"]]

    assert attributes() == ["x", "y"]
    assert attributes("--attribute", "y") == ["y"]


@pytest.fixture
def third(run):
    return compared(run.dataset, ANSWERS, judge="third")


def test_compare_of_more_runs_prints_all_with_all_as_one_json_document(run, other, third, capsys):
    shown = json.loads(printed(capsys, "compare", third.pk, run.pk, other.pk, "--json"))

    assert shown == groups_json([run, other, third])


def test_compare_refuses_one_run_and_a_run_that_is_not_there(run, capsys):
    assert refused(capsys, "compare", run.pk) == ["run: give 2 to 60 runs to compare, not 1"]
    assert refused(capsys, "compare", run.pk, run.pk + 1)[0].startswith(f"run: there is no run {run.pk + 1}")
