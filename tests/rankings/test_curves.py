"""Curves of correlation against comparisons, as pages and commands show them."""

import pytest

from judging.exceptions import Refused
from rankings.curves import CurveChoice, curve_report
from rankings.reports import report_rows
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


def curve_points(run, **chosen):
    return curve_report(run, CurveChoice(**chosen))["points"]


def test_a_curve_ends_at_the_correlation_of_the_report():
    dataset = make_dataset()
    run = compared(dataset)

    points = curve_points(run, rankings=("win-ratio",), selections=("random",), draws=5)

    block = report_rows(dataset)[0]["spearman"]["win-ratio"]["raw"]
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

    points = curve_points(run, rankings=("win-ratio",), selections=("symmetric",))

    assert points == [
        {
            "ranking": "win-ratio",
            "selection": "symmetric",
            "debiased": False,
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
        (ranking, "random") for ranking in report_rows(run.dataset)[0]["spearman"]
    }


def test_a_curve_refuses_everything_that_cannot_be_drawn():
    run = scored(make_dataset(one_context(1, 2)), "context,attribute,candidate,score\nc0,overall,a,5\n")

    with pytest.raises(Refused) as refused:
        curve_points(run, rankings=("elo",), selections=("full",), draws=0, seed=-1)

    assert [problem.split(";")[0] for problem in refused.value.problems] == [
        'ranking: no curve is drawn of "elo"',
        'selection: no curve is drawn of "full"',
        "draws: 0 — expected 1 to 1000",
        "seed: -1 — expected 0 or more",
        f"run {run.pk} scores candidates one by one",
    ]
