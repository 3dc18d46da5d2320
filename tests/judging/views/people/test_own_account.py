"""Downloading one's own data and deleting the account, by page."""

import pytest
from django.urls import reverse

from judging.models import User
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.joining import PlatformArrival, enter_from_platform
from tests.campaigns import make_annotator, make_campaign

pytestmark = pytest.mark.django_db


def test_own_data_are_downloaded(client, ann):
    make_annotator("ben")

    answer = client.get(reverse("account-data"))

    assert answer.json()["account"]["username"] == "ann"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="evenhand-account.json"'


def test_an_annotator_deletes_the_account_with_the_password(client, ann):
    ben = make_annotator("ben")

    page = client.post(reverse("account-delete"), {"password": "ann"}, follow=True)

    ann.refresh_from_db()
    assert (ann.is_active, ann.username) == (False, f"deleted-{ann.rater_code}")
    assert "Your account is deleted" in page.content.decode()
    assert User.objects.get(pk=ben.pk).is_active


@pytest.mark.parametrize("fields", [{"password": "wrong"}, {}])
def test_no_account_is_deleted_without_its_password(client, ann, fields):
    assert client.post(reverse("account-delete"), fields).context["form"].errors["password"]
    assert User.objects.get(pk=ann.pk).is_active


def test_a_participant_without_a_password_deletes_the_account_by_a_button(client):
    invitation = create_invitation(make_campaign(), admission="platform", created_by=None)
    participant = enter_from_platform(invitation, arrival=PlatformArrival("5f1"))
    client.force_login(participant)

    client.post(reverse("account-delete"))

    assert not User.objects.get(pk=participant.pk).is_active


def test_a_researcher_is_referred_to_an_admin(client, researcher):
    page = client.post(reverse("account-delete"), {"password": "rita"})

    assert "are deleted by an admin" in page.content.decode()
    assert User.objects.get(pk=researcher.pk).is_active
    assert reverse("account-delete") not in client.get(reverse("account")).content.decode()
