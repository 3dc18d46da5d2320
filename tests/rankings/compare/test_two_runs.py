"""Two judges on the same pairs, on an example worked by hand, and refused pairs of runs."""

import json

import pytest

from evenhand.numerics.significance.families import NOT_VARIED, TOO_FEW_TO_TEST
from evenhand.refusals import Refused
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.report.report_figures import differences_json
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db

CONTEXTS = [one_context(3, 2, 1)[0] | {"context": key} for key in ("c0", "c1")]
HEADER = "context,attribute,first,second,p_first\n"
# (context, pair) -> p_first of the better judge, and of the worse one. People prefer a to b to c.
ANSWERS = {
    ("c0", "a,b"): (0.9, 0.9),
    ("c0", "a,c"): (0.8, 0.3),
    ("c0", "b,c"): (0.4, 0.4),
    ("c1", "a,b"): (0.9, 0.2),
    ("c1", "a,c"): (0.3, 0.3),
    ("c1", "b,c"): (0.7, 0.7),
}


def answers_of(judge):
    return HEADER + "".join(f"{context},overall,{pair},{p[judge]}\n" for (context, pair), p in ANSWERS.items())


@pytest.fixture
def study():
    return make_dataset(CONTEXTS)


@pytest.fixture
def runs(study):
    """The better judge was asked one more pair, which the other has no answer to."""
    return (
        compared(study, answers_of(0) + "c0,overall,b,a,0.9\n", judge="better"),
        compared(study, answers_of(1), judge="worse"),
    )


def difference(result, figure, ranking=None):
    [row] = [row for row in result["differences"] if (row["figure"], row["ranking"]) == (figure, ranking)]
    return row


def test_differences_are_as_worked_by_hand(runs):
    result = differences_json(*runs)

    assert difference(result, "accuracy") == {
        "figure": "accuracy",
        "ranking": None,
        "one": pytest.approx(4 / 6),
        "other": pytest.approx(2 / 6),
        "difference": pytest.approx(2 / 6),
        "low": None,
        "high": None,
        "p_value": 0.5,
        "p_value_holm": None,
        "contexts": 2,
        "perm_both": {"value": None, "n": 0, "undefined": "a test of correlations only"},
        "noise_floor": {"value": None, "undefined": f"run {runs[0].pk} has no repeat; judge again with another seed"},
        "undefined": TOO_FEW_TO_TEST,
    }
    by_average = difference(result, "spearman", "average-probability")
    assert (by_average["one"], by_average["other"], by_average["difference"]) == pytest.approx((0.5, -0.5, 1.0))
    by_wins = difference(result, "spearman", "win-ratio")
    assert (by_wins["one"], by_wins["other"], by_wins["difference"]) == pytest.approx((0.25, -0.5, 0.75))


def test_only_pairs_that_both_answered_count_and_mcnemar_counts_where_only_one_is_right(runs):
    result = differences_json(*runs)

    assert (result["comparisons"], result["pairs"], result["contexts"]) == (6, 6, 2)
    assert result["one"]["accuracy"]["n"] == 6
    assert (result["percent_agreement"]["value"], result["percent_agreement"]["n"]) == (pytest.approx(4 / 6), 6)
    assert result["mcnemar"] == {"only_one_right": 2, "only_other_right": 0, "n": 6, "p_value": 0.5}


def test_correlations_have_a_p_value_of_swapped_scores_and_pooled_ones_are_tested_as_dependent(runs):
    """16 of the 64 swaps of six candidates' scores leave the correlations as far apart by average probability."""
    result = differences_json(*runs)

    by_average = difference(result, "spearman", "average-probability")
    assert (by_average["p_value"], by_average["perm_both"]) == (0.5, {"value": 16 / 64, "n": 6})
    [by_default, by_average, by_wins] = result["pooled"]
    assert by_default["ranking"] == "bradley-terry"
    assert (by_average["ranking"], by_average["candidates"]) == ("average-probability", 6)
    assert by_average["one"] > by_average["other"]
    assert 0 < by_average["williams"]["p_value"] < 1
    assert 0 < by_wins["steiger"]["p_value"] < 1


