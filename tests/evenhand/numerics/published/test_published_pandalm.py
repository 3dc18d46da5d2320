"""The figures of PandaLM, from the labels of three people and two judges on 999 pairs.

PandaLM counts an unparsed verdict ("garbage") as a tie. Our reports never do, but these tests do. Macro precision,
recall and F1 over the three labels are not recomputed, because we do not report them.
"""

from collections import Counter

import numpy as np
import pytest

from evenhand.numerics.agreement.kappa import cohen_kappa, percent_agreement
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.rankings.mean_wins import win_ratio
from tests.evenhand.numerics.published.published import expected_of, read_csv

pytestmark = pytest.mark.realdata

P_FIRST = {"1": 1.0, "2": 0.0, "0": 0.5}


@pytest.fixture(scope="module")
def rows(shared_data):
    return read_csv(shared_data / "cases/pandalm/data/pandalm_testset.csv")


@pytest.fixture(scope="module")
def expected(shared_data):
    return expected_of(shared_data, "pandalm")


def label(row, judge):
    """0 (a tie), 1 or 2; people's is what at least two of them say, which there always is."""
    if judge == "human":
        return Counter(row[f"human{person}"] for person in (1, 2, 3)).most_common(1)[0][0]
    return {"Tie": "0", "garbage": "0"}.get(row[judge], row[judge])


@pytest.mark.parametrize("pair", ["1-2", "1-3", "2-3"])
def test_cohen_kappa_matches_that_between_people(rows, expected, pair):
    table = RatingTable(
        np.array([[int(row[f"human{person}"]) for row in rows] for person in (1, 2, 3)]), np.arange(3.0)
    )

    kappa = cohen_kappa(table, *(int(person) - 1 for person in pair.split("-")))

    assert f"{kappa.value:.2f}" == expected["kappa"][pair]


def test_labels_of_people_are_distributed_as_published(rows, expected):
    assert Counter(label(row, "human") for row in rows) == expected["label_distribution"]


@pytest.mark.parametrize("judge", ["judge_gpt35", "judge_pandalm7b"])
def test_percent_agreement_matches_the_accuracy_of_judges(rows, expected, judge):
    both = [[int(label(row, rater)) for row in rows] for rater in ("human", judge)]

    agreement = percent_agreement(RatingTable(np.array(both), np.arange(3.0)))

    assert f"{100 * agreement.value:.2f}" == expected["judges"][judge]["accuracy"]


def test_percent_agreement_without_unread_verdicts_matches_the_accuracy_that_calls_them_wrong(rows):
    """69.77 per cent with 25 verdicts that could not be read as wrong ones; ours leave them out."""
    both = np.array([[int(label(row, "human")), int(label(row, "judge_gpt35"))] for row in rows], dtype=float)
    both[[row["judge_gpt35"] == "garbage" for row in rows], 1] = np.nan

    agreement = percent_agreement(RatingTable.of_values(both.T))

    assert agreement.n == len(rows) - 25
    assert f"{100 * agreement.value * agreement.n / len(rows):.2f}" == "69.77"


@pytest.mark.parametrize("judge", ["human", "judge_gpt35", "judge_pandalm7b"])
def test_win_ratio_matches_the_wins_and_losses_of_each_pair_of_systems(rows, expected, judge):
    published = dict(expected["win_lose_tie"]["values"][judge])
    if judge == "human":  # printed the wrong way round: people's labels say 47 wins and 49 losses
        wins, losses, ties = published["bloom-7b vs pythia-6.9b"]
        published["bloom-7b vs pythia-6.9b"] = [losses, wins, ties]

    ratios = {pair: win_ratio(between(rows, judge, pair.split(" vs "))).complete()[0] for pair in published}

    assert ratios == {
        pair: (wins + ties / 2) / (wins + losses + ties) for pair, (wins, losses, ties) in published.items()
    }


def between(rows, judge, systems):
    """The labels on outputs of two systems, which are candidates 0 and 1."""
    theirs = [row for row in rows if {row["system_1"], row["system_2"]} == set(systems)]
    first, second = ([systems.index(row[side]) for row in theirs] for side in ("system_1", "system_2"))
    return Comparisons(2, first, second, [P_FIRST[label(row, judge)] for row in theirs])
