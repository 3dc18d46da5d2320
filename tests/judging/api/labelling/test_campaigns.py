"""Campaigns over HTTP."""

from datetime import UTC, datetime

import pytest

from judging.models import Assignment, Campaign
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

BODY = {"name": "Which is better?", "dataset": "Summaries", "attributes": ["coherence"], "annotators": ["ben"]}


def create(client, **fields):
    return client.post("/api/campaigns/", BODY | fields, format="json")


def test_a_campaign_is_created_with_its_pairs_and_annotators(researcher):
    make_dataset(), make_dataset("Others")
    make_annotator("ben")

    refused = create(researcher, dataset="Nothing")
    created = create(researcher, contexts=1, votes_per_pair=2, questions="Which one do you trust?").json()

    assert refused.json()["problems"] == ['dataset: there is no "Nothing"']
    assert (created["question"], created["pairs"], created["votes"], created["votes_planned"]) == (
        "Which one do you trust?",
        3,
        0,
        6,
    )
    assert (created["annotators"], created["created_by"]) == (["ben"], "rita")
    assert researcher.get(f"/api/campaigns/{created['id']}/").json() == created
    assert created.pop("overlaps") == []
    assert [(one["version"], one["text"], one["votes"]) for one in created.pop("guidelines_versions")] == [(1, "", 0)]
    assert researcher.get("/api/campaigns/").json()["results"] == [created]


def test_a_campaign_asks_about_several_attributes_in_their_order(researcher):
    make_dataset(candidates=(2,), attributes=("coherence", "fluency"))
    make_annotator("ben")

    created = create(researcher, attributes=["fluency", "coherence"], questions={"fluency": "Which flows?"}).json()
    address = f"/api/campaigns/{created['id']}/"
    changed = researcher.patch(address, {"questions": {"coherence": "Which hangs?"}}, format="json").json()
    refused = researcher.patch(address, {"question": "Which?"}, format="json")
    report = researcher.get(f"{address}progress/").json()

    assert (created["attribute"], created["attributes"], created["pairs"]) == (None, ["fluency", "coherence"], 2)
    assert changed["questions"] == {"fluency": "Which flows?", "coherence": "Which hangs?"}
    assert refused.json()["problems"] == [
        "question: give questions, which name the attribute of each, to a campaign with several"
    ]
    assert report["agreement"] is None
    assert [(one["attribute"], one["planned"]) for one in report["attributes"]] == [("fluency", 3), ("coherence", 3)]


def test_its_creator_changes_and_deletes_a_campaign(researcher):
    ben = make_annotator("ben")
    campaign = make_campaign(created_by=researcher.user)
    address = f"/api/campaigns/{campaign.pk}/"

    changes = {"guidelines": "Read both.", "question": "Which one would you read?", "annotators": [ben.username]}
    changed = researcher.patch(address, changes, format="json").json()

    assert {name: changed[name] for name in (*changes, "allow_ties")} == changes | {"allow_ties": True}
    assert researcher.delete(address).status_code == 204
    assert not Campaign.objects.exists()


def test_a_campaign_with_votes_keeps_its_question_and_is_not_deleted(researcher):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ben, created_by=researcher.user)
    vote(campaign, ben)
    address = f"/api/campaigns/{campaign.pk}/"

    changed = researcher.patch(address, {"guidelines": "New."}, format="json").json()

    assert [(one["version"], one["text"], one["votes"]) for one in changed["guidelines_versions"]] == [
        (2, "New.", 0),
        (1, "", 1),
    ]
    assert researcher.patch(address, {"question": "New?"}, format="json").status_code == 400
    assert researcher.delete(address).status_code == 400
    assert [row["rater"] for row in researcher.get("/api/votes/", {"campaign": campaign.name}).json()["results"]] == [
        ben.rater_name
    ]


def test_progress_of_a_campaign_shows_each_annotator_and_their_agreement(researcher, annotator):
    ben, cleo = make_annotator("ben"), make_annotator("cleo")
    campaign = make_ready_campaign(ben, cleo, dataset=make_dataset(candidates=(2,)), votes_per_pair=2)
    vote(campaign, ben, "tie", milliseconds=1500)
    vote(campaign, cleo, "tie")

    shown = researcher.get(f"/api/campaigns/{campaign.pk}/progress/").json()

    assert [shown[name] for name in ("pairs", "complete", "done", "planned", "skips")] == [1, 1, 2, 2, 0]
    assert shown["agreement"] == {
        "agreeing": 1,
        "compared": 1,
        "pairs": 1,
        "disputed": 0,
        "percent": 100.0,
        "low": None,
        "high": None,
        "width": None,
    }
    rows = {row["rater"]: (row["votes"], row["quick"], row["median_seconds"]) for row in shown["annotators"]}
    assert rows == {ben.rater_name: (1, 1, 1.5), cleo.rater_name: (1, 0, None)}
    assert list(rows) == sorted(rows)
    assert annotator.get(f"/api/campaigns/{campaign.pk}/progress/").status_code == 404


def test_progress_of_a_campaign_lists_its_days_and_the_reasons_of_skips(researcher):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ben)
    given = Assignment.objects.filter(vote=vote(campaign, ben))
    given.update(answered_at=datetime(2026, 3, 1, 12, tzinfo=UTC))
    skip_pair(next_pair(campaign, annotator=ben), reason="subject")

    shown = researcher.get(f"/api/campaigns/{campaign.pk}/progress/").json()

    assert shown["days"] == [{"day": "2026-03-01", "votes": 1, "people": 1, "total": 1}]
    assert shown["skip_reasons"] == [
        {"reason": "subject", "text": "I do not know enough about the subject", "skips": 1}
    ]


def test_a_campaign_is_created_as_a_draft_opened_paused_and_given_a_deadline(researcher):
    make_dataset()
    make_annotator("ben")
    created = create(researcher, state="draft").json()
    address = f"/api/campaigns/{created['id']}/"

    changes = [researcher.patch(address, {"state": state}, format="json").json() for state in ("open", "paused")]
    dated = researcher.patch(address, {"deadline": "2999-05-31T18:00:00Z"}, format="json").json()
    refused = researcher.patch(address, {"state": "draft"}, format="json")

    assert (created["state"], created["deadline"]) == ("draft", None)
    assert [changed["state"] for changed in changes] == ["open", "paused"]
    assert (dated["deadline"], refused.status_code) == ("2999-05-31T18:00:00Z", 400)
