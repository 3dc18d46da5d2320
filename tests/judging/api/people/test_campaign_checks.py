"""Gold pairs and repeats over HTTP."""

import pytest

from tests.campaigns import make_campaign

pytestmark = pytest.mark.django_db

PAIR = {"context": "c0", "first": "b", "second": "a", "answer": "first"}


def test_gold_pairs_are_added_and_listed(researcher, other_researcher):
    campaign = make_campaign(created_by=researcher.user)
    address = f"/api/campaigns/{campaign.pk}/"

    added = researcher.post(f"{address}gold-pairs/", {"pairs": [PAIR]}, format="json")
    changed = researcher.patch(f"{address}checks/", {"repeat_share": 0.25}, format="json").json()

    gold = {"attribute": "coherence", "context": "c0", "one": "a", "other": "b", "answer": "b", "votes": 0, "right": 0}
    assert (added.status_code, added.json()["gold_pairs"]) == (201, [gold])
    assert changed == {
        "repeat_share": 0.25,
        "gold_share": 0.1,
        "training_pass_mark": 0.0,
        "gold_pass_mark": 0.0,
        "repeats": 0,
        "gold_pairs": [gold],
        "training_pairs": [],
        "powers": [
            {"flag": "gold", "answers": 1, "needed": 5, "power": 0.0},
            {"flag": "inconsistent", "answers": 0, "needed": 20, "power": 0.0},
            {"flag": "no-agreement", "answers": 5, "needed": 20, "power": 0.0},
            {"flag": "quick", "answers": 5, "needed": 20, "power": 0.0},
        ],
    }
    assert researcher.get(f"{address}checks/").json() == changed
    assert other_researcher.get(f"{address}checks/").status_code == 404


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "not both"),
        ({"pairs": [PAIR], "unanimous": 1}, "not both"),
        ({"unanimous": 1}, "only 0 pairs"),
        ({"pairs": [PAIR | {"first": "z"}]}, '"z" is not a candidate of c0'),
    ],
)
def test_wrong_gold_pairs_are_refused(researcher, body, problem):
    campaign = make_campaign(created_by=researcher.user)

    answer = researcher.post(f"/api/campaigns/{campaign.pk}/gold-pairs/", body, format="json")

    assert answer.status_code == 400
    assert problem in answer.json()["problems"][0]
    assert not campaign.pairs.filter(purpose="gold").exists()
