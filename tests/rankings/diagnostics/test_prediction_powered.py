"""Prediction-powered estimates of human preference, from few votes and many answers of a judge."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.numerics import Comparisons, Votes
from evenhand.numerics.reliability.prediction_powered import Labelled, Unlabelled, contexts_for_width
from rankings.diagnostics.prediction_powered import votes_to_buy
from rankings.loading import CandidateTable
from tests.rankings.report.report_figures import powered_json

SYSTEMS = ("good", "fair", "poor")
CONTEXTS = 60


def table_of(systems=SYSTEMS, contexts=CONTEXTS):
    """Every system has a candidate in every context."""
    n = len(systems)
    return CandidateTable(
        ids=np.arange(n * contexts),
        keys=list(systems) * contexts,
        systems=list(systems) * contexts,
        contexts=np.repeat(np.arange(contexts), n),
        starts=np.arange(contexts) * n,
        context_keys=[f"c{number}" for number in range(contexts)],
        subsets=[""] * contexts,
    )


def every_pair(table):
    """First and second of all pairs, in the dataset's order."""
    n = len(table) // table.n_contexts
    pairs = np.array(list(combinations(range(n), 2)))
    shown = (table.starts[:, None, None] + pairs).reshape(-1, 2)
    return shown[:, 0], shown[:, 1]


def answered(table, p_first, chosen=slice(None)):
    first, second = every_pair(table)
    return Comparisons(len(table), first[chosen], second[chosen], p_first[chosen], table.starts)


def voted(table, p_first, chosen=slice(None)):
    comparisons = answered(table, p_first, chosen)
    return Votes(comparisons, np.zeros(len(comparisons), dtype=int))


@pytest.fixture(scope="module")
def study():
    """Answers of people and of a good judge to all pairs, and the pairs of the first third of contexts."""
    rng, table = np.random.default_rng(0), table_of()
    human = (rng.random(3 * CONTEXTS) < np.tile([0.7, 0.85, 0.65], CONTEXTS)).astype(float)
    judge = np.where(rng.random(len(human)) < 0.9, human, 1 - human) * 0.8 + 0.1
    return table, human, judge, slice(0, CONTEXTS)


def test_people_alone_are_the_mean_of_their_votes(study):
    table, human, judge, seen = study

    found = powered_json(table, voted(table, human, seen), answered(table, judge))

    good = found["systems"][0]
    votes = human[seen].reshape(-1, 3)
    assert good["win_rate_people"]["value"] == pytest.approx(votes[:, :2].mean())
    assert (good["labelled_pairs"], good["other_pairs"], good["win_rate_people"]["n"]) == (40, 80, 40)
    assert (found["labelled_pairs"], found["labelled_contexts"], found["other_pairs"]) == (60, 20, 120)


def test_good_judge_makes_intervals_narrower_and_is_worth_more_people(study):
    table, human, judge, seen = study

    systems = powered_json(table, voted(table, human, seen), answered(table, judge))["systems"]

    for row in systems:
        for name in ("win_rate", "score"):
            alone, powered = row[f"{name}_people"], row[name]
            assert powered["high"] - powered["low"] < alone["high"] - alone["low"]
            assert row[f"{name}_effective_n"]["value"] > row["labelled_pairs"]
    assert sum(row["score"]["value"] for row in systems) == pytest.approx(0)
    assert [row["system"] for row in systems] == list(SYSTEMS)


def test_estimates_do_not_depend_on_which_side_is_shown(study):
    table, human, judge, seen = study
    first, second = every_pair(table)
    both = Comparisons(len(table), np.r_[first, second], np.r_[second, first], np.r_[judge, 1 - judge], table.starts)

    found = powered_json(table, voted(table, human, seen), both)

    expected = powered_json(table, voted(table, human, seen), answered(table, judge))
    assert found["systems"][1]["win_rate"] == pytest.approx(expected["systems"][1]["win_rate"])


def test_votes_to_buy_are_those_of_the_system_that_needs_most(study):
    table, human, judge, seen = study
    votes, answers = voted(table, human, seen), answered(table, judge)

    plan = votes_to_buy(table, votes, answers, width=0.2)

    first, second = (side % 3 for side in every_pair(table))
    needed = []
    for system in range(3):
        own = (first == system) | (second == system)
        won, said = (np.where(first == system, p, 1 - p)[own] for p in (human, judge))
        contexts, n = np.repeat(np.arange(CONTEXTS), 3)[own], 40
        labelled = Labelled(won[:n], said[:n], contexts[:n])
        needed.append(contexts_for_width(labelled, Unlabelled(said[n:], contexts[n:]), width=0.2))
    assert plan.people_alone.value == max(one.people for one in needed)
    assert plan.with_judge.value == max(one.powered for one in needed) < plan.people_alone.value
    assert plan.contexts == 20


