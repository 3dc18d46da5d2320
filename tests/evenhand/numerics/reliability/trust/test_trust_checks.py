from dataclasses import replace

import numpy as np
import pytest

from evenhand.numerics.accuracy import order_agreement
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.counted_comparisons import Judged
from evenhand.numerics.figure import Figure
from evenhand.numerics.reliability.trust.trust_checks import CHECKS, NO_PAIRS
from evenhand.numerics.reliability.trust.trust_findings import CheckedRun, Finding
from evenhand.numerics.votes import Votes

EMPTY = Comparisons(3, [], [], [])
NO_VOTES = Votes(EMPTY, np.zeros(0, dtype=int))
NO_MASS = "no answer has log-probabilities"


def checked(comparisons, right=None, **changes):
    """A run for its checks. right: what people prefer; default: nobody prefers anything."""
    preferred = np.full(len(comparisons), np.nan) if right is None else np.array(right, dtype=float)
    run = CheckedRun(
        comparisons=comparisons,
        judged=Judged.of(comparisons, preferred),
        order_agreement=order_agreement(comparisons),
        label_mass=Figure.missing(NO_MASS),
        votes=NO_VOTES,
        steering=np.zeros(comparisons.n_candidates, dtype=bool),
        answered=len(comparisons),
        unparsed=0,
        errors=0,
    )
    return replace(run, **changes)


def found(name, *args, **changes):
    return CHECKS[name].finding(checked(*args, **changes))


