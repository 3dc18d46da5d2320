"""The Python client for annotators, against the real application."""

import httpx
import pytest

from evenhand.annotator import Annotator
from judging.models import Consent, Vote
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from tests.campaigns import let_time_pass, make_annotator, make_campaign, small_campaign
from tests.factories import make_dataset, make_token

pytestmark = pytest.mark.django_db


def test_annotator_votes_changes_skips_and_withdraws(application):
    ann = make_annotator("ann")
    make_campaign(make_dataset(candidates=(2, 2)), annotators=[ann])
    token = make_token(ann)

    with Annotator("http://testserver", token=token, transport=httpx.WSGITransport(app=application)) as client:
        [campaign] = client.campaigns()
        client.confirm_guidelines(campaign["id"])
        shown = client.next_pair(campaign["id"])
        let_time_pass(1500)
        voted = client.vote(shown, "first", seconds=1.5)
        skipped = client.skip(client.next_pair(campaign["id"]), "language")

        assert client.next_pair(campaign["id"]) is None
        assert client.change_vote(voted, "tie")["choice"] == "tie"
        assert [row["key"] for row in client.answers(campaign["id"], status="skipped")] == [skipped["key"]]
        assert client.withdraw(skipped)["status"] == "open"

    assert list(Vote.objects.values_list("choice", "seconds")) == [("tie", 1.5)]


def test_annotator_joins_accepts_and_gets_the_completion_code(application):
    token = make_token(make_annotator("ann"))
    campaign = small_campaign()
    set_consent_text(campaign, text="We store votes.", created_by=None)
    code = create_invitation(campaign, admission="account", created_by=None, completion_code="C1").code

    with Annotator("http://testserver", token=token, transport=httpx.WSGITransport(app=application)) as client:
        joined = client.join(code)["campaign"]
        client.confirm_guidelines(joined)
        client.accept_consent(joined, client.consent(joined)["version"])
        before = client.completion_code(joined)
        client.vote(client.next_pair(joined), "first")

        assert (before, client.completion_code(joined)) == (None, "C1")

    assert Consent.objects.get().annotator.username == "ann"
