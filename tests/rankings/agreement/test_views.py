"""The page of agreement: its sentences and tables, who may see it, and its download."""

import re

import pytest
from django.urls import reverse

from evenhand.numerics import Figure
from judging.models import Run, Vote
from rankings.agreement.agreement_page import agreement_sentences
from rankings.agreement.agreement_report import agreement_of
from rankings.agreement.agreement_tables import alphas_table
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.pages import read
from tests.rankings.report.report_figures import agreement_json
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("researcher")]


@pytest.fixture(scope="module")
def panel(rows_of_module):
    return voted_dataset(contexts=6)


@pytest.fixture
def runs(panel):
    return judged(panel, "careful"), judged(panel, "hasty")


def report(dataset):
    return agreement_json(dataset, attributes=list(dataset.attributes.all()), runs=dataset.runs.order_by("pk"))


def table_of(client, dataset, name):
    """Return a table of the page, as it is drawn."""
    blocks = client.get(reverse("dataset-agreement", args=[dataset.pk])).context["blocks"]
    return next(shown.table for shown in blocks if shown.name == name)


def test_agreement_begins_with_how_far_people_agree(client, panel, runs):
    people = report(panel)["attributes"][0]["people"]

    page = read(client, "dataset-agreement", panel)

    assert f"Two people agree on {100 * people['percent_agreement']['value']:.1f}\u202f% of the pairs" in page
    assert "Of 2 judges, careful (run" in page


def test_runs_of_one_judge_are_counted_as_runs(client, panel, runs):
    Run.objects.filter(pk=judged(panel, "steady").pk).update(judge=runs[0].judge)

    assert "Of 3 runs of 2 judges, careful (run" in read(client, "dataset-agreement", panel)


def test_table_has_every_rater_with_the_same_figures_by_accuracy(client, panel, runs):
    report_of_raters = {rater["name"]: rater["accuracy"]["value"] for rater in report(panel)["attributes"][0]["raters"]}

    table = table_of(client, panel, "all-raters")

    names = [row.name for row in table.sections[0].rows]
    assert sorted(names) == sorted(report_of_raters)
    assert names == sorted(names, key=lambda name: -report_of_raters[name])
    assert {row.more_names.split(" · ")[0] for row in table.sections[0].rows} == {"person", "judge"}


def test_figures_that_need_several_votes_are_folded_with_their_reasons_where_each_pair_has_one(client, panel):
    Vote.objects.exclude(rater="h1").delete()
    judged(panel, "careful")

    page = read(client, "dataset-agreement", panel)

    assert "<h2>Agreement between raters</h2>" not in page
    assert "<h2>Judges against people</h2>" not in page
    for label, figure in (("Agreement between raters", "Percent agreement"), ("Judges against people", "Winning rate")):
        assert figure in page.split(f"<summary>{label}</summary>")[1].split("</details>")[0]


def test_page_says_how_many_people_a_mean_is_over_and_on_which_contexts(client, panel, runs):
    page = read(client, "dataset-agreement", panel)

    [alpha] = [one for one in re.findall(r"<th scope=\"col\".*?</th>", page) if "Mean alpha with people" in one]
    assert re.findall(r'<span class="n">(.*?)</span>', alpha) == ["3–4 people"]
    assert page.count("People: on all contexts that are not left out. ") == 1


@pytest.mark.parametrize(("judges", "shown"), [(["careful"], []), (["careful", "hasty"], ["Judges (2)"])])
def test_agreement_of_judges_with_each_other_is_shown_where_there_are_two(client, panel, judges, shown):
    for judge in judges:
        judged(panel, judge)

    [section] = table_of(client, panel, "agreement-between-raters").sections

    assert [row.name for row in section.rows] == ["People (4)", *shown]


