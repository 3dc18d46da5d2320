import json
from collections import Counter

import pytest

from benchmarks.demo_judge.sample_dataset import DEMO_SYSTEMS, generate_sample_lines
from judging.demo import SAMPLE_DATASET


@pytest.fixture(scope="module")
def documents():
    return [json.loads(line) for line in SAMPLE_DATASET.read_text(encoding="utf-8").splitlines()]


def test_committed_sample_equals_the_output_of_the_script():
    assert SAMPLE_DATASET.read_text(encoding="utf-8").splitlines() == generate_sample_lines()


def test_sample_says_that_it_is_synthetic(documents):
    assert "All of it is synthetic" in documents[0]["dataset"]["description"]


def test_sample_has_a_familiar_and_an_unfamiliar_subset(documents):
    assert Counter(context["subset"] for context in documents[1:]) == {"familiar": 16, "unfamiliar": 8}


def test_every_context_has_one_rated_candidate_of_every_system(documents):
    for context in documents[1:]:
        assert {candidate["system"] for candidate in context["candidates"]} == {system.name for system in DEMO_SYSTEMS}
        for candidate in context["candidates"]:
            for ratings in candidate["ratings"].values():
                assert set(ratings) == {"rater-1", "rater-2", "rater-3"}
                assert all(1 <= rating <= 5 for rating in ratings.values())


def test_three_or_four_raters_vote_on_six_pairs_per_context_and_sometimes_differ(documents):
    votes = [(context["context"], vote) for context in documents[1:] for vote in context["votes"]]
    by_pair = {}
    for context, vote in votes:
        winner = vote[vote["choice"]] if vote["choice"] != "tie" else "tie"
        by_pair.setdefault((context, frozenset((vote["first"], vote["second"]))), []).append(winner)

    assert len(by_pair) == 24 * 6
    assert {len(winners) for winners in by_pair.values()} == {3, 4}
    assert 0.3 < sum(len(set(winners)) == 1 for winners in by_pair.values()) / len(by_pair) < 0.8
    assert {vote["choice"] for _, vote in votes} == {"first", "second", "tie"}


def test_systems_differ_in_quality(documents):
    ratings = {system.name: [] for system in DEMO_SYSTEMS}
    for context in documents[1:]:
        for candidate in context["candidates"]:
            ratings[candidate["system"]] += candidate["ratings"]["coherence"].values()

    means = {name: sum(values) / len(values) for name, values in ratings.items()}

    assert means["steady"] > means["echo"] > means["jumble"]
