"""The page of ranking curves: its choices, and human votes."""

import pytest
from django.urls import reverse

from evenhand.numerics import CURVE_RANKINGS, CURVE_SELECTIONS
from rankings.curves.curve_page import USUAL_RANKINGS
from tests.factories import make_user
from tests.rankings.charts.plotly import valid
from tests.rankings.curves.voted_runs import VOTES, voted_run
from tests.rankings.studies import make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def admin(client):
    client.force_login(make_user("ada", "admin"))


def page_of(client, run, **query):
    return client.get(reverse("run-curve", args=[run.pk]), query)


def blocks(client, run, **query):
    """Return the blocks of the page."""
    return page_of(client, run, **query).context["blocks"]


def table_of(shown, label):
    return next(one.table for one in shown if one.table and one.block.label == label)


def sentences(shown):
    return " ".join(one.block.text for one in shown if not one.name)


def points_of(shown, ranking):
    """Return the numbers of each point of a ranking, from the table of the page."""
    rows = [row for row in table_of(shown, "Figures of the curve").sections[0].rows if row.name == ranking]
    return [{cell.column.name: float(cell.sort_value) for cell in row.cells if cell.sort_value} for row in rows]


def test_form_offers_all_that_is_drawn_and_ticks_the_preset_boxes_of_groups_that_the_address_leaves_out(client):
    run = voted_run(3, 2, 1)

    fields = page_of(client, run).context["form"].fields
    without_votes = page_of(client, voted_run(3, 2, 1, votes=[], name="Unvoted")).context["form"].fields

    assert [name for name, _ in fields["selection"].choices] == list(CURVE_SELECTIONS)
    assert {name for name, _ in fields["ranking"].choices} == {*CURVE_RANKINGS, "pairs"}
    assert ("people" in fields, "people" in without_votes) == (True, False)

    form, page = page_of(client, run, selection="d-optimal").context["form"], page_of(client, run)

    assert (form["selection"].value(), form["ranking"].value()) == (["d-optimal"], USUAL_RANKINGS)
    assert page.context["form"]["selection"].value() == ["random"]
    assert {point.ranking for point in page.context["report"].points} == set(USUAL_RANKINGS)
    assert "ranking=win-ratio" in page.context["json"]


@pytest.mark.parametrize("selection", CURVE_SELECTIONS)
def test_everything_that_the_form_offers_is_drawn(client, selection):
    run = voted_run(3, 2, 1)
    chosen = {"ranking": [*CURVE_RANKINGS, "pairs"], "selection": selection, "measure": "accuracy"}

    shown = blocks(client, run, **chosen, both="on", average_orders="on")

    [chart] = [one.block.chart for one in shown if one.name == "chart-curve"]
    lines = [trace for trace in valid(chart)["data"] if "name" in trace]
    undefined = 1  # three candidates are too few for the debiased hard likelihood
    assert len(lines) == 3 * (len(CURVE_RANKINGS) + 1) - undefined


WRONG_VOTES = [vote | {"choice": "second" if vote["choice"] == "first" else "first"} for vote in VOTES]


@pytest.mark.parametrize(
    ("scores", "votes", "sentences"),
    [
        (
            (3, 2, 1),
            VOTES,
            [
                "Ranked by win ratio, 6 LLM comparisons per context are worth 7.0 human votes.",
                "Over 1 context with both the judge’s answers and human votes (9 votes), against human scores.",
            ],
        ),
        ((None,) * 3, VOTES, ["There are no human scores. Each draw splits the votes"]),
        # More votes make people's order worse, until it is the judge's
        ((1, 2, 3), VOTES, ["are worth fewer than 2 human votes, the fewest that a curve needs."]),
        ((3, 2, 1), WRONG_VOTES, ["are worth more than 9 human votes, all that were collected."]),
    ],
)
def test_page_gives_the_worth_of_the_comparisons_in_votes_or_says_why_not(client, scores, votes, sentences):
    page = page_of(client, voted_run(*scores, votes=votes), ranking="win-ratio", people="on").content.decode()

    assert [one for one in sentences if one not in page] == []


