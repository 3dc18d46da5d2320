"""The pairs of a planned run."""

from dataclasses import replace

import pytest

from evenhand.refusals import Refused
from judging.models import Candidate, Exclusion
from judging.services.plans.run_plan import LARGEST_CHUNK, SMALLEST_CHUNK, PlanSize, make_plan, plan_size, scoring_size
from judging.services.plans.selection_settings import SelectionSettings
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def pairs_by_key(dataset, selection):
    keys = dict(Candidate.objects.values_list("pk", "key"))
    contexts = dict(Candidate.objects.values_list("pk", "context__key"))
    plan = make_plan(dataset, selection=selection)
    return [(contexts[first], keys[first], keys[second]) for part in plan.chunks for first, second in part.pairs]


def test_full_plan_has_every_ordered_pair_once():
    dataset = make_dataset(candidates=(2, 3))
    make_dataset("Others", candidates=(2, 3))

    assert pairs_by_key(dataset, SelectionSettings()) == [
        *[("c0", "a", "b"), ("c0", "b", "a")],
        *[("c1", "a", "b"), ("c1", "a", "c"), ("c1", "b", "a"), ("c1", "b", "c"), ("c1", "c", "a"), ("c1", "c", "b")],
    ]


def test_as_given_plan_has_every_pair_once_in_the_order_of_the_dataset():
    dataset = make_dataset(candidates=(2, 3, 2))
    Candidate.objects.filter(context__key="c0", key="a").update(position=5)
    selection = SelectionSettings("as-given", contexts=2)

    pairs = pairs_by_key(dataset, selection)

    assert pairs == [("c0", "b", "a"), ("c1", "a", "b"), ("c1", "a", "c"), ("c1", "b", "c")]
    assert plan_size(dataset, selection=selection).comparisons == 4


@pytest.mark.parametrize("rule", ["full", "as-given", "random", "bt-optimal"])
def test_plan_without_a_system_is_that_of_a_dataset_that_lacks_it(rule):
    dataset, same = make_dataset(candidates=(6, 6)), make_dataset("Same", candidates=(6, 6))
    Candidate.objects.filter(context__dataset=same, key="b").delete()
    number = None if rule in ("full", "as-given") else 8
    settings = SelectionSettings(rule, comparisons=number)

    pairs = pairs_by_key(dataset, replace(settings, exclusion=Exclusion(systems=("system-b",))))

    assert pairs == pairs_by_key(same, settings)


def test_plan_without_a_context_keeps_the_pairs_of_the_others():
    dataset, settings = make_dataset(candidates=(6, 6, 6)), SelectionSettings("random", comparisons=8)
    every_pair = pairs_by_key(dataset, settings)

    pairs = pairs_by_key(dataset, replace(settings, exclusion=Exclusion(contexts=("c1",))))

    assert pairs == [pair for pair in every_pair if pair[0] != "c1"]


def test_plan_size_counts_contexts_that_are_left_with_fewer_than_two_candidates():
    dataset = make_dataset(candidates=(3, 2, 2, 1))
    left_out = Exclusion(systems=("system-b",), contexts=("c2",))

    size = plan_size(dataset, selection=SelectionSettings(exclusion=left_out))

    assert (size.contexts, size.candidates, size.comparisons, size.small_contexts) == (1, 2, 2, 1)
    assert scoring_size(dataset, selection=SelectionSettings(exclusion=left_out)).comparisons == 4


@pytest.mark.parametrize("selection", ["random", "no-repeat", "symmetric", "d-optimal", "bt-optimal"])
def test_plan_depends_on_the_seed_only(selection):
    dataset = make_dataset(candidates=(6, 6))

    drawn = pairs_by_key(dataset, SelectionSettings(selection, comparisons=8, seed=1))

    assert drawn == pairs_by_key(dataset, SelectionSettings(selection, comparisons=8, seed=1))
    assert drawn != pairs_by_key(dataset, SelectionSettings(selection, comparisons=8, seed=2))


def test_plan_of_a_context_does_not_change_with_the_number_of_contexts():
    dataset = make_dataset(candidates=(6, 6, 6))

    first_two = pairs_by_key(dataset, SelectionSettings("random", comparisons=8, contexts=2))

    assert first_two == pairs_by_key(dataset, SelectionSettings("random", comparisons=8))[:16]


def test_plan_size_counts_what_the_plan_asks():
    dataset = make_dataset(candidates=(1, 2, 4))
    selection = SelectionSettings("random", comparisons=5)

    assert plan_size(dataset, selection=selection) == PlanSize(contexts=2, candidates=6, comparisons=7)
    assert make_plan(dataset, selection=selection).planned == 7


def test_plan_joins_small_contexts_and_splits_large_ones():
    dataset = make_dataset(candidates=(*[4] * 20, 50))

    sizes = [len(part.pairs) for part in make_plan(dataset, selection=SelectionSettings()).chunks]

    assert sizes == [108, 108, LARGEST_CHUNK, 24 + 50 * 49 - LARGEST_CHUNK]
    assert min(sizes) >= SMALLEST_CHUNK


