"""Answers that the script of the voting page sends: the next pair comes with the response."""

import re

import pytest
from django.urls import reverse

from judging.models import Vote
from judging.services.campaigns.campaign_states import change_state
from tests.campaigns import make_ready_campaign
from tests.factories import make_dataset
from tests.judging.views.pages import page, posted_fields

pytestmark = pytest.mark.django_db
BY_SCRIPT = {"HX-Request": "true"}


def test_a_script_gets_the_next_pair_with_the_answer_to_its_vote(client, ann):
    campaign = make_ready_campaign(ann, dataset=make_dataset(candidates=(2, 2)))
    address, shown = reverse("annotate", args=[campaign.pk]), page(client, "annotate", campaign.pk)

    vote = posted_fields(shown) | {"choice": "first"}
    answer = client.post(reverse("vote-record", args=[campaign.pk]), vote, headers=BY_SCRIPT)

    assert (answer.status_code, answer["Content-Location"], Vote.objects.count()) == (200, address, 1)
    assert "private" in answer["Cache-Control"]
    assert without_tokens(answer.content.decode()) == without_tokens(page(client, "annotate", campaign.pk))


def test_a_vote_that_was_stored_before_the_end_is_not_refused_when_it_is_sent_again(client, ann):
    campaign = make_ready_campaign(ann)
    vote = posted_fields(page(client, "annotate", campaign.pk)) | {"choice": "first"}
    sent = reverse("vote-record", args=[campaign.pk]), vote
    client.post(*sent)
    change_state(campaign, state="closed")

    again = client.post(*sent, headers=BY_SCRIPT)

    assert (again.status_code, again.url) == (302, reverse("annotate", args=[campaign.pk]))


def without_tokens(html):
    """Return a page without the tokens of its forms, which are new for each request."""
    return re.sub(r'(csrfmiddlewaretoken" value=|X-CSRFToken": )"\w+"', "", html)
