"""Bounded answers: the decision is certain, because one label word is listed and the other cannot be likelier."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from rankings.curves.curve_records import CurveChoice
from tests.factories import make_user
from tests.rankings import studies
from tests.rankings.report.report_figures import curve_json, diagnostics_json, report_json

pytestmark = pytest.mark.django_db

HEADER = "context,attribute,first,second,p_first,choice,raw_first,raw_second"
KNOWN = (
    *("c0,overall,a,b,0.7,,-0.5,-1.3", "c0,overall,b,a,0.4,,-1,-0.6", "c0,overall,b,c,0.8,,,", "c0,overall,c,b,0.3,,,"),
    *("c0,overall,a,d,0.6,,,", "c0,overall,d,a,0.2,,,"),
)
BOUNDED = ("c0,overall,a,c,,first,-0.6,", "c0,overall,c,a,,second,,-0.7", "c0,overall,b,d,,second,,-0.6")
AS_CHOICES = ("c0,overall,a,c,,first,,", "c0,overall,c,a,,second,,", "c0,overall,b,d,,second,,")
SOFT = ("average-probability", "poe-bt", "poe-gaussian", "likelihood")
HARD = ("win-ratio", "bradley-terry", "poe-gaussian-hard", "likelihood-hard")


@pytest.fixture
def dataset():
    return studies.make_dataset(studies.one_context(4, 3, 2, 1))


def run_of(dataset, *lines):
    return studies.compared(dataset, "\n".join([HEADER, *lines]) + "\n", judge=f"judge of {len(dataset.runs.all())}")


@pytest.fixture
def run(dataset):
    """A run with six probabilities and three bounded answers, after another without them."""
    run_of(dataset, *KNOWN)
    return run_of(dataset, *KNOWN, *BOUNDED)


def row_of(run):
    [row] = report_json(run.dataset, runs=[run])
    return row


def calibration_of(run):
    return diagnostics_json(run, runs=[])["calibration"]


def test_figures_of_decisions_count_bounded_answers_as_choices(dataset, run):
    row, expected = row_of(run), row_of(run_of(dataset, *KNOWN, *AS_CHOICES))

    names = ("comparisons", "unparsed", "accuracy", "p_first", "order_agreement", "accuracy_both_orders")
    assert {name: row[name] for name in names} == {name: expected[name] for name in names}
    assert {name: row["spearman"][name]["raw"] for name in HARD} == {
        name: expected["spearman"][name]["raw"] for name in HARD
    }
    assert (row["bounded"], "bounded" in expected) == (3, False)


def test_figures_calibration_and_curves_of_probabilities_lack_bounded_answers(dataset, run):
    alone, choice = run_of(dataset, *KNOWN), CurveChoice(rankings=("poe-bt", "win-ratio"), draws=2)
    row, expected = row_of(run), row_of(alone)

    soft, hard = ([p for p in curve_json(run, choice)["points"] if p["ranking"] == one] for one in choice.rankings)

    assert [row[name] for name in ("threshold", "alpha")] == [expected[name] for name in ("threshold", "alpha")]
    assert {name: row["spearman"][name] for name in SOFT} == {name: expected["spearman"][name] for name in SOFT}
    assert calibration_of(run) == calibration_of(alone)
    assert soft == [point for point in curve_json(alone, choice)["points"] if point["ranking"] == "poe-bt"]
    assert (soft[-1]["comparisons"], hard[-1]["comparisons"]) == (6, 9)


def test_pages_api_and_commands_count_bounded_answers(client, run, capsys):
    client.force_login(make_user("rita", "researcher"))
    sentence = "3 of 9 answers are bounded"

    page = client.get(reverse("run-results", args=[run.pk])).content.decode()
    call_command("report", dataset=run.dataset.name, run=[run.pk])

    assert sentence in page
    assert f"Run {run.pk}: {sentence}" in "".join(capsys.readouterr())

    page = client.get(reverse("run", args=[run.pk])).content.decode()
    answer = client.get(f"/api/runs/{run.pk}/").json()
    call_command("runs", dataset=run.dataset.name)

    assert "<dt>Bounded</dt><dd>3 " in page
    assert answer["progress"]["bounded"] == 3
    assert [line.endswith("3 bounded") for line in capsys.readouterr().out.splitlines()].count(True) == 1