def pairs(answers, *, per_context=1):
    """Contexts of one pair each, asked `per_context` times, 1 or 2: in the second question the other way round."""
    contexts = np.repeat(np.arange(len(answers) // per_context), per_context)
    is_swapped = np.arange(len(answers)) % per_context
    starts = 2 * np.arange(len(answers) // per_context)
    return Comparisons(len(starts) * 2, 2 * contexts + is_swapped, 2 * contexts + 1 - is_swapped, answers, starts)


def votes(*rows):
    """Votes for the first as (first, second, rater), of four candidates in one context."""
    first, second, raters = zip(*rows, strict=True)
    return Votes(Comparisons(4, first, second, np.ones(len(rows))), np.array(raters))


def test_pairs_chosen_by_answers_name_the_rankings_to_prefer():
    check = found("chosen-by-answers", Comparisons(3, [0, 1, 2], [1, 2, 0], [0.9, 0.9, 0.9]), chosen=2)

    assert (check.state, check.value, check.limit) == ("failed", 2 / 3, 0)
    assert check.why == (
        "2 of 3 comparisons are of pairs that the run chose by its answers, which distorts win-ratio and "
        "average-probability; prefer bradley-terry, poe-bt, poe-gaussian, poe-gaussian-hard"
    )


def test_contexts_that_fall_apart_are_counted():
    assert found("connected", Comparisons(7, [0, 2, 4], [1, 3, 5], [0.9] * 3, [0, 4])) == Finding(
        "failed", 0.5, "in 1 of 2 contexts the comparisons connect all compared candidates", limit=1.0
    )


@pytest.mark.parametrize(
    ("answer", "chose"), [(0.9, "chose the first text"), (0.1, "chose the second text"), (0.5, "chose a tie")]
)
def test_one_answer_to_everything_carries_nothing(answer, chose):
    check = found("varied-answers", pairs([answer] * 40, per_context=2))

    assert (check.state, check.value, check.limit) == ("failed", 1, 0.975)
    assert check.why == f"the judge {chose} in 40 of 40 decisions: they carry nothing"


@pytest.mark.parametrize(("others", "state"), [(1, "failed"), (2, "passed")])
def test_answers_vary_where_more_than_one_of_forty_is_another(others, state):
    assert found("varied-answers", pairs([0.9] * (40 - others) + [0.1] * others, per_context=2)).state == state


def test_nineteen_equal_answers_prove_nothing():
    assert found("varied-answers", pairs([0.9] * 19)).state == "cannot tell"
    assert found("varied-answers", pairs([0.9] * 20), [0] * 20).state == "failed"


@pytest.mark.parametrize(
    ("answer", "right", "state"),
    [
        (0.9, [1] * 18 + [0] * 2, "cannot tell"),
        (0.9, [1] * 17 + [0] * 3, "failed"),
        (0.1, [0] * 18 + [1] * 2, "cannot tell"),
        (0.9, None, "cannot tell"),
        (0.5, None, "failed"),
    ],
)
def test_in_one_order_the_better_text_may_always_stand_first(answer, right, state):
    assert found("varied-answers", pairs([answer] * 20), right).state == state


def test_scores_are_alike_only_where_they_are_equal():
    assert found("varied-answers", pairs([0.9] * 20), is_scoring=True).state == "passed"
    same = found("varied-answers", pairs([0.5] * 20), is_scoring=True)
    assert (same.state, same.why) == (
        "failed",
        "the judge gave both texts the same score in 20 of 20 pairs: they carry nothing",
    )


def test_judge_is_better_than_a_constant_where_the_interval_says_so():
    """Right in 9 of 10 contexts of 10 pairs, whose better text stands first in half: 40 points above a constant."""
    right = np.tile([1, 0], 50)
    answers = np.where(np.arange(100) % 10 == 9, 1 - right, right)
    comparisons = Comparisons(200, 2 * np.arange(100), 2 * np.arange(100) + 1, answers, np.arange(0, 200, 20))

    check = found("better-than-constant", comparisons, right)

    assert (check.state, check.value, check.needed) == ("passed", pytest.approx(0.4), None)
    assert 0 < check.low < 0.4 < check.high < 1


def test_null_result_says_how_many_contexts_would_decide():
    """Right in 4 of 6 contexts of 2: R = 1/6, S = 16/3, so v · m' = 7/24, and t² · 7/24 < M/36 from M = 43 on."""
    right = np.tile([1.0, 0.0], 6)
    answers = np.where(np.arange(12) // 2 < 4, right, 1 - right)

    check = found("better-than-constant", pairs(answers, per_context=2), right)

    assert (check.state, check.value, check.needed) == ("cannot tell", pytest.approx(1 / 6), 43)
    assert check.why.endswith("; about 43 contexts like these would show that it is better")


def test_judge_no_better_than_a_constant_fails():
    right = np.tile([1.0, 0.0], 200)
    check = found("better-than-constant", pairs([0.9] * 400, per_context=2), right)

    assert (check.state, check.value, check.needed) == ("failed", 0, None)
    assert check.high < 0.05


def test_without_an_answer_people_are_not_blamed():
    assert found("better-than-constant", pairs([])).why == "no comparison has an answer"


def test_constant_of_scores_is_a_tie():
    """The better text always comes first in the dataset, which a judge of single texts does not know."""
    assert found("better-than-constant", pairs([1.0] * 10), [1] * 10).value == 0
    assert found("better-than-constant", pairs([1.0] * 10), [1] * 10, is_scoring=True).value == 0.5


def test_order_agreement_of_a_judge_that_sees_the_position_alone_fails():
    rng = np.random.default_rng(0)
    check = found("order-beyond-position", pairs((rng.random(800) < 0.77).astype(float), per_context=2))

    assert check.state == "failed"
    assert check.limit == pytest.approx(2 * 0.77 * 0.23, abs=0.02)


def test_order_agreement_above_that_of_blind_answers_passes():
    assert found("order-beyond-position", pairs([0.9, 0.1] * 20, per_context=2)).state == "passed"
    assert found("order-beyond-position", pairs([0.9, 0.1] * 2, per_context=2)).state == "cannot tell"
    assert found("order-beyond-position", pairs([0.9] * 4)).state == "not applicable"


@pytest.mark.parametrize(("contexts", "state"), [(2, "failed"), (3, "note"), (9, "note"), (10, "passed")])
def test_contexts_are_enough_from_ten_on(contexts, state):
    check = found("enough-contexts", pairs([0.9] * contexts))

    assert (check.state, check.value, check.limit) == (state, contexts, 10)


@pytest.mark.parametrize(("mass", "state"), [(0.49, "note"), (0.5, "passed")])
def test_half_of_the_probability_should_fall_on_the_label_words(mass, state):
    check = found("label-mass", EMPTY, label_mass=Figure(mass, mass - 0.1, mass + 0.1, 9))

    assert (check.state, check.value, check.low, check.limit) == (state, mass, mass - 0.1, 0.5)


def test_29_of_2900_failures_are_one_per_cent_in_spite_of_rounding():
    assert found("errors", EMPTY, answered=2871, errors=29).state == "passed"


@pytest.mark.parametrize(("unparsed", "errors", "states"), [(1, 1, ["passed", "passed"]), (2, 1, ["failed", "passed"])])
def test_failures_may_be_one_per_cent_of_each_kind(unparsed, errors, states):
    changes = {"answered": 100 - unparsed - errors, "unparsed": unparsed, "errors": errors}

    assert [found(name, EMPTY, **changes).state for name in ("unparsed", "errors")] == states
    assert found("unparsed", EMPTY, **changes).why == (
        f"{unparsed} of 100 comparisons could not be parsed; at most 1% is good"
    )


@pytest.mark.parametrize(
    ("n_pairs", "firsts", "state"), [(5, 5, "note"), (40, 24, "note"), (40, 26, "note"), (40, 30, "failed")]
)
def test_one_order_is_doubted_where_the_judge_is_shown_to_be_biased(n_pairs, firsts, state):
    check = found("both-orders", pairs([0.9] * firsts + [0.1] * (n_pairs - firsts)))

    assert (check.state, check.value) == (state, 0)
    assert check.why == (
        f"0 of {n_pairs} compared pairs have answers in both orders, and P(first) is {firsts / n_pairs:.0%}"
    )


@pytest.mark.parametrize(("n_pairs", "state"), [(99, "failed"), (100, "note")])
def test_few_pairs_in_one_order_are_no_reason_to_doubt(n_pairs, state):
    """All but one pair are asked twice; the judge always chooses the first."""
    whole = pairs([0.9] * 2 * n_pairs, per_context=2)

    assert found("both-orders", whole.select(np.arange(2 * n_pairs - 1))).state == state
    assert found("both-orders", whole).state == "passed"


@pytest.mark.parametrize(("second_rater", "people", "state"), [(0, 1.0, "note"), (1, 2.0, "passed")])
def test_overlap_is_the_mean_number_of_people_on_pairs_of_the_judge(second_rater, people, state):
    judged = Comparisons(4, [0, 1], [1, 2], [0.9, 0.9])

    check = found("human-overlap", judged, votes=votes((0, 1, 0), (1, 0, second_rater), (2, 3, 2), (3, 2, 3)))

    assert (check.state, check.value, check.limit) == (state, people, 2)
    assert check.why.startswith(
        f"1 of the 2 pairs that people voted on were compared by the judge, with {people:.0f} people a pair"
    )


def test_votes_on_no_pair_of_the_judge_are_no_overlap():
    check = found("human-overlap", Comparisons(4, [0], [1], [0.9]), votes=votes((2, 3, 0), (3, 2, 1)))

    assert (check.state, check.value) == ("failed", 0)
    assert check.why == "0 of the 1 pairs that people voted on were compared by the judge"


def test_what_cannot_be_checked_is_neither_passed_nor_failed():
    run = checked(EMPTY)

    assert {(check.finding(run).state, check.finding(run).value) for check in CHECKS.values()} == {
        ("not applicable", None)
    }


def test_checks_of_pairs_are_not_of_scores():
    run = checked(pairs([0.9, 0.1] * 20, per_context=2), is_scoring=True)

    assert [name for name, check in CHECKS.items() if check.finding(run).why == NO_PAIRS] == [
        *("order-beyond-position", "connected", "both-orders", "chosen-by-answers")
    ]