def test_matrix_has_the_alpha_of_every_two_raters(panel, runs):
    row = report(panel)["attributes"][0]
    shared = next(pair for pair in row["pairs_of_raters"] if (pair["one"], pair["other"]) == ("h1", "h3"))

    pairs = agreement_of(panel, panel.runs).attributes[0].pairs_of_raters
    [one, _, third] = alphas_table(pairs, ["h1", "h2", "h3"]).rows

    assert (one.names, one.figures[0]) == (("1. h1",), None)
    assert one.figures[2] == third.figures[0] == Figure(shared["order_free_alpha"]["value"])


def test_agreement_shows_the_attribute_that_is_chosen(client):
    candidates = [{"candidate": key, "text": key} for key in "ab"]
    votes = [
        {"attribute": attribute, "first": "a", "second": "b", "choice": "first", "rater": f"rater-of-{attribute}"}
        for attribute in ("x", "y")
    ]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates, "votes": votes}])

    page = read(client, "dataset-agreement", dataset, attribute="y")

    assert "rater-of-y" in page
    assert "rater-of-x" not in page
    assert "rater-of-x" in read(client, "dataset-agreement", dataset)


def test_agreement_where_nobody_judged_offers_a_run(client):
    dataset = make_dataset(one_context(1, 2))

    page = read(client, "dataset-agreement", dataset)

    assert "There are no votes and no answers of judges yet." in page
    assert reverse("run-new", args=[dataset.pk]) in page


def test_people_who_rated_one_by_one_are_shown_without_votes(client):
    candidates = [
        {"candidate": key, "text": key, "ratings": {"overall": {"h1": value, "h2": value}}}
        for value, key in enumerate("abc")
    ]
    dataset = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}])

    assert "2 people; 3 candidates with two ratings or more" in read(client, "dataset-agreement", dataset)
    [section] = table_of(client, dataset, "human-ratings-of-single-candidates").sections
    assert [cell.number for cell in section.rows[0].cells] == ["1.000"] * 2


def test_names_of_raters_are_shown_as_text(client):
    name = "<img src=x onerror=alert(1)>"
    votes = [{"attribute": "overall", "first": "a", "second": "b", "choice": "tie", "rater": name}]
    dataset = make_dataset(one_context(None, None, votes=votes))

    page = read(client, "dataset-agreement", dataset)

    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_agreement_without_people_leads_to_results_and_annotators(client, researcher):
    dataset = make_dataset(one_context(3, 2, 1))
    compared(dataset, answers("a b first"))

    page = client.get(reverse("dataset-agreement", args=[dataset.pk])).content.decode()

    assert "Nobody has voted on overall, so judges cannot be compared with people here." in page
    assert f"{reverse('dataset-results', args=[dataset.pk])}?attribute=overall" in page
    assert "Judges against people" not in page


def test_judges_are_set_against_people_with_the_verdict_of_the_test(client, panel, runs):
    judges = report(panel)["attributes"][0]["judges_against_people"]

    table = table_of(client, panel, "judges-against-people")

    rows = {row.name: row for row in table.sections[0].rows}
    rates = [heading.column.name for heading in table.headings].index("winning_rate")
    for judge in judges:
        test = judge["alternative_annotator_test"]
        assert rows[judge["name"]].cells[rates].sort_value == f"{test['winning_rate']:.10g}"
        assert f"test {'passed' if test['passed'] else 'failed'} against 4 people" in rows[judge["name"]].more_names


def test_votes_of_each_side_have_their_agreement(client, panel, runs):
    couples = report(panel)["attributes"][0]["votes"]

    table = table_of(client, panel, "agreement-vote-by-vote")

    shares = [row.cells[0].sort_value for section in table.sections for row in section.rows]
    assert shares == [f"{couple['per_vote']['value']:.10g}" for couple in couples]
    assert len(shares) > 2


def test_page_without_agreement_between_people_begins_with_the_best_judge(panel, runs):
    Vote.objects.exclude(rater="h1").delete()

    sentences = agreement_sentences(agreement_of(panel, panel.runs).attributes[0])

    assert sentences[0].startswith("Of 2 judges, careful")
    assert sentences[1].startswith("No agreement between people")
