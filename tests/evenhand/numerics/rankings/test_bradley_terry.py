import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.fitting.logistic_scores import logistic_scores
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.numerics.scores import Reason
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, league, mirrored, simulated_run

# Agresti, Categorical Data Analysis, 2nd edition, table 10.10: American League 1987, wins of row over column;
# teams in the order Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
# Turner and Firth, Bradley-Terry Models in R: The BradleyTerry2 Package, section 3, relative to Baltimore.
BASEBALL_ABILITIES = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]


def centred_glm(comparisons):
    """Scores and standard errors by another program: a binomial regression on differences, with the mean at zero."""
    import statsmodels.api as sm

    n = comparisons.n_candidates
    design = np.zeros((len(comparisons), n))
    design[np.arange(len(comparisons)), comparisons.first] = 1
    design[np.arange(len(comparisons)), comparisons.second] = -1
    fit = sm.GLM(comparisons.p_first, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    centre = np.eye(n) - 1 / n
    covariance = np.zeros((n, n))
    covariance[1:, 1:] = fit.cov_params()
    return centre @ np.r_[0, fit.params], np.sqrt(np.diag(centre @ covariance @ centre))


def test_logistic_scores_match_the_published_baseball_abilities():
    scores = logistic_scores(league(BASEBALL)).complete()

    assert scores - scores[-1] == pytest.approx(BASEBALL_ABILITIES, abs=5e-5)
    assert scores.mean() == pytest.approx(0, abs=1e-12)


def test_logistic_scores_and_errors_match_a_binomial_regression():
    comparisons = league(BASEBALL)

    scores = logistic_scores(comparisons)

    expected, errors = centred_glm(comparisons)
    assert scores.complete() == pytest.approx(expected, abs=1e-9)
    assert scores.errors == pytest.approx(errors, abs=1e-9)


@pytest.mark.parametrize("n_candidates", [2, 3])
def test_bradley_terry_adds_one_win_over_n_minus_one_to_each_ordered_pair(n_candidates):
    ties_for_pseudo_wins = {2: 2, 3: 1}[n_candidates]  # a tie is half a win each way
    first, second = np.triu_indices(n_candidates, 1)
    real = Comparisons(n_candidates, first, second, np.ones(len(first)))
    padded = Comparisons(
        n_candidates,
        np.tile(first, 1 + ties_for_pseudo_wins),
        np.tile(second, 1 + ties_for_pseudo_wins),
        np.repeat([1.0, 0.5], [len(first), ties_for_pseudo_wins * len(first)]),
    )

    scores = bradley_terry(real)

    assert scores.complete() == pytest.approx(logistic_scores(padded).complete(), abs=1e-9)
    assert scores.errors == pytest.approx(logistic_scores(padded).errors, abs=1e-9)


def test_bradley_terry_of_one_win_is_the_log_odds_of_two_to_one():
    scores = bradley_terry(Comparisons(2, [0], [1], [0.8]))

    assert scores.complete() == pytest.approx([np.log(2) / 2, -np.log(2) / 2])


@given(comparisons=connected_contexts_of_comparisons())
def test_bradley_terry_makes_the_gradient_zero(comparisons):
    n = comparisons.n_candidates

    scores = bradley_terry(comparisons).complete()

    difference = scores[:, None] - scores
    wins = np.full((n, n), 1 / (n - 1))
    np.add.at(wins, (comparisons.first, comparisons.second), decide(comparisons.p_first))
    np.add.at(wins, (comparisons.second, comparisons.first), 1 - decide(comparisons.p_first))
    np.fill_diagonal(wins, 0)
    assert np.abs((wins - (wins + wins.T) * expit(difference)).sum(axis=1)).max() < 1e-9


@given(comparisons=connected_contexts_of_comparisons())
def test_bradley_terry_does_not_depend_on_the_sides(comparisons):
    assert bradley_terry(mirrored(comparisons)).complete() == pytest.approx(bradley_terry(comparisons).complete())


def test_bradley_terry_of_many_contexts_is_that_of_each_alone():
    rng = np.random.default_rng(3)
    together, _ = simulated_run(rng, n_candidates=5, n_contexts=3)
    keep = rng.random(len(together)) < 0.8
    together = together.select(keep)

    scores = bradley_terry(together).complete()

    for context in range(3):
        part = together.of_contexts(np.arange(3) == context)
        alone = Comparisons(5, part.first - 5 * context, part.second - 5 * context, part.p_first)
        assert scores[5 * context : 5 * context + 5] == pytest.approx(bradley_terry(alone).complete(), abs=1e-10)


@pytest.mark.parametrize("n_candidates", [40, 90])
def test_bradley_terry_recovers_the_truth_in_small_and_large_contexts(n_candidates):
    rng = np.random.default_rng(5)
    soft, truth = simulated_run(rng, n_candidates=n_candidates, n_contexts=1, noise=0)
    hard = soft.with_p_first((rng.random(len(soft)) < soft.p_first).astype(float))

    scores = bradley_terry(hard)

    error = scores.complete() - (truth - truth.mean())
    assert np.abs(error / scores.errors).max() < 4
    assert np.sqrt(np.mean((error / scores.errors) ** 2)) == pytest.approx(1, abs=0.25)


def test_large_contexts_are_fitted_as_small_ones_are(monkeypatch):
    comparisons, _ = simulated_run(np.random.default_rng(7), n_candidates=12, n_contexts=2, bias=0.4)
    expected = logistic_scores(comparisons, shift=0.3, pseudo_wins=False)
    with_pseudo_wins = logistic_scores(comparisons, pseudo_wins=True)

    monkeypatch.setattr("evenhand.numerics.fitting.logistic_scores.LARGEST_STACKED", 4)

    assert logistic_scores(comparisons, shift=0.3).complete() == pytest.approx(expected.complete(), abs=1e-10)
    assert logistic_scores(comparisons, pseudo_wins=True).values == pytest.approx(with_pseudo_wins.values, abs=1e-10)


def test_bradley_terry_has_no_scores_for_a_context_that_is_not_connected():
    connected_and_not = Comparisons(7, [0, 1, 3, 5], [1, 2, 4, 6], [1.0, 0.0, 1.0, 0.0], [0, 3])

    scores = bradley_terry(connected_and_not)

    assert scores.defined.tolist() == [True] * 3 + [False] * 4
    assert scores.why(3) == "the comparisons of this context do not connect all its compared candidates"
    with pytest.raises(Undefined, match="candidate 3 has no score"):
        scores.complete()


@pytest.mark.parametrize("p_first", [[1.0, 1.0, 1.0], [1.0, 1.0, 0.4]])
def test_logistic_scores_refuse_candidates_that_never_lose_to_the_others(p_first):
    separable_and_not = Comparisons(6, [0, 0, 1, 3, 4, 5], [1, 2, 2, 4, 5, 3], [*p_first, 1.0, 1.0, 1.0], [0, 3])

    scores = logistic_scores(separable_and_not)

    assert scores.defined.tolist() == [False] * 3 + [True] * 3
    assert scores.why(0) == "some candidates of this context never lose to the others, so no finite scores are the best"
    with pytest.raises(Undefined, match="never lose"):
        scores.complete()


def test_logistic_scores_need_only_a_part_of_a_win_of_each_candidate():
    assert logistic_scores(Comparisons(3, [0, 0, 1], [1, 2, 2], [0.9, 0.9, 1.0])).defined.all()


def test_bradley_terry_leaves_out_candidates_without_a_comparison():
    scores = bradley_terry(Comparisons(4, [0, 2], [2, 3], [1.0, 1.0]))

    assert scores.defined.tolist() == [True, False, True, True]
    with pytest.raises(Undefined):
        scores.complete()


def test_logistic_scores_say_when_a_fit_does_not_converge(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.fitting.stacked_logistic.MAX_ITERATIONS", 2)

    scores = bradley_terry(league(BASEBALL))

    assert (scores.reasons == Reason.NOT_CONVERGED).all()
    with pytest.raises(Undefined, match="did not converge"):
        scores.complete()


def test_logistic_scores_converge_for_probabilities_near_zero_and_one():
    chain = Comparisons(6, np.arange(5), np.arange(1, 6), np.full(5, 1 - 1e-6))

    assert -np.diff(logistic_scores(chain).complete()) == pytest.approx(np.full(5, np.log(1e6 - 1)))


def test_bradley_terry_gives_equal_candidates_exactly_equal_ranks():
    cycle = Comparisons(3, [0, 1, 2], [1, 2, 0], [1.0, 1.0, 1.0])

    assert np.round(bradley_terry(cycle).complete(), 9).tolist() == [0, 0, 0]


def test_bradley_terry_gives_no_scores_to_a_context_too_large_for_its_pseudo_wins(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.fitting.logistic_scores.LARGEST_WITH_ERRORS", 6)

    assert bradley_terry(league(BASEBALL)).why(0) == "the context has too many candidates for this ranking"
