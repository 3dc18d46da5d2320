"""Which pairs a run asks."""

import pytest

from judging.exceptions import Refused
from judging.models import Candidate
from judging.services.plans import LARGEST_CHUNK, SMALLEST_CHUNK, Choice, PlanSize, make_plan, plan_size
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def pairs_by_key(dataset, choice):
    keys = dict(Candidate.objects.values_list("pk", "key"))
    contexts = dict(Candidate.objects.values_list("pk", "context__key"))
    plan = make_plan(dataset, choice=choice)
    return [(contexts[first], keys[first], keys[second]) for pairs in plan.chunks for first, second in pairs]


def test_full_plan_has_every_ordered_pair_once():
    dataset = make_dataset(candidates=(2, 3))

    pairs = pairs_by_key(dataset, Choice())

    assert pairs == [
        *[("c0", "a", "b"), ("c0", "b", "a")],
        *[("c1", "a", "b"), ("c1", "a", "c"), ("c1", "b", "a"), ("c1", "b", "c"), ("c1", "c", "a"), ("c1", "c", "b")],
    ]


def test_plan_keeps_a_context_with_one_candidate_and_compares_nothing_there():
    dataset = make_dataset(candidates=(1, 2))

    assert pairs_by_key(dataset, Choice()) == [("c1", "a", "b"), ("c1", "b", "a")]


@pytest.mark.parametrize("selection", ["random", "no-repeat", "symmetric", "d-optimal"])
def test_plan_is_the_same_for_the_same_seed_and_other_for_another(selection):
    dataset = make_dataset(candidates=(6, 6))

    drawn = pairs_by_key(dataset, Choice(selection, budget=8, seed=1))

    assert drawn == pairs_by_key(dataset, Choice(selection, budget=8, seed=1))
    assert drawn != pairs_by_key(dataset, Choice(selection, budget=8, seed=2))


def test_plan_of_a_context_does_not_change_with_the_number_of_contexts():
    dataset = make_dataset(candidates=(6, 6, 6))

    first_two = pairs_by_key(dataset, Choice("random", budget=8, context_limit=2))

    assert first_two == pairs_by_key(dataset, Choice("random", budget=8))[:16]


def test_plan_draws_contexts_independently():
    dataset = make_dataset(candidates=(8, 8))

    pairs = pairs_by_key(dataset, Choice("random", budget=10))

    assert [pair[1:] for pair in pairs[:10]] != [pair[1:] for pair in pairs[10:]]


def test_plan_takes_all_pairs_of_a_context_with_fewer_than_the_budget():
    dataset = make_dataset(candidates=(2, 4))

    pairs = pairs_by_key(dataset, Choice("random", budget=5))

    assert pairs[:2] == [("c0", "a", "b"), ("c0", "b", "a")]
    assert len(pairs) == 7


def test_plan_size_counts_what_the_plan_asks():
    dataset = make_dataset(candidates=(1, 2, 4))
    choice = Choice("random", budget=5)

    assert plan_size(dataset, choice=choice) == PlanSize(contexts=2, candidates=6, comparisons=7)
    assert make_plan(dataset, choice=choice).planned == 7


def test_plan_puts_small_contexts_together_and_parts_large_ones():
    dataset = make_dataset(candidates=(*[4] * 20, 50))

    sizes = [len(pairs) for pairs in make_plan(dataset, choice=Choice()).chunks]

    assert sizes == [108, 108, LARGEST_CHUNK, 24 + 50 * 49 - LARGEST_CHUNK]
    assert min(sizes) >= SMALLEST_CHUNK


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        (Choice("best"), 'selection: "best" is unknown; choose one of: full, random, no-repeat, symmetric, d-optimal'),
        (
            Choice("full", budget=4),
            "comparisons: 4 — selection full asks every ordered pair; leave the number out or choose another "
            "selection: random, no-repeat, symmetric, d-optimal",
        ),
        (Choice("random"), "comparisons: missing — selection random needs a number per context"),
        (Choice("random", budget=0), "comparisons: 0 — give a whole number above 0"),
        (
            Choice("symmetric", budget=3),
            "comparisons: 3 — symmetric asks both orders of each pair; give an even number",
        ),
        (
            Choice("no-repeat", budget=4),
            'comparisons: 4 — "no-repeat" can make at most 3 in the largest context (3 candidates)',
        ),
        (Choice(context_limit=0), "contexts: 0 — give a whole number above 0"),
        (Choice(seed=-1), f"seed: -1 — give a whole number from 0 to {2**63 - 1}"),
    ],
)
def test_plan_refuses_a_choice_that_cannot_be(choice, problem):
    with pytest.raises(Refused) as refused:
        make_plan(make_dataset(), choice=choice)

    assert refused.value.problems == (problem,)


def test_plan_refuses_a_dataset_with_nothing_to_compare():
    with pytest.raises(Refused, match="there is nothing to compare: no context has two candidates"):
        make_plan(make_dataset(candidates=(1, 1)), choice=Choice())
