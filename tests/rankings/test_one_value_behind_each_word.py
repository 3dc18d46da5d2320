"""Figures that several pages, commands and exports show: one value behind each word, or two names."""

import re
from itertools import permutations

import pytest
from django.urls import reverse

from judging.services.studies.study_changes import create_study
from rankings.report.figures.simple_judges import ON_SCORES
from tests.commands import printed, printed_json
from tests.rankings.pages import read
from tests.rankings.report.report_figures import quality_json
from tests.rankings.studies import compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]

CHOICES = {("h1", "a", "b"): "second", ("h2", "b", "c"): "tie", ("h3", "c", "a"): "tie"}
ANSWERS = {("c0", "a", "b"): ",unparsed", ("c1", "c", "b"): ",error", ("c2", "b", "a"): "0.8,"}


def votes_of(context):
    """Return the votes of three people on the pairs of a context. They agree on most."""
    return [
        {"attribute": "overall", "first": first, "second": second, "choice": choice, "rater": rater}
        for rater in ("h1", "h2", "h3")
        for first, second, usual in (("a", "b", "first"), ("b", "c", "first"), ("c", "a", "second"))
        for choice in [CHOICES.get((rater, first, second), usual) if context == "c0" else usual]
    ]


def judged_study(name, *, has_scores):
    """Make a study of one run with unparsed answers, on pairs with votes, and with human scores or without."""
    contexts = [
        {
            "context": context,
            "text": context,
            "candidates": [
                {"candidate": key, "system": key, "text": key} | ({"scores": {"overall": score}} if has_scores else {})
                for key, score in zip("abc", (2, 3, 1), strict=True)
            ],
            "votes": votes_of(context),
        }
        for context in ("c0", "c1", "c2", "c3")
    ]
    dataset = make_dataset(contexts, name=name)
    usual = ("0.4,", "0.7,")
    answers = [
        f"{context},overall,{first},{second},{ANSWERS.get((context, first, second), usual[first < second])}"
        for context in ("c0", "c1", "c2", "c3")
        for first, second in permutations("abc", 2)
    ]
    run = compared(dataset, "context,attribute,first,second,p_first,choice\n" + "\n".join(answers) + "\n")
    return create_study(name, runs=[run])


@pytest.fixture(scope="module")
def study(rows_of_module):
    """The study Words, on a dataset of this name."""
    return judged_study("Words", has_scores=True)


def cells_of(page):
    """Return column -> number, of the last row of the tables of a page, above the rows for comparison."""
    judged = page.partition(">For comparison")[0]
    return {name: float(value) for name, value in re.findall(r'data-column="([^"]*)" data-value="([^"]+)"', judged)}


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


@pytest.mark.parametrize("unparsed", ["excluded", "wrong"])
def test_accuracy_is_one_number_in_reports_studies_and_charts_with_unparsed_answers(client, study, capsys, unparsed):
    report = printed_json(capsys, "report", "--dataset", "Words", "--unparsed", unparsed)["rows"][0]["accuracy"]

    [[cell]] = printed_json(capsys, "study", "Words", "--unparsed", unparsed)["cells"]
    page = read(client, "study-coverage", study, unparsed=unparsed)
    dataset_page = read(client, "dataset-results", study.runs.get().dataset, unparsed=unparsed)
    assert report["n"] == {"excluded": 22, "wrong": 24}[unparsed]
    assert (cell["value"], cell["n"]) == (report["value"], report["n"])
    assert cells_of(page)["coverage_100"] == pytest.approx(report["value"])
    assert cells_of(dataset_page)["accuracy"] == pytest.approx(report["value"])


def test_curve_names_the_accuracy_of_the_ranking_otherwise(client, study):
    page = text_of(read(client, "study-curves", study, measure="accuracy"))

    assert "Accuracy of the ranking all" in page
    assert "Accuracy all" not in page


def test_ceiling_stands_only_beside_an_accuracy_that_votes_decide(client, study, capsys):
    run = study.runs.get()

    row = printed_json(capsys, "report", "--dataset", "Words")["rows"][0]
    assert row["decided_by_scores"] == row["accuracy"]["n"] == 22
    assert row["human"]["value"] is not None
    assert "One person agrees" not in read(client, "run-results", run)
    page = read(client, "dataset-results", run.dataset)
    assert f"No row for people on overall: {ON_SCORES}." in text_of(page)
    assert ">People</th>" not in page
    for command in (("report", "--dataset", "Words"), ("study", "Words")):
        assert "People &" not in printed(capsys, *command, "--latex")


