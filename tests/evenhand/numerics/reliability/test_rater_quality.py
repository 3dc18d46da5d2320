"""Figures of how people vote, on simulated annotators."""

from functools import cache

import numpy as np
import pytest

from evenhand.numerics import Comparisons, Votes
from evenhand.numerics.reliability.rater_flags import check_power, fewest_answers, flag_power
from evenhand.numerics.reliability.rater_quality import CheckVotes, TimedVotes, quality_of_raters

N_CONTEXTS = 160
KINDS = ("careful", "careful", "careful", "left", "random", "drifting", "copying", "hasty")


def simulated_votes(seed, *, n_contexts=N_CONTEXTS, kinds=KINDS, repeats=25):
    """Every annotator votes on one pair of each context, then again on the first pairs with the sides swapped.

    Candidate 0 of each context is better. A careful annotator says so on nine of ten pairs.
    """
    rng = np.random.default_rng(seed)
    contexts = np.concatenate([np.arange(n_contexts), np.arange(repeats)])
    is_swapped = rng.random(n_contexts) < 0.5
    is_swapped = np.concatenate([is_swapped, ~is_swapped[:repeats]])
    first, second = 2 * contexts + is_swapped, 2 * contexts + ~is_swapped
    careful = [right_choices(rng, contexts, 0.9) for _ in kinds]
    rows = [choices(kind, rng, careful[at], careful[0], is_swapped) for at, kind in enumerate(kinds)]
    p_first = np.concatenate([np.where(is_swapped, 1 - row, row) for row in rows])
    n = len(contexts)
    votes = Comparisons(
        2 * n_contexts, np.tile(first, len(kinds)), np.tile(second, len(kinds)), p_first, 2 * np.arange(n_contexts)
    )
    seconds = np.concatenate([rng.uniform(0.5, 1.5, n) if kind == "hasty" else rng.uniform(5, 60, n) for kind in kinds])
    order = np.tile(np.arange(n, dtype=np.float64), len(kinds))
    return TimedVotes(Votes(votes, np.repeat(np.arange(len(kinds)), n)), seconds, order)


def right_choices(rng, contexts, skill):
    """1 where candidate 0 is chosen; the same at each repeat but for one in twenty."""
    of_context = rng.random(contexts.max() + 1) < skill
    return np.where(rng.random(len(contexts)) < 0.05, ~of_context[contexts], of_context[contexts]).astype(np.float64)


def choices(kind, rng, own, copied, is_swapped):
    """1 where candidate 0 is chosen."""
    n = len(own)
    if kind == "left":
        return np.where(rng.random(n) < 0.9, ~is_swapped, own).astype(np.float64)
    if kind == "random":
        return rng.integers(0, 2, n).astype(np.float64)
    if kind == "drifting":
        return np.where(np.arange(n) < n / 2, own, rng.integers(0, 2, n)).astype(np.float64)
    return np.where(rng.random(n) < 0.01, 1 - copied, copied) if kind == "copying" else own


def qualities(timed, n_raters):
    """The figures of people who were not checked by repeats or gold pairs."""
    nobody = np.zeros(0, dtype=int)
    repeats = timed.votes.select(np.zeros(len(timed.votes), dtype=bool))
    return quality_of_raters(timed, n_raters, CheckVotes(repeats, nobody, nobody, nobody.astype(bool)))


EXPECTED = {"left": "one-side", "random": "no-agreement", "drifting": "drift", "copying": "copied", "hasty": "quick"}


@cache
def qualities_of_campaigns():
    """The figures of every kind of annotator in twenty campaigns."""
    return [qualities(simulated_votes(seed), len(KINDS)) for seed in range(20)]


@pytest.mark.parametrize(("kind", "flag"), EXPECTED.items())
def test_flag_finds_its_kind_of_annotator(kind, flag):
    number = KINDS.index(kind)

    assert sum(flag in found[number].flags for found in qualities_of_campaigns()) >= 18


def test_careful_annotators_get_no_flag():
    flags = []
    for seed in range(20):
        raised = qualities(simulated_votes(seed, kinds=("careful",) * 6), 6)
        flags += [flag for one in raised for flag in one.flags]

    assert len(flags) <= 2  # of 120 annotators