@pytest.mark.parametrize(("ranking", "is_pairs"), [("pairs", True), ("win-ratio", False)])
def test_page_explains_pairs_where_it_is_drawn(client, ranking, is_pairs):
    page = page_of(client, voted_run(3, 2, 1), ranking=ranking).content.decode()

    assert ("PairS chooses its own comparisons." in page) == is_pairs
    assert ("PairS, beam 16" in page) == is_pairs


@pytest.mark.parametrize(("scores", "measure"), [((3, 2, 1), "spearman"), ((None, None, None), "accuracy")])
def test_curve_is_measured_by_votes_where_people_gave_no_scores(client, scores, measure):
    page = page_of(client, voted_run(*scores), ranking="win-ratio")

    assert page.context["form"]["measure"].value() == measure
    table = table_of(page.context["blocks"], "Figures of the curve")
    headings = [heading.column.title for heading in table.headings]
    assert {"spearman": "Spearman", "accuracy": "Accuracy"}[measure] in " ".join(headings)


def test_page_without_a_curve_gives_the_reason(client):
    page = page_of(client, voted_run(None, None, None), ranking="win-ratio", measure="spearman").content.decode()

    assert "No curve: no context has two candidates with both scores whose human scores differ." in page


def test_a_run_that_scores_has_no_curve(client):
    run = scored(make_dataset(one_context(3, 2, 1)), "context,attribute,candidate,score\nc0,overall,a,1\n")

    assert page_of(client, run).status_code == 404


def needed(client, run, **query):
    """Return name of a row -> column -> number, of the table of comparisons needed."""
    shown = table_of(blocks(client, run, **query), "Comparisons needed")
    return {row.name: {cell.column.name: cell.number for cell in row.cells} for row in shown.sections[0].rows}


def test_page_begins_with_the_comparisons_needed_for_nearly_all_of_the_correlation(client):
    shown = blocks(client, voted_run(3, 2, 1), ranking=["win-ratio", "average-probability"])

    points = points_of(shown, "win ratio")
    last = points[-1]
    first = next(point for point in points if point["mean"] >= 0.98 * last["mean"])
    needed = table_of(shown, "Comparisons needed")
    [row] = [row for row in needed.sections[0].rows if row.name == "win ratio"]
    cells = {cell.column.name: float(cell.sort_value) for cell in row.cells}
    assert cells["value"] == pytest.approx(last["mean"])
    assert cells["comparisons"] == last["comparisons"]
    assert first["comparisons"] - 1 < cells["needed_98"] <= first["comparisons"]
    assert "comparisons per context reach 98\u202f% of the full Spearman correlation by " in shown[0].block.text


def test_curves_that_need_the_fewest_comparisons_come_first_and_people_have_a_row(client):
    rows = needed(client, voted_run(3, 2, 1), ranking=["win-ratio", "bradley-terry"], people="on")

    people, *curves = rows
    numbers = [int(rows[curve]["needed_98"]) for curve in curves]
    assert people.startswith("people, ")
    assert numbers == sorted(numbers)


def test_curve_without_a_value_says_why_it_needs_nothing(client):
    shown = blocks(client, voted_run(1, 2, 3), ranking="win-ratio")  # the judge ranks the other way round

    assert "is nearly enough: the value of all comparisons is not above 0." in sentences(shown)
    notes = table_of(shown, "Comparisons needed").notes
    assert any("the value of all comparisons is not above 0" in note for note in notes)


def test_tables_have_the_points_of_the_api_and_their_worth_in_votes(client):
    run = voted_run(3, 2, 1)

    drawn = blocks(client, run, ranking="win-ratio", people="on")

    query = {"ranking": "win-ratio", "people": "true"}
    report = client.get(reverse("api-run-curve", args=[run.pk]), query).json()
    expected = [
        {"comparisons": point["comparisons"], "mean": pytest.approx(point["mean"]), "draws": point["draws"]}
        for point in report["points"]
        if point["mean"] is not None
    ]
    shown = points_of(drawn, "win ratio")
    votes = [one["votes"]["value"] for one in report["worth"] if one["votes"]["value"] is not None]
    assert [{name: one[name] for name in ("comparisons", "mean", "draws")} for one in shown] == expected
    assert [one["votes"] for one in shown if "votes" in one] == pytest.approx(votes)
    [end] = table_of(drawn, "Worth in votes").sections[0].rows
    assert {cell.column.name: cell.number for cell in end.cells} == {"votes": "7", "comparisons": "6", "mean": "1.000"}
