import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from docs.built_tables import literature
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined, UnknownRanking
from evenhand.numerics.rankings.registry import RANKINGS, score, scorer_at_budgets
from evenhand.numerics.ranks import average_ranks, rank_within_contexts
from evenhand.numerics.scores import Reason, Scores, StandardErrors
from tests.evenhand.numerics.simulation import simulated_run

INTERFACE = [
    "win-ratio",
    "average-probability",
    "bradley-terry",
    "poe-bt",
    "poe-gaussian",
    "poe-gaussian-hard",
    "likelihood",
]


def test_rankings_begin_with_those_of_the_interface():
    assert list(RANKINGS)[: len(INTERFACE)] == INTERFACE


@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=lambda ranking: ranking.name)
def test_ranking_is_in_the_docs_with_its_formula_and_a_known_source(ranking):
    docs = Path(__file__).resolve().parents[4] / "docs" / "reference"

    row = f"| `{ranking.name}` | {ranking.formula} | [{ranking.source}] |"

    assert row in (docs / "report.md").read_text().splitlines()
    known = re.findall(r"^- \[(\w+)\]", literature(), re.MULTILINE)
    assert [key for key in re.findall(r"\b[A-Z]\w+\d{4}\w?\b", ranking.source) if key not in known] == []


@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=lambda ranking: ranking.name)
def test_record_says_whether_a_ranking_has_standard_errors(ranking):
    comparisons, _ = simulated_run(np.random.default_rng(3), n_candidates=5, n_contexts=1)

    assert ranking.score(comparisons).errors_defined.all() == (not ranking.no_standard_error)


def test_ranking_without_a_curve_solver_is_refused_for_curves(monkeypatch):
    plain = replace(RANKINGS["win-ratio"], name="plain", curve=None)
    monkeypatch.setattr("evenhand.numerics.rankings.registry.RANKINGS", {"plain": plain})

    with pytest.raises(UnknownRanking, match='the ranking "plain" has no curve'):
        scorer_at_budgets("plain", np.array([0.7]))


@pytest.mark.parametrize("ranking", [name for name in RANKINGS if name != "likelihood-hard"])  # needs noise: own tests
@pytest.mark.parametrize("debiased", [False, True])
def test_every_ranking_recovers_the_truth_from_one_comparison_a_pair(ranking, debiased):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=14)
    low, high = np.triu_indices(14, 1)
    turned = rng.random(len(low)) < 0.5
    first, second = np.where(turned, high, low), np.where(turned, low, high)
    answers = 1 / (1 + np.exp(-(truth[first] - truth[second] + 1.5)))
    once = Comparisons(14, first, second, answers)

    scores = score(ranking, once, Debiasing.of_run(once) if debiased else None).complete()

    assert spearmanr(scores, truth).statistic > (0.9 if debiased else 0.7)


@pytest.mark.parametrize("ranking", INTERFACE[2:])
def test_scores_other_than_ratios_have_one_mean_in_each_context(ranking):
    comparisons, _ = simulated_run(np.random.default_rng(1), n_candidates=5, n_contexts=4)

    means = score(ranking, comparisons).complete().reshape(4, 5).mean(axis=1)

    assert means == pytest.approx(-3 if ranking == "likelihood" else 0, abs=1e-10)


@pytest.mark.parametrize("ranking", ["win-ratio", "bradley-terry"])
def test_debiased_hard_rankings_take_the_decisions_at_the_threshold(ranking):
    comparisons, _ = simulated_run(np.random.default_rng(2), n_candidates=5, n_contexts=3, bias=1.0)
    debiasing = Debiasing.of_run(comparisons)
    decided = comparisons.with_p_first(decide(comparisons.p_first, debiasing.threshold.value))

    assert score(ranking, comparisons, debiasing).values.tolist() == score(ranking, decided).values.tolist()


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_part_of_a_run_is_debiased_by_the_whole_run(ranking):
    comparisons, _ = simulated_run(np.random.default_rng(3), n_candidates=5, n_contexts=4, bias=1.0)
    debiasing = Debiasing.of_run(comparisons)
    some = np.array([True, False, True, False])

    part = score(ranking, comparisons.of_contexts(some), debiasing)

    chosen = some[comparisons.candidate_contexts]
    whole = score(ranking, comparisons, debiasing)
    assert part.values[chosen] == pytest.approx(whole.values[chosen], abs=1e-10)
    assert not part.defined[~chosen].any()


