"""Training over HTTP."""

import pytest

from judging.models import TrainingAnswer
from judging.services.campaign_pairs.training import TRAIN_AGAIN, TRAINING_FAILED
from tests.campaigns import make_annotator, make_ready_campaign

pytestmark = pytest.mark.django_db

PAIR = {"context": "c0", "first": "a", "second": "b", "answer": "tie", "explanation": "Both are short."}


def test_voting_needs_the_training(researcher, annotator):
    campaign = make_ready_campaign(annotator.user, make_annotator("ben"), created_by=researcher.user)
    stored = researcher.put(f"/api/campaigns/{campaign.pk}/training-pairs/", {"pairs": [PAIR]}, format="json").json()
    own = f"/api/own-campaigns/{campaign.pk}/"

    refused = annotator.post(f"{own}next-pair/")
    shown = annotator.get(f"{own}training/").json()
    feedback = annotator.post(f"{own}training/", {"number": 1, "choice": "first"}, format="json").json()

    assert stored["training_pairs"][0]["explanation"] == "Both are short."
    assert "answer the training pairs first" in refused.json()["problems"][0]
    assert (shown["number"], shown["total"], shown["context"]) == (1, 1, "Article 0.")
    assert feedback == {"is_right": False, "choice": "first", "answer": "tie", "explanation": "Both are short."}
    assert annotator.get(f"{own}training/").status_code == 204
    assert annotator.post(f"{own}next-pair/").status_code == 200
    assert TrainingAnswer.objects.get().annotator == annotator.user


def test_voting_waits_below_the_pass_mark_until_the_training_is_done_again(researcher, annotator):
    campaign = make_ready_campaign(annotator.user, created_by=researcher.user)
    researcher.put(f"/api/campaigns/{campaign.pk}/training-pairs/", {"pairs": [PAIR]}, format="json")
    set_mark = researcher.patch(f"/api/campaigns/{campaign.pk}/checks/", {"training_pass_mark": 0.8}, format="json")
    own = f"/api/own-campaigns/{campaign.pk}/"

    early = annotator.delete(f"{own}training/")
    annotator.post(f"{own}training/", {"number": 1, "choice": "first"}, format="json")
    refused = annotator.post(f"{own}next-pair/")
    again = annotator.delete(f"{own}training/")
    annotator.post(f"{own}training/", {"number": 1, "choice": "tie"}, format="json")

    assert set_mark.json()["training_pass_mark"] == 0.8
    assert (early.status_code, again.status_code) == (400, 204)
    assert refused.json()["problems"] == [f"{TRAINING_FAILED.format(right=0, total=1, share=80)} {TRAIN_AGAIN}"]
    assert annotator.post(f"{own}next-pair/").status_code == 200
