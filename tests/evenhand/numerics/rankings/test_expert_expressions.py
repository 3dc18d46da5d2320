import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.rankings.expert_expressions import ExpertExpression, WrongExpression
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.scores import Reason
from tests.evenhand.numerics.simulation import simulated_run

BT = "bt=p*d - logaddexp(0, d)"
GAUSSIAN = "gaussian=-(d - (p - 0.5))**2 / 2"


@pytest.mark.parametrize(("named", "ranking"), [(BT, "poe-bt"), (GAUSSIAN, "poe-gaussian")])
@pytest.mark.parametrize("debiased", [False, True])
def test_expression_of_a_known_expert_has_its_scores(named, ranking, debiased):
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=6, n_contexts=3, bias=1.0)
    some = comparisons.select(np.random.default_rng(1).random(len(comparisons)) < 0.7)
    expert, debiasing = ExpertExpression.parse(named), Debiasing.of_run(some)

    scores = expert.debiased(some, debiasing) if debiased else expert.score(some)

    expected = score(ranking, some, debiasing if debiased else None)
    assert scores.complete() == pytest.approx(expected.complete(), abs=1e-5)


def test_expression_leaves_out_contexts_that_are_not_connected():
    comparisons, _ = simulated_run(np.random.default_rng(2), n_candidates=4, n_contexts=2)
    first, second = comparisons.first, comparisons.second
    apart = comparisons.select((first >= 4) | (first // 2 == second // 2))

    scores = ExpertExpression.parse(BT).score(apart)

    assert (scores.reasons[:4] == Reason.NOT_CONNECTED).all()
    assert scores.defined[4:].all()


def test_candidates_that_only_the_error_of_the_fit_separates_tie():
    """The second candidate loses to the third with 0.5, so the two are equal, but their other answers differ."""
    comparisons = Comparisons(3, [2, 2], [0, 1], [0.6, 0.5])

    scores = ExpertExpression.parse(BT).score(comparisons).complete()

    assert scores[1] == scores[2]
    assert scores[0] < scores[1]


def test_candidates_with_equal_means_of_different_answers_need_not_tie():
    """An expert that bounds the influence of each answer does not depend on the mean answer alone."""
    comparisons = Comparisons(5, [0, 0, 0, 1, 1, 1, 2], [2, 3, 4, 2, 3, 4, 3], [0.95, 0.6, 0.55, 0.7, 0.7, 0.7, 0.6])

    robust = ExpertExpression.parse("robust=-sqrt(1 + ((d - (p - 0.5)) / 0.1)**2)").score(comparisons).complete()

    assert abs(robust[0] - robust[1]) > 1e-3


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ("p*d", "write NAME=EXPRESSION"),
        ("=p*d", "write NAME=EXPRESSION"),
        ("a b=p*d", "write the name with letters"),
        ("x=p*(d", "it is no expression"),
        ("x=__import__('os').system('true')", "allowed are numbers"),
        ("x=d.real", "allowed are numbers"),
        ("x=[d for d in (1, 2)]", "allowed are numbers"),
        ("x=(lambda: d)()", "allowed are numbers"),
        ("x=open", "allowed are numbers"),
        ("x=exp(d, p)", "it takes 1 values, not 2"),
        ("x=-p", "it does not change with d"),
        ("x=log(d)", "it is not finite at d = -20"),
        ("x=-log1p((d-(p-0.5))**2)", "it is not concave at d ="),
        ("x=d**2", "it is not concave"),
        ("x=-d**2" + " " * 600, "x"),
        ("x=-d**2" + "+0" * 300, "write at most 500"),
        ("x=" + "(" * 220 + "d" + ")" * 220, "it is no expression"),
        ("x=9**9**9**9*d", "it is not finite"),
    ],
)
def test_expression_that_is_no_expert_is_refused(named, problem):
    if problem == "x":  # white space at the end is not part of the expression
        assert ExpertExpression.parse(named).text == "-d**2"
        return

    with pytest.raises(WrongExpression) as refused:
        ExpertExpression.parse(named)

    assert problem in str(refused.value)