@pytest.mark.parametrize("ranking", ["win-ratio", "bradley-terry", "average-probability", "likelihood"])
def test_hard_answers_have_no_debiased_ranking_that_needs_the_threshold(ranking):
    hard = Comparisons(2, [0, 1], [1, 0], [1.0, 0.5])

    with pytest.raises(Undefined, match="every p_first is 0, 1/2 or 1"):
        score(ranking, hard, Debiasing.of_run(hard))


@pytest.mark.parametrize("ranking", ["poe-bt", "poe-gaussian", "poe-gaussian-hard"])
def test_hard_answers_have_debiased_products_of_experts(ranking):
    hard = Comparisons(2, [0, 1], [1, 0], [1.0, 0.5])

    scores = score(ranking, hard, Debiasing.of_run(hard))

    assert scores.complete()[0] > scores.complete()[1]


@pytest.mark.parametrize("ranking", RANKINGS)
def test_rankings_of_no_comparisons_are_empty(ranking):
    assert not score(ranking, Comparisons(3, [], [], [])).defined.any()


def test_score_refuses_a_ranking_that_does_not_exist():
    with pytest.raises(
        UnknownRanking, match='ranking: "none" is unknown; choose one of: win-ratio, average-probability'
    ):
        score("none", Comparisons(2, [0], [1], [1.0]))


def test_scores_compute_standard_errors_once_they_are_asked_for():
    asked = []
    none = np.full(2, int(Reason.NONE))

    def compute():
        asked.append("errors")
        return StandardErrors(np.array([0.5, 0.25]), none)

    scores = Scores(np.array([1.0, -1.0]), none, compute)
    assert (scores.complete().tolist(), asked) == ([1.0, -1.0], [])

    assert scores.errors.tolist() == [0.5, 0.25]
    assert scores.errors_defined.all()
    assert asked == ["errors"]


@pytest.mark.parametrize("ranking", ["average-probability", "poe-gaussian", "poe-gaussian-hard"])
def test_candidates_whose_answers_add_up_to_the_same_share_their_place(ranking):
    comparisons, _ = simulated_run(np.random.default_rng(1), n_contexts=400)
    of_texts = comparisons.with_p_first(np.round(comparisons.p_first * 64) / 64)
    won = decide(of_texts.p_first) if ranking == "poe-gaussian-hard" else of_texts.p_first
    sums = np.bincount(of_texts.first, won) + np.bincount(of_texts.second, 1 - won)  # exact, of 64ths

    ranks = rank_within_contexts(score(ranking, of_texts), of_texts.candidate_contexts)

    assert ranks.reshape(400, 8).tolist() == average_ranks(-sums.reshape(400, 8)).tolist()


@pytest.mark.parametrize("ranking", ["bradley-terry", "poe-bt", "poe-gaussian"])
@pytest.mark.parametrize("n_candidates", [7, 16])
def test_places_after_few_certain_answers_do_not_depend_on_numbers_and_sides(ranking, n_candidates):
    """Many candidates are equal then, and differences of others hang on a chance of one in a million."""
    rng = np.random.default_rng(3)
    comparisons, _ = simulated_run(rng, n_candidates=n_candidates, n_contexts=150)
    few = comparisons.select(rng.random(len(comparisons)) < 2.5 / n_candidates)
    hard = few.with_p_first(np.round(few.p_first))
    last = hard.n_candidates - 1
    renumbered = Comparisons(last + 1, last - hard.second, last - hard.first, 1 - hard.p_first, hard.starts)

    one, other = (rank_within_contexts(score(ranking, run), run.candidate_contexts) for run in (hard, renumbered))

    assert other[::-1].tolist() == pytest.approx(one.tolist(), abs=0, nan_ok=True)
    assert len(np.unique(one[~np.isnan(one)] % 1)) > 1
