"""The histogram of P(first): its bars, the threshold, and what is left out."""

import pytest
from django.urls import reverse

from rankings.report.first_probabilities import FirstProbabilities, first_probabilities, first_probabilities_chart
from rankings.report.report_choice import USUAL_CHOICE
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


@pytest.fixture
def run():
    dataset = make_dataset(one_context(1, 2, 3))
    compared(dataset, answers("a b 0.99"), judge="other")
    return compared(dataset, answers("a b 0.1", "b a 0.62", "a c 0.64", "c a 1.0"))


def counts(histogram):
    return {round(bar.low, 2): bar.answers for bar in histogram.bars if bar.answers}


def test_histogram_counts_the_answers_of_the_run_in_twenty_bars(run):
    histogram = first_probabilities(run, USUAL_CHOICE)

    assert counts(histogram) == {0.1: 1, 0.6: 2, 0.95: 1}
    assert len(histogram.bars) == 20
    assert histogram.threshold == pytest.approx(0.63)


def test_chart_marks_the_threshold_and_one_half(run):
    layout = first_probabilities_chart(first_probabilities(run, USUAL_CHOICE))["layout"]

    assert [shape["x0"] for shape in layout["shapes"]] == [0.5, pytest.approx(0.63)]
    assert layout["annotations"][0]["text"] == "threshold τ 0.630"


def test_chart_without_answers_is_not_drawn():
    assert first_probabilities_chart(FirstProbabilities([], None)) is None


def test_page_and_its_part_have_the_chart_and_the_same_figures_as_a_table(client, run):
    address = reverse("run-first-probabilities", args=[run.pk])

    page, part = client.get(address).content.decode(), client.get(address, {"part": ""}).content.decode()

    assert "<!doctype html>" in page
    assert "<!doctype html>" not in part
    for text in (page, part):
        assert '<th scope="row">0.60 to 0.65</th><td class="num">2</td>' in text


def test_run_without_probabilities_has_its_choices_in_words(client):
    run = compared(make_dataset(one_context(1, 2, 3)), answers("a b 1", "b a 1", "a c 0", "c a 0.5"))

    text = client.get(reverse("run-first-probabilities", args=[run.pk]), {"part": ""}).content.decode()

    assert "the first 2 times, the second 1 time, a tie 1 time." in text
    assert "<table" not in text


def test_run_of_scores_has_no_histogram(client):
    run = scored(make_dataset(one_context(1, 2)), "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,6\n")

    assert client.get(reverse("run-first-probabilities", args=[run.pk])).status_code == 404
