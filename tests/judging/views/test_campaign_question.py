"""The campaign's own question, and the dataset's noun, on every page of an annotator."""

import pytest
from django.urls import reverse

from judging.models import Attribute
from judging.services.invitations.invitation_setup import create_invitation
from tests.campaigns import make_annotator, make_ready_campaign, vote
from tests.factories import make_dataset
from tests.judging.views.pages import page

pytestmark = pytest.mark.django_db
QUESTION = "Which one would you rather read?"


@pytest.fixture
def campaign(client):
    """A campaign with its own question, whose annotator is signed in and has voted once."""
    ann = make_annotator("ann")
    client.force_login(ann)
    dataset = make_dataset(candidates=(3,))
    Attribute.objects.update(adjective="coherent")
    campaign = make_ready_campaign(ann, dataset=dataset, questions={"coherence": QUESTION})
    vote(campaign, ann)
    return campaign


def test_every_page_of_an_annotator_asks_the_campaigns_own_question(client, campaign):
    invitation = create_invitation(campaign, admission="registration", created_by=None)
    key = campaign.assignments.get().key
    parameters = {
        "home": (),
        "campaign-list": (),
        "join": (invitation.code,),
        "guidelines": (campaign.pk,),
        "annotate": (campaign.pk,),
        "vote-list": (campaign.pk,),
        "vote-change": (campaign.pk, key),
    }

    pages = {name: page(client, name, *values) for name, values in parameters.items()}

    assert [name for name, html in pages.items() if QUESTION not in html] == []
    assert [name for name, html in pages.items() if "more coherent" in html] == []


def test_the_guidelines_name_the_candidates_by_the_noun_of_the_dataset(client, campaign):
    html = client.get(reverse("guidelines", args=[campaign.pk])).content.decode()

    assert "You see Summary 1 and Summary 2 for the same" in html
