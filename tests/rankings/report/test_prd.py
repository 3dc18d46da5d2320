"""Votes of people and judges of the PRD study, by the commands' way, against other people's code on the same votes.

PRD counts a verdict that cannot be read (-1) as a tie; the votes as published have none left. Its own figures settle
pairs without a majority one way or another, ours leave them out; figures by its definitions are among the tests of the
numerics.
"""

import csv
import gzip
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from evenhand.formats import ComparisonRecord
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from rankings.loading import answers_of, candidate_table, people_of
from tests.rankings.report.report_figures import (
    agreement_json,
    differences_json,
    groups_json,
    powered_json,
    report_json,
)
from tests.rankings.studies import make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

CHOICES = {"1": "first", "2": "second", "3": "tie"}
OTHER_SIDE = {"1": "2", "2": "1", "3": "3"}


@pytest.fixture(scope="module")
def votes(shared_data):
    with gzip.open(shared_data / "cases/prd/data/votes.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def human(votes):
    return [row for row in votes if row["judge"] == "human"]


def pair_of(row):
    """The question and its two systems in order of the alphabet, and the score as of that order."""
    one, other, score = row["system_a_first"], row["system_b_second"], row["score"]
    return (row["question_id"], *sorted((one, other))), score if one < other else OTHER_SIDE[score]


@pytest.fixture(scope="module")
def prd(rows_of_module, votes):
    systems = sorted({row["system_a_first"] for row in votes})
    given = defaultdict(list)
    for row in human(votes):
        shown = {"first": row["system_a_first"], "second": row["system_b_second"], "choice": CHOICES[row["score"]]}
        given[row["question_id"]].append(shown | {"attribute": "overall", "rater": row["rater_slot"]})
    contexts = [
        {
            "context": question,
            "text": question,
            "candidates": [{"candidate": system, "system": system, "text": system} for system in systems],
            "votes": given[question],
        }
        for question in dict.fromkeys(row["question_id"] for row in votes)
    ]
    return make_dataset(contexts, name="PRD")


def run_of(prd, votes, judge):
    records = [
        ComparisonRecord(
            "",
            0,
            row["question_id"],
            "overall",
            row["system_a_first"],
            row["system_b_second"],
            choice=CHOICES[row["score"]],
        )
        for row in votes
        if row["judge"] == judge
    ]
    [run] = import_judgments(COMPARISONS, records, dataset=prd, judge_name=judge)
    return run


def report(prd):
    [row] = agreement_json(prd, attributes=list(prd.attributes.all()), runs=prd.runs.order_by("pk"))["attributes"]
    return row


def codes_of(votes):
    """(3 people, pairs), NaN where a person has no vote on a pair."""
    rated = defaultdict(dict)
    for row in human(votes):
        pair, score = pair_of(row)
        rated[pair][row["rater_slot"]] = int(score)
    return np.array([[ratings.get(slot, np.nan) for ratings in rated.values()] for slot in "123"])


def majorities(votes):
    """Return the choice of more than half of the people for each pair, unless it is a tie."""
    given = defaultdict(list)
    for row in human(votes):
        pair, score = pair_of(row)
        given[pair].append(score)
    top = {pair: (*Counter(scores).most_common(1)[0], len(scores)) for pair, scores in given.items()}
    return {pair: score for pair, (score, n, total) in top.items() if 2 * n > total and score != "3"}


@pytest.mark.parametrize(("judge", "family"), [("gpt-4", {"gpt-3.5", "gpt-4"}), ("claude", {"claude"})])
def test_judges_preference_for_their_family_is_that_of_a_plain_count(prd, votes, judge, family):
    run = run_of(prd, votes, judge)
    mixed = [
        (row["system_a_first"] in family, row["score"], pair_of(row)[0])
        for row in votes
        if row["judge"] == judge and (row["system_a_first"] in family) != (row["system_b_second"] in family)
    ]
    own = [0.5 if score == "3" else float((score == "1") == first_is_own) for first_is_own, score, _ in mixed]
    majority = majorities(votes)
    preferred = [pair[int(majority[pair])] for *_, pair in mixed if pair in majority]

    found = report_json(prd, runs=[run])[0]["self_preference"]

    assert (found["value"], found["n"]) == (pytest.approx(np.mean(own)), len(own))
    assert found["human"]["value"] == pytest.approx(np.mean([system in family for system in preferred]))
    assert (found["human"]["n"], set(found["systems"])) == (len(preferred), family)


def test_people_agree_as_other_code_says(prd, votes):
    import krippendorff
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import fleiss_kappa

    codes = codes_of(votes)
    shared = codes[:, ~np.isnan(codes).any(axis=0)].astype(int)
    counts = np.array([[(unit == score).sum() for score in (1, 2, 3)] for unit in shared.T])

    people = report(prd)["people"]

    assert (people["raters"], people["pairs"], people["shared_pairs"]) == (3, 800, 480)
    assert people["fleiss_kappa"]["value"] == pytest.approx(fleiss_kappa(counts))
    assert people["krippendorff_alpha"]["value"] == pytest.approx(
        krippendorff.alpha(reliability_data=codes, level_of_measurement="nominal")
    )
    kappas = [cohen_kappa_score(shared[one], shared[other]) for one, other in ((0, 1), (0, 2), (1, 2))]
    assert people["mean_cohen_kappa"]["value"] == pytest.approx(np.mean(kappas))


@pytest.mark.parametrize("judge", ["gpt-4", "claude", "gpt-3.5"])
def test_accuracy_of_a_judge_is_that_counted_from_the_votes(prd, votes, judge):
    run_of(prd, votes, judge)
    people, credits = majorities(votes), []
    for row in votes:
        pair, score = pair_of(row)
        if row["judge"] == judge and pair in people:
            credits.append(0.5 if score == "3" else float(score == people[pair]))

    accuracy = report(prd)["raters"][-1]["accuracy"]

    assert (accuracy["value"], accuracy["n"]) == (pytest.approx(np.mean(credits)), len(credits))


@pytest.mark.parametrize("judge", ["gpt-4", "vicuna"])
def test_accuracy_per_vote_is_that_counted_from_every_vote_of_people(prd, votes, judge):
    run = run_of(prd, votes, judge)
    by_people = defaultdict(list)
    for row in human(votes):
        pair, score = pair_of(row)
        by_people[pair].append(score)
    couples = [
        (score, other)
        for pair, score in (pair_of(row) for row in votes if row["judge"] == judge)
        for other in by_people[pair]
    ]
    decided = [couple for couple in couples if "3" not in couple]

    row = report_json(prd, runs=[run])[0]

    for name, counted in (("accuracy_per_vote", couples), ("accuracy_per_vote_decided", decided)):
        expected = np.mean([score == other for score, other in counted])
        assert (row[name]["value"], row[name]["n"]) == (pytest.approx(expected), len(counted))
    assert len(decided) < len(couples)


def test_better_judge_of_two_is_told_apart(prd, votes):
    from statsmodels.stats.contingency_tables import mcnemar

    one, other = run_of(prd, votes, "gpt-4"), run_of(prd, votes, "bard")
    people = majorities(votes)
    right = {
        judge: np.array(
            [
                pair_of(row)[1] == people[pair_of(row)[0]]
                for row in votes
                if row["judge"] == judge and pair_of(row)[0] in people
            ]
        )
        for judge in ("gpt-4", "bard")
    }
    table = [
        [(right["gpt-4"] & right["bard"]).sum(), (right["gpt-4"] & ~right["bard"]).sum()],
        [(~right["gpt-4"] & right["bard"]).sum(), (~right["gpt-4"] & ~right["bard"]).sum()],
    ]

    result = differences_json(one, other)

    assert result["comparisons"] == 1600
    assert (result["mcnemar"]["only_one_right"], result["mcnemar"]["only_other_right"]) == (table[0][1], table[1][0])
    assert result["mcnemar"]["p_value"] == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert result["differences"][0]["low"] > 0
    assert result["differences"][0]["p_value_holm"] < 0.001


def test_judges_are_grouped_as_every_two_of_them_differ(prd, votes):
    """Adjusted p-values equal those of statsmodels, and letters group the judges by them."""
    from statsmodels.stats.multitest import multipletests

    runs = {judge: run_of(prd, votes, judge) for judge in ("gpt-4", "bard", "claude", "gpt-3.5", "vicuna")}

    accuracy = groups_json(list(runs.values()))["figures"][0]

    p_values = [row["p_value"] for row in accuracy["pairs"]]
    by_holm, by_discovery = (multipletests(p_values, method=method)[1] for method in ("holm", "fdr_bh"))
    assert [row["p_value_holm"] for row in accuracy["pairs"]] == pytest.approx(by_holm)
    assert [row["p_value_benjamini_hochberg"] for row in accuracy["pairs"]] == pytest.approx(by_discovery)
    letters = {row["run"]: set(row["letters"]) for row in accuracy["runs"]}
    shared = [not letters[row["one"]].isdisjoint(letters[row["other"]]) for row in accuracy["pairs"]]
    assert shared == (by_holm >= 0.05).tolist()
    assert accuracy["runs"][0]["run"] == runs["gpt-4"].pk
    assert letters[runs["gpt-4"].pk].isdisjoint(letters[runs["bard"].pk])


def test_intervals_from_a_part_of_the_votes_hold_what_all_people_say(prd, votes):
    """People's win rates of the systems are known from all their votes; a third of the pairs is drawn, 40 times."""
    run = run_of(prd, votes, "gpt-4")
    candidates = candidate_table(prd)
    table = replace(candidates, systems=candidates.keys)
    people, judge = people_of(table, run.attribute), answers_of(table, run).comparisons
    everything = {row["system"]: row["win_rate_people"] for row in systems_of(table, people.votes, judge)}
    pairs = np.unique(people.votes.comparisons.pair_keys)
    rng = np.random.default_rng(0)
    covered, ratios = [], []
    for _ in range(40):
        drawn = np.isin(people.votes.comparisons.pair_keys, pairs[rng.random(len(pairs)) < 1 / 3])
        for row in systems_of(table, people.votes.select(drawn), judge):
            alone, powered = row["win_rate_people"], row["win_rate"]
            covered.append(powered["low"] <= everything[row["system"]]["value"] <= powered["high"])
            ratios.append((powered["high"] - powered["low"]) / (alone["high"] - alone["low"]))

    assert np.mean(covered) > 0.93
    assert np.mean(ratios) < 0.95


def systems_of(table, votes, judge):
    return powered_json(table, votes, judge)["systems"]
