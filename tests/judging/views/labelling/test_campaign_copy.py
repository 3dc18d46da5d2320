"""The button that copies a campaign."""

import pytest
from django.urls import reverse

from judging.models import Campaign
from tests.campaigns import make_campaign
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def rob(client):
    rob = make_user("rob", "researcher")
    client.force_login(rob)
    return rob


def test_researchers_copy_any_campaign_that_they_see(client, rob):
    campaign = make_campaign(name="May")

    html = client.get(reverse("campaign", args=[campaign.pk])).content.decode()
    answer = client.post(reverse("campaign-copy", args=[campaign.pk]), {"name": "June"})

    copy = Campaign.objects.get(name="June")
    assert 'value="May, copy"' in html
    assert (answer.url, copy.state, copy.created_by) == (copy.get_absolute_url(), "draft", rob)
