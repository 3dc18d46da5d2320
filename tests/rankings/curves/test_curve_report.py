"""Curves of correlation against comparisons, as pages and commands show them."""

import numpy as np
import pytest

from evenhand.numerics import CURVE_RANKINGS
from evenhand.refusals import Refused
from rankings.curves.curve_records import CurveChoice, biases_of
from tests.rankings.curves.voted_runs import VOTES, voted_run
from tests.rankings.report.report_figures import curve_json, report_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


def curve_points(run, **chosen):
    return curve_json(run, CurveChoice(**chosen))["points"]


def test_a_curve_ends_at_the_correlation_of_the_report():
    dataset = make_dataset()
    run = compared(dataset)

    points = curve_points(run, rankings=("win-ratio",), selections=("random",), draws=5)

    block = report_json(dataset)[0]["spearman"]["win-ratio"]["raw"]
    last = points[-1]
    assert (last["ranking"], last["selection"], last["debiased"], last["comparisons"]) == (
        "win-ratio",
        "random",
        False,
        6,
    )
    assert last["mean"] == last["low"] == last["high"] == pytest.approx(block["per_context"])
    assert last["draws"] == 5


def test_a_curve_is_the_same_again_for_the_same_seed():
    chosen = {"rankings": ("win-ratio",), "draws": 3, "seed": 7}
    one, other = (compared(make_dataset(name=name), judge=name) for name in ("one", "other"))

    assert curve_points(one, **chosen) == curve_points(other, **chosen)


def test_a_curve_that_does_not_exist_is_a_point_with_the_reason():
    run = compared(make_dataset(one_context(3, 2)), answers("a b 0.7"))

    assert curve_points(run, rankings=("win-ratio",), selections=("symmetric",)) == [
        {
            "ranking": "win-ratio",
            "selection": "symmetric",
            "debiased": False,
            "average_orders": False,
            "comparisons": 0,
            "mean": None,
            "low": None,
            "high": None,
            "draws": 0,
            "source": "judge",
            "measure": "spearman",
            "against": "human scores",
            "undefined": 'no comparison can be drawn for selection "symmetric"',
        }
    ]


def test_a_curve_without_choices_has_every_ranking_over_random_draws():
    run = compared(make_dataset())

    points = curve_points(run, draws=2)

    assert {(point["ranking"], point["selection"]) for point in points} == {
        (ranking, "random") for ranking in CURVE_RANKINGS
    }


def test_a_curve_refuses_everything_that_cannot_be_drawn():
    run = scored(make_dataset(one_context(1, 2)), "context,attribute,candidate,score\nc0,overall,a,5\n")

    with pytest.raises(Refused, match=f"run {run.pk} scores candidates one by one; a curve needs comparisons"):
        curve_points(run)


def test_curves_of_people_follow_those_of_the_judge():
    run = voted_run(3, 2, 1)

    report = curve_json(run, CurveChoice(("win-ratio", "bradley-terry"), people=True, draws=3))

    last = {(point["source"], point["ranking"]): point for point in report["points"]}
    assert list(last) == [
        (source, ranking) for source in ("judge", "people") for ranking in ("win-ratio", "bradley-terry")
    ]
    assert {key: (point["comparisons"], point["mean"]) for key, point in last.items()} == {
        ("judge", "win-ratio"): (6, 1.0),
        ("judge", "bradley-terry"): (6, 1.0),
        ("people", "win-ratio"): (9, 1.0),
        ("people", "bradley-terry"): (9, 1.0),
    }
    assert {point["against"] for point in report["points"]} == {"human scores"}
    assert report["people"] == {"contexts": 1, "votes": 9, "against": "human scores"}


def test_curves_of_people_are_over_the_contexts_that_the_judge_answered():
    [context] = one_context(3, 2, 1, votes=VOTES)
    dataset = make_dataset([context | {"context": key} for key in ("c0", "c1")])
    run = compared(dataset, answers("a b 0.9"))

    people = curve_json(run, CurveChoice(("win-ratio",), people=True, draws=2))["people"]

    assert (people["contexts"], people["votes"]) == (1, 9)


def test_every_point_of_the_judge_has_its_worth_in_votes():
    report = curve_json(
        voted_run(3, 2, 1), CurveChoice(("win-ratio",), biases=("raw", "debiased"), people=True, draws=3)
    )

    judged = [point for point in report["points"] if point["source"] == "judge"]
    fields = ("ranking", "selection", "debiased", "comparisons", "mean")
    assert [{field: row[field] for field in fields} for row in report["worth"]] == [
        {field: point[field] for field in fields} for point in judged
    ]
    assert report["worth"][-1]["votes"].keys() == {"value"}


def test_curves_without_human_scores_are_measured_against_held_out_votes():
    report = curve_json(voted_run(None, None, None), CurveChoice(("win-ratio",), people=True, draws=5))

    assert report["people"] == {"contexts": 1, "votes": 9, "against": "held-out votes"}
    assert [point for point in report["points"] if point["source"] == "people"][-1]["comparisons"] == 4
    assert {point["against"] for point in report["points"]} == {"held-out votes"}
    assert report["points"][0]["draws"] == 5