def test_difference_of_a_judge_with_one_answer_is_not_tested():
    dataset = voted_dataset(contexts=8)
    careful = judged(dataset, "careful")
    lines = careful.comparisons.values_list("first__context__key", "first__key", "second__key")
    always = compared(dataset, HEADER + "".join(f"{c},overall,{a},{b},0.9\n" for c, a, b in lines), judge="always")

    rows = differences_json(careful, always)["differences"]

    assert {(row["p_value_holm"], row["undefined"]) for row in rows} == {(None, NOT_VARIED)}
    assert differences_json(careful, judged(dataset, "hasty"))["differences"][0]["p_value_holm"] is not None


def test_differences_are_mirrored_when_the_runs_change_places():
    dataset = voted_dataset(contexts=8)
    runs = judged(dataset, "careful"), judged(dataset, "hasty")

    there, back = differences_json(*runs), differences_json(*reversed(runs))

    for row, mirrored in zip(there["differences"], back["differences"], strict=True):
        assert (row["difference"], row["low"], row["high"]) == (
            -mirrored["difference"],
            -mirrored["high"],
            -mirrored["low"],
        )
        assert row["p_value"] == mirrored["p_value"]


def test_judge_that_scores_is_compared_in_the_orders_that_the_other_asked(study, runs):
    metric = scored(study, "context,attribute,candidate,score\nc0,overall,a,1\nc0,overall,b,3\nc0,overall,c,2\n")

    result = differences_json(runs[0], metric)

    assert (result["comparisons"], result["pairs"], result["contexts"]) == (4, 3, 1)
    assert result["other"]["accuracy"]["value"] == 1 / 4
    assert result["other"]["p_first"]["value"] is None
    assert difference(result, "spearman", "win-ratio")["other"] == pytest.approx(-0.5)


def test_judges_that_score_are_compared_by_their_scores(study):
    lines = "context,attribute,candidate,score\nc0,overall,a,{}\nc0,overall,b,2\nc0,overall,c,1\n"
    good = scored(study, lines.format(3), judge="good")
    bad = scored(study, lines.format(0), judge="bad")

    row = difference(differences_json(good, bad), "spearman", "score")

    assert (row["one"], row["other"], row["difference"]) == pytest.approx((1, -0.5, 1.5))
    assert (row["low"], row["p_value"], row["undefined"]) == (None, None, TOO_FEW_TO_TEST)


def test_differences_without_people_are_undefined():
    dataset = make_dataset(one_context(None, None, 1))
    one, other = (compared(dataset, answers("a b 0.7"), judge=judge) for judge in ("one", "other"))

    result = differences_json(one, other)

    assert [(row["difference"], row["p_value"], row["p_value_holm"]) for row in result["differences"]] == [
        (None, None, None)
    ] * 4
    assert difference(result, "accuracy")["undefined"] == (
        "people prefer no candidate of a compared pair; collect votes or scores"
    )
    assert result["mcnemar"]["p_value"] is None
    assert result["pooled"][0]["williams"]["p_value"] is None
    assert json.dumps(result, allow_nan=False)


def refusal(one, other):
    with pytest.raises(Refused) as refused:
        differences_json(one, other)
    return refused.value.problems


def test_runs_that_cannot_be_compared_are_refused(study, runs):
    stranger = compared(make_dataset(CONTEXTS, name="Other"), answers_of(0), judge="better")
    one, other = (compared(study, answers(row), judge=row) for row in ("a b 0.7", "b a 0.7"))
    candidates = [{"candidate": key, "text": key, "scores": {"x": 1, "y": 2}} for key in "ab"]
    two_attributes = make_dataset([{"context": "c0", "text": "Article", "candidates": candidates}], name="Two")
    of_x, of_y = (compared(two_attributes, f"{HEADER}c0,{name},a,b,0.7\n", judge=name) for name in "xy")

    assert refusal(runs[0], runs[0]) == (f"run: {runs[0].pk} is named twice; name two runs",)
    assert refusal(runs[0], stranger) == (
        f'run: {runs[0].pk} is of the dataset "Study", {stranger.pk} of "Other"; '
        "only runs of one dataset can be compared",
    )
    assert refusal(of_x, of_y) == (
        f'run: {of_x.pk} is of the attribute "x", {of_y.pk} of "y"; only runs of one attribute can be compared',
    )
    assert refusal(one, other) == (f"run: {one.pk} and {other.pk} have answers to no ordered pair in common",)
