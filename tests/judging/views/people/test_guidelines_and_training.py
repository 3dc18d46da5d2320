"""Training as an annotator goes through it, by page and by API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Assignment, TrainingAnswer
from judging.services.campaign_pairs.gold_pairs import set_check_shares
from judging.services.campaign_pairs.training import next_training_pair, set_training_pairs
from tests.campaigns import make_annotator, make_ready_campaign
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def trained_campaign(*people, **fields):
    campaign = make_ready_campaign(*people, **fields)
    set_training_pairs(
        campaign, [KnownPair("c0", "a", "b", "first", "It names the place."), KnownPair("c1", "a", "b", "tie")]
    )
    return campaign


def test_an_annotator_is_trained_before_the_first_pair(client, ann):
    campaign = trained_campaign(ann)
    training = reverse("training", args=[campaign.pk])
    shown = next_training_pair(campaign, ann)

    first = client.get(reverse("annotate", args=[campaign.pk]), follow=True)
    wrong = "second" if shown.first.key == "a" else "first"
    feedback = client.post(training, {"number": 1, "choice": wrong}, follow=True).content.decode()
    client.post(training, {"number": 2, "choice": "tie"})
    last = client.get(training, follow=True)

    assert first.redirect_chain == [(training, 302)]
    assert "Training 1 of 2" in first.content.decode()
    assert "It names the place" not in first.content.decode()
    assert "Not quite." in feedback
    assert "It names the place." in feedback
    assert last.redirect_chain == [(reverse("annotate", args=[campaign.pk]), 302)]
    assert Assignment.objects.count() == 1


def test_two_wrong_answers_lead_back_to_the_training_where_a_pass_mark_is_set(client, ann):
    campaign = trained_campaign(ann)
    set_check_shares(campaign, training_pass_mark=0.8)
    training = reverse("training", args=[campaign.pk])
    wrong = "second" if next_training_pair(campaign, ann).first.key == "a" else "first"
    for number, choice in ((1, wrong), (2, "first")):
        client.post(training, {"number": number, "choice": choice})

    failed = client.get(reverse("annotate", args=[campaign.pk]), follow=True)
    again = client.post(training, {"again": ""}, follow=True).content.decode()

    assert failed.redirect_chain == [(training, 302)]
    assert "0 of your 2 training answers are right; 80 % are needed." in failed.content.decode()
    assert "Training 1 of 2" in again
    assert not Assignment.objects.exists()


def test_feedback_is_shown_after_the_own_answer_alone(client, ann):
    ben = make_annotator("ben")
    campaign = trained_campaign(ann, ben)
    TrainingAnswer.objects.create(pair=campaign.training_pairs.first(), annotator=ben, choice="first", swapped=False)

    assert client.get(reverse("training-feedback", args=[campaign.pk, 1])).status_code == 404


@pytest.mark.parametrize("form", [{}, {"number": "x", "choice": "tie"}, {"number": "7", "choice": "tie"}])
def test_a_forged_training_answer_is_not_stored(client, ann, form):
    campaign = trained_campaign(ann)

    assert client.post(reverse("training", args=[campaign.pk]), form).status_code == 404
    assert client.post(reverse("training", args=[campaign.pk]), {"number": 1}).status_code == 302
    assert not TrainingAnswer.objects.exists()


def test_a_researcher_stores_the_training_by_a_table(client):
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    campaign = make_ready_campaign(make_annotator("ann"), created_by=rita)
    content = "context,first,second,answer,explanation\nc0,b,a,second,It names the place.\n"
    file = SimpleUploadedFile("training.csv", content.encode())

    html = client.post(reverse("training-upload", args=[campaign.pk]), {"file": file}, follow=True).content.decode()

    assert "1 training pair stored." in html
    assert "<td>It names the place.</td>" in html