def test_curves_of_people_without_votes_say_why():
    report = curve_json(voted_run(3, 2, 1, votes=[]), CurveChoice(("win-ratio",), people=True))

    reason = "no context has both an answer of the judge and a vote"
    assert [(point["source"], point["undefined"]) for point in report["points"]] == [
        ("judge", reason),
        ("people", reason),
    ]
    assert report["worth"][0]["votes"] == {"value": None, "undefined": f"the judge has no such point: {reason}"}


def test_accuracy_of_the_judges_order_counts_pairs_that_only_votes_decide():
    run = voted_run(None, None, None)

    last = curve_points(run, rankings=("win-ratio",), measure="accuracy", draws=2)[-1]

    assert (last["mean"], last["measure"], last["against"]) == (1.0, "accuracy", "human scores, else votes")


def test_curves_are_raw_and_debiased_at_once_as_they_are_one_by_one():
    run = voted_run(3, 2, 1)
    chosen = {"rankings": ("poe-bt",), "selections": ("bt-optimal", "d-optimal"), "draws": 4}

    both = curve_points(run, biases=("raw", "debiased"), **chosen)

    for bias in ("raw", "debiased"):
        of_bias = [point for point in both if point["debiased"] == (bias == "debiased")]
        assert of_bias == curve_points(run, biases=(bias,), **chosen)


def test_curves_are_computed_once(django_assert_max_num_queries):
    run, choice = voted_run(3, 2, 1), CurveChoice(("win-ratio",), people=True, draws=2)
    first = curve_json(run, choice)

    with django_assert_max_num_queries(3):  # what tells whether anything has changed
        again = curve_json(run, choice)

    assert again == first


def means_of(points, **wanted):
    """The comparisons and means of the points with these fields."""
    return [
        (point["comparisons"], point["mean"])
        for point in points
        if all(point[field] == value for field, value in wanted.items())
    ]


INCONSISTENT = (
    *("a b 0.9", "b a 0.7", "a c 0.3", "c a 0.4", "b c 0.8"),
    *("c b 0.9", "a d 0.6", "d a 0.8", "b d 0.3", "d b 0.5"),
)


@pytest.mark.parametrize("ranking", ["average-probability", "poe-gaussian", "poe-bt"])
def test_averaged_orders_of_soft_answers_are_those_of_symmetric_selection(ranking):
    """These rankings give the same scores from both orders and from their mean."""
    run = compared(make_dataset(one_context(4, 3, 2, 1)), answers(*INCONSISTENT))

    points = curve_points(run, rankings=(ranking,), selections=("symmetric",), biases=("raw", "averaged"), draws=6)

    averaged = np.array(means_of(points, average_orders=True))
    assert averaged == pytest.approx(np.array(means_of(points, average_orders=False)))
    assert averaged[:, 0].tolist() == [6, 8, 10]


def test_averaged_orders_are_decided_by_their_mean():
    """a b 0.9 and b a 0.7: the judge is surer of a, by whom the mean decides; two decisions would be a draw."""
    run = compared(make_dataset(one_context(2, 1)), answers("a b 0.9", "b a 0.7"))

    points = curve_points(run, rankings=("win-ratio",), selections=("symmetric",), biases=("raw", "averaged"), draws=2)

    assert means_of(points, average_orders=False) == [(2, 0.0)]
    assert means_of(points, average_orders=True) == [(2, 1.0)]
    assert {point["selection"] for point in points} == {"symmetric"}


def test_averaged_orders_of_pairs_asked_once_say_why_there_are_none():
    run = compared(make_dataset(one_context(2, 1)), answers("a b 0.9"))

    [point] = curve_points(run, rankings=("win-ratio",), biases=("averaged",))

    assert (point["mean"], point["undefined"]) == (None, "no pair was decided in both orders")


def test_pairs_has_a_point_for_each_beam():
    run = voted_run(3, 2, 1)

    points = curve_points(run, rankings=("pairs",), biases=("raw", "debiased", "averaged"), draws=3)

    assert [(point["selection"], point["debiased"], point["average_orders"], point["beam"]) for point in points] == [
        ("pairs", debiased, averaged, beam)
        for debiased, averaged in ((False, False), (True, False), (False, True))
        for beam in (1, 4, 16)
    ]
    assert {point["mean"] for point in points if point["average_orders"]} == {1.0}


def test_pairs_is_drawn_only_where_it_is_named():
    points = curve_points(voted_run(3, 2, 1), draws=2)

    assert "pairs" not in {point["ranking"] for point in points}


def test_pairs_has_no_worth_in_votes():
    report = curve_json(voted_run(3, 2, 1), CurveChoice(("pairs",), people=True, draws=2))

    assert {row["votes"]["undefined"] for row in report["worth"]} == {
        "people's votes have no such curve: votes do not follow the order in which PairS asks"
    }
    assert {point["source"] for point in report["points"]} == {"judge"}


@pytest.mark.parametrize(
    ("switches", "biases"),
    [
        ((False, False, False), ("raw",)),
        ((True, False, False), ("debiased",)),
        ((False, True, False), ("raw", "debiased")),
        ((False, False, True), ("averaged",)),
        ((True, False, True), ("debiased", "averaged")),
        ((False, True, True), ("raw", "debiased", "averaged")),
    ],
)
def test_switches_choose_the_biases(switches, biases):
    assert biases_of(**dict(zip(("debias", "both", "average_orders"), switches, strict=True))) == biases
