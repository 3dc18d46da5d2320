"""Diagnostics of a run on examples worked by hand, and undefined diagnostics."""

import json

import pytest

from judging.models import Run
from rankings.report_cache import forget_figures
from tests.factories import make_dataset as make_unjudged_dataset
from tests.factories import make_run
from tests.rankings.report.report_figures import diagnostics_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


def diagnostics(run):
    return diagnostics_json(run, runs=Run.objects.filter(attribute=run.attribute).order_by("pk"))


def value_and_n(figure):
    return pytest.approx(figure["value"]), figure["n"]


@pytest.fixture(scope="module")
def found(rows_of_module):
    return diagnostics(compared(make_dataset(name="Worked")))


def test_calibration_goes_by_human_scores_and_by_the_majority_of_votes(found):
    """Seven comparisons are decided by people; each is alone in its part."""
    calibration = found["calibration"]

    gaps = [0.1, 0.3, 0.2, 0.6, 0.3, 0.5, 0.4]
    assert value_and_n(calibration["expected_calibration_error"]) == (sum(gaps) / 7, 7)
    assert value_and_n(calibration["brier_score"]) == (sum(gap**2 for gap in gaps) / 7, 7)


def test_reliability_diagram_tells_of_every_part(found):
    bins = found["calibration"]["bins"]

    assert [part["share_first"]["value"] for part in bins] == [None, None, None, 0, 0, 0, 0, 1, 1, 1]
    assert [part["share_first"]["n"] for part in bins] == [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert (bins[9]["low"], bins[9]["high"], bins[9]["mean_p_first"]["value"]) == (0.9, 1.0, 0.9)
    assert bins[0]["mean_p_first"]["undefined"] == "no comparison that people decided has a p_first in this part"


def test_score_differences_count_the_comparisons_with_human_scores(found):
    joint = found["calibration"]["score_differences"]

    assert sum(map(sum, joint["counts"])) == joint["correlation"]["n"] == 6
    assert (joint["difference_edges"][0], joint["difference_edges"][-1]) == (-2, 2)
    [at] = [part for part in joint["by_p_first"] if part["low"] == pytest.approx(0.8)]
    assert (at["mean"]["value"], at["deviation"]["undefined"]) == (2, "one comparison alone has no spread")


def test_consistency_takes_both_orders_of_a_pair_together(found):
    """a over b 0.8, a over c 0.6, b over c 0.6: a over c is below the larger of the other two, not the smaller."""
    consistency = found["consistency"]

    assert [
        value_and_n(consistency[name])
        for name in ("cyclic_triads", "weak_violations", "moderate_violations", "strong_violations")
    ] == [(0, 1), (0, 1), (0, 1), (1, 1)]


def test_cycles_are_counted_by_context():
    run = compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.9", "b c 0.8", "a c 0.3"))

    consistency = diagnostics(run)["consistency"]

    assert value_and_n(consistency["cyclic_triads"]) == (1, 1)
    assert consistency["contexts"] == [{"context": "c0", "cyclic": 1, "triads": 1}]


def test_contexts_with_the_most_cycles_come_first():
    """The one triad of c0 is a cycle; so are two of the four of c1, where d beats a."""
    sizes = {"c0": "abc", "c1": "abcd"}
    contexts = [
        {"context": context, "text": "Article", "candidates": [{"candidate": key, "text": key} for key in keys]}
        for context, keys in sizes.items()
    ]
    won = {"c0": ("ab", "bc", "ca"), "c1": ("ab", "bc", "cd", "da", "ac", "bd")}
    lines = [f"{context},overall,{first},{second},0.9\n" for context in won for first, second in won[context]]
    contexts[0]["candidates"][0]["scores"] = {"overall": 1}
    run = compared(make_dataset(contexts), "context,attribute,first,second,p_first\n" + "".join(lines))

    assert diagnostics(run)["consistency"]["contexts"] == [
        {"context": "c1", "cyclic": 2, "triads": 4},
        {"context": "c0", "cyclic": 1, "triads": 1},
    ]


def test_rater_fit_has_people_and_the_judges_given():
    run = compared(make_dataset())
    other = compared(run.dataset, judge="other")
    names = ["h1", "h2", "h3", f"judge (run {run.pk})", f"other (run {other.pk})"]

    both = diagnostics(run)["rater_fit"]["raters"]
    alone = diagnostics_json(run, runs=[run])["rater_fit"]["raters"]

    assert [rater["name"] for rater in both] == names
    assert [rater["infit"]["n"] for rater in both] == [1, 1, 1, 7, 7]
    assert [rater["name"] for rater in alone] == names[:4]


def test_rater_fit_marks_who_contradicts_the_others():
    votes = [
        {"attribute": "overall", "first": first, "second": second, "choice": choice, "rater": rater}
        for rater, choice in (("h1", "first"), ("h2", "first"), ("h3", "second"))
        for first, second in ("ab", "ac", "bc")
    ]
    run = compared(make_dataset(one_context(None, None, None, votes=votes)), answers("a b first", "b c first"))

    fit = diagnostics(run)["rater_fit"]

    assert {rater["name"] for rater in fit["raters"] if rater["infit"]["value"] > fit["usual_range"][1]} == {"h3"}
    assert next(rater for rater in fit["raters"] if rater["name"] == "h3")["outside_usual_range"]


def test_reliability_is_given_by_ranking(found):
    assert list(found["reliability"]) == ["bradley-terry", "poe-bt", "poe-gaussian", "average-probability"]
    assert found["reliability"]["bradley-terry"]["separation_reliability"]["n"] == 5
    assert found["reliability"]["average-probability"]["separation_reliability"]["undefined"] == (
        "fewer than two candidates have a score with a standard error"
    )


def test_choices_have_no_calibration_and_no_reliability_of_soft_scores():
    found = diagnostics(compared(make_dataset(one_context(2, 1)), answers("a b first", "b a tie")))

    assert found["calibration"]["brier_score"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "undefined": "every answer is a choice, 0, 1/2 or 1, and no probability",
    }
    assert found["reliability"]["poe-bt"]["split_half"]["undefined"].startswith("every answer is a choice")


def test_scoring_run_gives_reasons_for_diagnostics_that_do_not_apply():
    run = scored(make_dataset(), "context,attribute,candidate,score\nc0,overall,a,3\nc0,overall,b,1\nc1,overall,a,2\n")

    found = diagnostics(run)

    assert found["calibration"]["expected_calibration_error"]["undefined"] == (
        "a run that scores candidates one by one gives no probability"
    )
    assert found["consistency"]["cyclic_triads"]["undefined"] == (
        "scores put the candidates in one order, which has no cycle"
    )
    assert found["reliability"]["score"]["split_half"]["undefined"] == (
        "scores of single candidates have neither comparisons to split nor standard errors"
    )
    assert found["rater_fit"]["raters"][-1]["infit"]["n"] == 1


def test_run_without_an_answer_is_undefined_throughout():
    found = diagnostics(make_run(make_unjudged_dataset()))

    assert found["comparisons"] == 0
    assert found["calibration"]["brier_score"]["undefined"] == "no comparison has an answer"
    assert found["calibration"]["score_differences"]["counts"] == []
    assert found["consistency"]["cyclic_triads"]["undefined"] == (
        "no context has three candidates all of whose pairs were decided"
    )
    assert found["reliability"]["poe-bt"]["split_half"]["undefined"] == (
        "no split of the comparisons leaves both halves with two scored candidates in common whose scores differ"
    )
    assert found["rater_fit"] == {"usual_range": [0.7, 1.3], "raters": [], "undefined": "nobody has answered anything"}
    assert found["prediction_powered"]["undefined"] == "the attribute has no votes"
    json.dumps(found, allow_nan=False)


def test_contexts_with_very_many_candidates_have_neither_triads_nor_halves(monkeypatch):
    monkeypatch.setattr("rankings.diagnostics.diagnostics_report.LARGEST_CONTEXT", 2)

    found = diagnostics(compared(make_dataset()))

    assert found["consistency"]["weak_violations"]["undefined"] == (
        "triads are counted up to 2 candidates; a context has 3"
    )
    assert found["reliability"]["bradley-terry"]["split_half"]["undefined"] == (
        "halves are ranked up to 2 candidates; a context has 3"
    )


@pytest.mark.parametrize("most", ["LARGEST_QUICK", "MOST_FOR_SPLITS"])
def test_contexts_with_many_candidates_and_runs_of_many_comparisons_get_fewer_splits(monkeypatch, most):
    run = compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.9", "b a 0.3", "b c 0.8", "a c 0.7", "c a 0.4"))

    def splits():
        forget_figures()
        return diagnostics(run)["reliability"]["average-probability"]["split_half"]["n"]

    assert splits() > 4
    monkeypatch.setattr(f"rankings.diagnostics.diagnostics_report.{most}", 2)
    assert splits() <= 4


def test_diagnostics_are_those_of_the_votes_of_now():
    run = compared(make_dataset())
    before = diagnostics(run)

    run.attribute.votes.filter(rater="h3").delete()

    assert len(diagnostics(run)["rater_fit"]["raters"]) == len(before["rater_fit"]["raters"]) - 1
