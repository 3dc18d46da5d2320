"""Curves, agreement and comparisons of runs that read one order of candidates only."""

import json

import pytest

from tests.commands import printed
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

GIVEN = "context,attribute,first,second,p_first,choice\nc0,overall,a,b,0.9,\nc0,overall,a,c,0.8,\nc0,overall,b,c,0.7,\n"


@pytest.fixture
def runs(db):
    """A run with both orders, one without the swapped comparisons, and one more with both orders."""
    dataset = make_dataset()
    answers = "".join(line for line in WORKED_ANSWERS.splitlines(keepends=True) if not line.startswith("c1"))
    swapped = answers.replace("0.9", "0.1")
    return [compared(dataset, text, judge=name) for name, text in (("both", answers), ("given", GIVEN), ("x", swapped))]


def figures(capsys, *command):
    document = json.loads(printed(capsys, *command, "--json"))
    return document, document.pop("order", None)


def test_curve_of_the_given_order_equals_that_of_a_run_without_the_other(runs, capsys):
    both, given, _ = (run.pk for run in runs)

    chosen, order = figures(capsys, "curve", both, "--order", "given", "--draws", 3)
    expected, _ = figures(capsys, "curve", given, "--draws", 3)

    assert (chosen, order) == (expected, "given")


def test_comparison_of_the_given_order_reads_only_common_pairs_in_it(runs, capsys):
    both, given, other = (run.pk for run in runs)

    chosen, order = figures(capsys, "compare", both, other, "--order", "given")
    expected, _ = figures(capsys, "compare", given, other, "--order", "given")

    assert (chosen["comparisons"], order) == (3, "given")
    for one in (*chosen["differences"], *expected["differences"]):
        del one["noise_floor"]  # it names the run that has no repeat
    assert chosen["differences"] == expected["differences"]


def test_all_runs_compared_in_the_given_order(runs, capsys):
    _, order = figures(capsys, "compare", *(run.pk for run in runs), "--order", "given")

    assert order == "given"


def test_agreement_reads_the_given_order(runs, capsys):
    chosen, order = figures(capsys, "agreement", "--dataset", "Study", "--order", "given")
    votes = {rater["judge"]: rater["votes"] for rater in chosen["attributes"][0]["raters"] if rater["judge"]}

    assert (votes, order) == ({"both": 3, "given": 3, "x": 3}, "given")


@pytest.mark.parametrize(
    "page", ["/runs/{run}/curve/", "/datasets/{dataset}/agreement/", "/datasets/{dataset}/groups/"]
)
def test_pages_offer_the_order_of_candidates(runs, client, researcher, page):
    address = page.format(run=runs[0].pk, dataset=runs[0].dataset_id)

    content = client.get(address, {"order": "given"}).content.decode()

    assert '<option value="given" selected>as in the dataset</option>' in content


@pytest.mark.parametrize("address", ["/api/runs/{run}/curve/?draws=2", "/api/datasets/{dataset}/agreement/?"])
def test_api_reads_the_given_order(runs, client, researcher, address):
    answer = client.get(address.format(run=runs[0].pk, dataset=runs[0].dataset_id) + "&order=given")

    assert answer.json()["order"] == "given"
