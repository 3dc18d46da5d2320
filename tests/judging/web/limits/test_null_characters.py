"""A null character in a request is bad input, not a fault of the server."""

import pytest
from django.urls import reverse

from tests.campaigns import make_ready_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.mark.parametrize("page", ["campaign-identify", "campaign-stop"])
def test_null_character_is_bad_input(client, researcher, page):
    campaign = make_ready_campaign(created_by=researcher)

    answer = client.post(reverse(page, args=[campaign.pk]), {"rater": "h-\0"})

    assert (answer.status_code, "The request is malformed" in answer.content.decode()) == (400, True)