def test_votes_to_buy_say_why_there_are_none(study):
    table, human, judge, _ = study
    few, none = voted(table, human, slice(0, 9)), voted(table, human, slice(0, 0))

    reasons = [
        votes_to_buy(table, votes, answered(table, judge), width=0.1).with_judge.undefined
        for votes in (none, few, voted(table, human))
    ]

    begins = (
        "the attribute has no votes",
        "people voted on 6 of the pairs",
        "people voted on every pair of two systems",
    )
    assert [reason.startswith(begin) for reason, begin in zip(reasons, begins, strict=True)] == [True] * 3


def test_several_votes_on_a_pair_are_one_label():
    """Eleven contexts: in each the first is preferred by two of three people."""
    table = table_of(("one", "other"), contexts=22)
    first, second = (np.repeat(side[:11], 3) for side in every_pair(table))
    votes = Votes(Comparisons(len(table), first, second, np.tile([1.0, 0.0, 1.0], 11), table.starts), np.zeros(33))

    found = powered_json(table, votes, answered(table, np.full(22, 0.6)))

    assert (found["labelled_pairs"], found["other_pairs"]) == (11, 11)
    assert found["systems"][0]["win_rate"]["undefined"] == (
        "people voted on 11 of the pairs, in 11 contexts; an interval that holds needs 20 pairs in 10 contexts"
    )


def test_label_of_several_votes_is_their_mean():
    """All of three people prefer the first in every other context; only one does in the others."""
    table = table_of(("one", "other"), contexts=30)
    first, second = (np.repeat(side[:24], 3) for side in every_pair(table))
    given = np.tile([1.0, 1.0, 1.0, 0.0, 1.0, 0.0], 12)
    votes = Votes(Comparisons(len(table), first, second, given, table.starts), np.zeros(72))

    found = powered_json(table, votes, answered(table, np.full(30, 0.6)))

    assert [row["win_rate_people"]["value"] for row in found["systems"]] == pytest.approx([2 / 3, 1 / 3])


def test_errors_of_the_judge_are_of_decisions_on_pairs_with_votes(study):
    """The first system is first in two pairs of each context; the judge's probabilities are 0.1 and 0.9."""
    table, human, judge, seen = study

    good = powered_json(table, voted(table, human, seen), answered(table, judge))["systems"][0]

    own = np.tile([True, True, False], CONTEXTS)
    decided, said = (judge > 0.5)[own], human[own] == 1
    right = decided[:40][said[:40]].mean(), (~decided[:40][~said[:40]]).mean()
    corrected = (decided.mean() + right[1] - 1) / (sum(right) - 1)
    names = ("judge_alone", "sensitivity", "specificity", "rogan_gladen")
    assert [good[name]["value"] for name in names] == pytest.approx([decided.mean(), *right, corrected])
    assert [good[name]["n"] for name in names] == [120, said[:40].sum(), (~said[:40]).sum(), 40]
    assert good["rogan_gladen"]["low"] < corrected < good["rogan_gladen"]["high"]


def test_votes_on_every_pair_leave_nothing_to_add(study):
    table, human, judge, _ = study

    good = powered_json(table, voted(table, human), answered(table, judge))["systems"][0]

    assert good["win_rate_people"]["n"] == 120
    assert good["score_people"]["low"] < good["score_people"]["value"]
    for name in ("win_rate", "win_rate_effective_n", "score", "score_effective_n"):
        assert good[name]["undefined"].startswith("people voted on every pair of two systems")


def test_people_of_one_mind_have_no_interval(study):
    table, human, judge, seen = study

    good = powered_json(table, voted(table, np.ones_like(human), seen), answered(table, judge))["systems"][0]

    assert good["win_rate"]["undefined"] == "people said the same of every pair, so no interval exists"
    assert good["score_people"]["undefined"].endswith("some won or lost everything")


def test_estimates_say_why_there_are_none(study):
    table, human, judge, seen = study
    nameless = table_of(("", "", ""))
    elsewhere = voted(table, human, slice(0, 3))

    def why(table, votes, judge):
        return powered_json(table, votes, judge)["undefined"]

    assert why(table, voted(table, human, slice(0, 0)), answered(table, judge)) == "the attribute has no votes"
    assert why(nameless, voted(nameless, human, seen), answered(nameless, judge)) == (
        "the run compares fewer than two known systems"
    )
    assert why(table, elsewhere, answered(table, judge, slice(3, None))) == (
        "people voted on no pair of two systems that the judge answered"
    )