def test_adaptive_plan_has_held_out_pairs_and_a_connecting_first_round():
    dataset = make_dataset(candidates=(6, 16))

    [part] = make_plan(dataset, selection=SelectionSettings("bt-optimal", comparisons=20, hold_out=0.2)).chunks

    assert (len(part.held_out), len(part.pairs), part.planned) == (4 + 4, 8 + 6 + 16, 40)
    assert connected_groups(set(part.pairs) - set(part.held_out)) == [6, 16]


def connected_groups(pairs):
    """The sizes of the groups of candidates that pairs tie together, in the order of their first candidate."""
    groups = {candidate: {candidate} for pair in pairs for candidate in pair}
    for first, second in pairs:
        together = groups[first] | groups[second]
        groups |= dict.fromkeys(together, together)
    return [len(groups[one]) for one in sorted(groups) if one == min(groups[one])]


def test_adaptive_plan_leaves_contexts_whole():
    dataset = make_dataset(candidates=(*[6] * 20, 120))
    contexts = dict(Candidate.objects.values_list("pk", "context"))

    parts = make_plan(dataset, selection=SelectionSettings("bt-optimal", comparisons=30)).chunks

    of_parts = [{contexts[first] for first, _ in part.pairs} for part in parts]
    assert [len(of_part) for of_part in of_parts] == [11, 10]
    assert not of_parts[0] & of_parts[1]
    assert min(len(part.pairs) for part in parts) >= SMALLEST_CHUNK


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        (
            SelectionSettings("best"),
            'selection: "best" is unknown; choose one of: full, as-given, '
            "random, no-repeat, symmetric, d-optimal, bt-optimal, until-sure, pairs, anchor, null-pairs",
        ),
        (
            SelectionSettings("full", comparisons=4),
            "comparisons: 4 — selection full asks every ordered pair; leave the number out or choose another "
            "selection: random, no-repeat, symmetric, d-optimal, bt-optimal, until-sure",
        ),
        (
            SelectionSettings("as-given", comparisons=4),
            "comparisons: 4 — selection as-given asks every pair once; leave the number out or choose another "
            "selection: random, no-repeat, symmetric, d-optimal, bt-optimal, until-sure",
        ),
        (SelectionSettings("random"), "comparisons: missing — selection random needs a number per context"),
        (SelectionSettings("random", comparisons=0), "comparisons: 0 — give a whole number above 0"),
        (
            SelectionSettings("symmetric", comparisons=3),
            "comparisons: 3 — symmetric asks both orders of each pair; give an even number",
        ),
        (
            SelectionSettings("no-repeat", comparisons=4),
            'comparisons: 4 — "no-repeat" can make at most 3 in the largest context (3 candidates)',
        ),
        (
            SelectionSettings("random", comparisons=4, hold_out=0.1),
            "hold-out: 0.1 — only selection bt-optimal holds comparisons out; leave it out",
        ),
        (
            SelectionSettings("bt-optimal", comparisons=4, hold_out=1.0),
            "hold-out: 1 — give a share of the comparisons, from 0 to less than 1",
        ),
        (
            SelectionSettings("bt-optimal", comparisons=4, hold_out=float("nan")),
            "hold-out: nan — give a share of the comparisons, from 0 to less than 1",
        ),
        (
            SelectionSettings("bt-optimal", comparisons=7),
            'comparisons: 7 — "bt-optimal" can make at most 6 in the largest context (3 candidates)',
        ),
        (SelectionSettings(contexts=0), "contexts: 0 — give a whole number above 0"),
        (
            SelectionSettings(contexts=2**31),
            "contexts: 2147483648 — no dataset is that large; leave it out for all contexts",
        ),
        (SelectionSettings(seed=-1), f"seed: -1 — give a whole number from 0 to {2**63 - 1}"),
    ],
)
def test_plan_refuses_impossible_settings(selection, problem):
    with pytest.raises(Refused) as refused:
        make_plan(make_dataset(), selection=selection)

    assert refused.value.problems == (problem,)


def test_plan_refuses_a_dataset_with_nothing_to_compare():
    with pytest.raises(Refused, match="there is nothing to compare: no context has two candidates"):
        make_plan(make_dataset(candidates=(1, 1)), selection=SelectionSettings())


def test_number_of_contexts_counts_those_that_remain():
    dataset = make_dataset(candidates=(2, 2, 2, 2))
    left_out = Exclusion(contexts=("c0", "c2"))
    selection = SelectionSettings(contexts=2, exclusion=left_out)

    pairs = pairs_by_key(dataset, selection)

    assert {context for context, _, _ in pairs} == {"c1", "c3"}
    assert plan_size(dataset, selection=selection) == PlanSize(contexts=2, candidates=4, comparisons=4)