def test_random_annotator_is_inconsistent_with_enough_repeats():
    timed = simulated_votes(1, repeats=60)

    assert "inconsistent" in qualities(timed, len(KINDS))[KINDS.index("random")].flags


def test_person_who_only_skipped_has_no_share_of_firsts():
    timed = TimedVotes(Votes(Comparisons(2, [0], [1], [0.5]), np.array([0])), np.full(1, np.nan), np.full(1, np.nan))

    one, other = qualities(timed, 2)

    assert one.left_share.undefined == other.left_share.undefined == "no vote prefers a candidate"


def test_figures_of_a_small_example():
    """Two people on two contexts: one votes twice on the first pair and changes their mind."""
    comparisons = Comparisons(4, [0, 0, 2, 0, 2], [1, 1, 3, 1, 3], [1.0, 0.0, 1.0, 1.0, 0.5], [0, 2])
    votes = Votes(comparisons, np.array([0, 0, 0, 1, 1]))
    timed = TimedVotes(votes, np.array([1.0, 3.0, np.nan, 10.0, 20.0]), np.arange(5.0))

    one, other = qualities(timed, 2)

    assert (one.votes, one.left_share.value, one.left_share.n) == (3, pytest.approx(2 / 3), 3)
    assert (one.self_consistency.value, one.self_consistency.n) == (0.0, 1)
    assert (one.quick_share.value, one.median_seconds) == (0.5, 2.0)
    assert (one.agreement.value, one.agreement.n) == (0.5, 2)
    assert (one.closest.rater, one.closest.agreement.value) == (1, 0.5)
    assert (other.left_share.n, other.self_consistency.undefined) == (1, "no pair was voted on twice")
    assert one.flags == other.flags == ()


def test_one_person_alone_has_no_agreement():
    votes, unknown = Votes(Comparisons(2, [0], [1], [1.0]), np.array([0])), np.full(1, np.nan)

    [alone] = qualities(TimedVotes(votes, unknown, unknown), 1)

    assert alone.agreement.undefined == "no vote is on a pair on which the other people have a strict majority"
    assert (alone.closest.rater, alone.infit.undefined) == (None, "nobody else voted on the same pairs")
    assert alone.quick_share.undefined == "no vote has a time"


@pytest.mark.parametrize(("answers", "power"), [(4, 0.0), (5, 6 / 32), (12, 1586 / 4096), (20, 784_626 / 2**20)])
def test_power_of_gold_pairs_counts_the_coin_flips_that_raise_the_flag(answers, power):
    """Right answers that raise the flag: at most 1 of 5, 5 of 12 and 11 of 20."""
    assert flag_power("gold", answers) == pytest.approx(power)


@pytest.mark.parametrize(("flag", "needed"), [("gold", 5), ("inconsistent", 20), ("no-agreement", 20), ("quick", 20)])
def test_fewest_answers_are_those_that_the_flag_needs(flag, needed):
    assert (fewest_answers(flag), flag_power(flag, needed - 1), flag_power(flag, 0)) == (needed, 0.0, 0.0)


@pytest.mark.parametrize("answers", [12, 24])
def test_power_is_the_share_of_simulated_people_who_guess_and_are_flagged(answers):
    """People whose gold answers and repeats are coin flips, and whose votes others do not share."""
    people, rng = 400, np.random.default_rng(5)
    pairs, raters = np.tile(np.arange(answers), people), np.repeat(np.arange(people), answers)
    flips, again = rng.integers(0, 2, (2, people * answers)).astype(np.float64)
    first, second = (
        Comparisons(2 * answers, 2 * pairs, 2 * pairs + 1, flips),
        Comparisons(2 * answers, 2 * pairs, 2 * pairs + 1, again),
    )
    nothing = np.full(len(pairs), np.nan)
    checks = CheckVotes(Votes(second, raters), raters, np.zeros_like(raters), rng.random(len(raters)) < 0.5)

    found = quality_of_raters(TimedVotes(Votes(first, raters), nothing, nothing), people, checks)

    for flag in ("gold", "inconsistent"):
        power = check_power(flag, answers).power
        share = np.mean([flag in one.flags for one in found])
        assert abs(share - power) < 4 * np.sqrt(max(power * (1 - power), 1e-9) / people)