def test_ceiling_is_the_agreement_of_people_where_votes_decide(client, capsys):
    study = judged_study("Votes", has_scores=False)
    run = study.runs.get()

    row = printed_json(capsys, "report", "--dataset", "Votes")["rows"][0]
    [agreement] = printed_json(capsys, "agreement", "--dataset", "Votes")["attributes"]
    assert "decided_by_scores" not in row
    assert row["human"] == agreement["people"]["human"]
    assert "One person agrees with the majority of the others" in read(client, "run-results", run)
    assert '<tr class="people">' in read(client, "dataset-results", run.dataset)
    for command in (("report", "--dataset", "Votes"), ("study", "Votes")):
        assert "People &" in printed(capsys, *command, "--latex")


def test_agreement_with_the_majority_is_one_number_and_no_accuracy(client, study, capsys):
    dataset = study.runs.get().dataset

    [agreement] = printed_json(capsys, "agreement", "--dataset", "Words")["attributes"]
    [quality] = quality_json("Words")
    report = printed_json(capsys, "report", "--dataset", "Words")["rows"][0]
    of_agreement = {rater["name"]: rater["accuracy"] for rater in agreement["raters"]}
    of_quality = {person["rater"]: person["agreement"] for person in quality["raters"]}
    [judge] = set(of_agreement) - set(of_quality)
    assert of_quality == {name: figure for name, figure in of_agreement.items() if name != judge}
    assert quality["judges"][0]["accuracy_over_contexts"] == of_agreement[judge] != report["accuracy"]
    for name in ("dataset-agreement", "dataset-quality"):
        assert "Agreement with the majority" in read(client, name, dataset)
    assert "Accuracy" not in text_of(read(client, "dataset-agreement", dataset))
    assert "Accuracy on votes over texts" in text_of(read(client, "dataset-quality", dataset))


def test_misfit_and_first_side_have_two_names_for_two_figures(client, study, capsys):
    run = study.runs.get()

    [agreement] = printed_json(capsys, "agreement", "--dataset", "Words")["attributes"]
    [quality] = quality_json("Words")
    fit = printed_json(capsys, "diagnostics", run.pk)["rater_fit"]["raters"]
    person = next(one for one in quality["raters"] if one["rater"] == "h3")
    of_agreement = next(one for one in agreement["raters"] if one["name"] == "h3")
    assert person["infit"]["value"] != next(one for one in fit if one["name"] == "h3")["infit"]["value"]
    assert (person["left_share"]["n"], of_agreement["p_first"]["n"]) == (11, 12)
    quality_page = read(client, "dataset-quality", run.dataset)
    assert re.findall(r">(First[^<]*|Infit[^<]*)</th>", quality_page) == ["First, no ties", "Infit to the others"]
    assert "Infit to all" in text_of(read(client, "run-diagnostics", run))


def test_mean_alpha_has_another_name_than_alpha(client, study, capsys):
    [agreement] = printed_json(capsys, "agreement", "--dataset", "Words")["attributes"]
    page = read(client, "study-agreement", study)
    people = agreement["people"]
    assert people["order_free_alpha"]["value"] != people["mean_order_free_alpha"]["value"]
    drawn = re.search(r'data-column="Mean over people" data-value="([^"]+)"', page)
    assert float(drawn[1]) == pytest.approx(people["mean_order_free_alpha"]["value"])
    cards = text_of(read(client, "dataset-agreement", study.runs.get().dataset))
    assert "Alpha, order-free" in cards
    assert "mean of two" in cards


def test_plus_minus_is_never_a_standard_deviation(client, study, capsys):
    dataset = study.runs.get().dataset
    again = compared(dataset, "context,attribute,first,second,p_first,choice\nc0,overall,a,b,0.9,\n", judge="other")
    create_study("Two", runs=[study.runs.get(), again])

    table = printed(capsys, "study", "Two", "--rows", "attribute", "--columns", "dataset", "--markdown")

    assert re.search(r"\(sd \d+\.\d\)", table)
    assert "±" not in table + read(client, "dataset-human-judgments", dataset)


def test_p_is_the_probability_of_one_answer_and_p_first_a_share_of_decisions(client, study, capsys):
    run = study.runs.get()

    share = printed_json(capsys, "report", "--dataset", "Words")["rows"][0]["p_first"]
    assert f"P(first) {100 * share['value']:.1f}" in text_of(read(client, "run-results", run))
    assert "p 0.7000" in text_of(read(client, "run-comparisons", run))
    for name in ("run-comparisons", "run-first-probabilities", "run-diagnostics", "run-abstaining"):
        assert "P(first)" not in client.get(reverse(name, args=[run.pk])).content.decode()
