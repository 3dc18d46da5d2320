"""A manager mails those who have not finished, by the page and the API, and learns no address."""

from smtplib import SMTPServerDisconnected

import pytest
from django.core.cache import cache
from django.urls import reverse

from judging.models import Activity, User
from judging.services.campaigns.campaign_states import change_state
from tests.campaigns import make_ready_campaign, vote
from tests.factories import make_user

pytestmark = pytest.mark.django_db
DOORS = ("campaign-remind", "api-campaign-remind")


@pytest.fixture(autouse=True)
def forget_reminders():
    yield
    cache.clear()


@pytest.fixture
def campaign(researcher, settings):
    """Ann has finished, Ben and Cleo have not; Cleo has no address. There is a mail server."""
    settings.EMAIL_HOST = "localhost"
    ann, ben, cleo = (make_user(name, "annotator") for name in ("ann", "ben", "cleo"))
    for one in (ann, ben):
        User.objects.filter(pk=one.pk).update(email=f"{one.username}@example.org")
    campaign = make_ready_campaign(ann, ben, cleo, created_by=researcher, votes_per_pair=3)
    for _ in range(campaign.pairs.count()):
        vote(campaign, ann)
    return campaign


def remind(client, campaign, door=DOORS[1], **sent):
    return client.post(reverse(door, args=[campaign.pk]), sent, follow=True)


@pytest.mark.parametrize("door", DOORS)
def test_those_who_have_not_finished_get_a_mail_with_the_way_on(client, campaign, mailoutbox, door):
    answer = remind(client, campaign, door).content.decode()

    [mail] = mailoutbox
    assert mail.to == ["ben@example.org"]
    assert f"http://testserver/campaigns/{campaign.pk}/annotate/" in mail.body
    assert "example.org" not in answer
    assert ("Mailed to 1. 1 without an address" in answer) or ('"mailed":1,"without_address":1' in answer)
    assert Activity.objects.filter(action="invite", on=f'campaign {campaign.pk} "{campaign}": reminder').count() == 1


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("sent", "begins"),
    [
        ({"message": " Ends on Friday.\n\nThank you! "}, "Ends on Friday.\n\nThank you!\n\nhttp://"),
        ({"message": " "}, "Some pairs of Which is better? still wait for your answers:\n\nhttp://"),
        ({}, "Some pairs of Which is better? still wait for your answers:\n\nhttp://"),
    ],
)
def test_a_manager_may_write_own_words(client, campaign, mailoutbox, door, sent, begins):
    remind(client, campaign, door, **sent)

    assert mailoutbox[0].body.replace("\r", "").startswith(begins)


@pytest.mark.parametrize("door", DOORS)
def test_a_message_that_is_too_long_is_not_sent(client, campaign, mailoutbox, door):
    answer = remind(client, campaign, door, message="x" * 2_001)

    assert "message: 2,001 characters" in answer.content.decode()
    assert mailoutbox == []


def test_a_second_reminder_on_a_day_is_refused(client, campaign, mailoutbox):
    remind(client, campaign)

    assert remind(client, campaign).json()["problems"] == ["people: they were reminded less than a day ago"]
    assert len(mailoutbox) == 1


def test_a_reminder_that_the_mail_server_refused_may_be_sent_again(client, campaign, mailoutbox, monkeypatch):
    def refuse(*_):
        raise SMTPServerDisconnected("closed")

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        answer = remind(client, campaign)
    again = remind(client, campaign)

    assert answer.json()["problems"] == ["people: the mail server took no mail (closed)"]
    assert (again.status_code, len(mailoutbox)) == (200, 1)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda campaign, settings: setattr(settings, "EMAIL_HOST", ""), "this site sends no mail"),
        (lambda campaign, settings: change_state(campaign, state="paused"), "it is not open"),
        (lambda campaign, settings: User.objects.update(email=""), "nobody who has not finished has a mail address"),
    ],
)
def test_nobody_is_mailed_where_nobody_could_go_on(client, campaign, mailoutbox, settings, spoil, problem):
    shown = reverse("campaign-people", args=[campaign.pk])
    offered = "Remind by mail (1)" in client.get(shown).content.decode()
    spoil(campaign, settings)

    answer = remind(client, campaign)

    assert answer.status_code == 400
    assert problem in answer.json()["problems"][0]
    assert offered
    assert "Remind by mail" not in client.get(shown).content.decode()
    assert mailoutbox == []
