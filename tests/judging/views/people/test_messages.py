"""A manager mails people of a campaign, by page, API and command, and learns no address."""

from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse

from judging.models import Activity, User
from judging.services.campaigns.campaign_states import change_state
from judging.services.invitations.campaign_people import stop_person
from tests.campaigns import make_ready_campaign, vote
from tests.factories import make_user

pytestmark = pytest.mark.django_db
DOORS = ("campaign-message", "api-campaign-message")


@pytest.fixture(autouse=True)
def forget_mails():
    yield
    cache.clear()


@pytest.fixture
def campaign(researcher, settings):
    """Ann has finished, Ben and Cleo have not; Cleo has no address. Dora was stopped, and Eva's account is closed."""
    settings.EMAIL_HOST = "localhost"
    ann, ben, dora, eva, _ = people = [make_user(name, "annotator") for name in ("ann", "ben", "dora", "eva", "cleo")]
    for one in (ann, ben, dora, eva):
        User.objects.filter(pk=one.pk).update(email=f"{one.username}@example.org", is_active=one != eva)
    campaign = make_ready_campaign(*people, created_by=researcher, votes_per_pair=3)
    stop_person(campaign, rater=dora.rater_name)
    for _ in range(campaign.pairs.count()):
        vote(campaign, ann)
    return campaign


def write(client, campaign, door=DOORS[1], **sent):
    return client.post(reverse(door, args=[campaign.pk]), sent, follow=True)


@pytest.mark.parametrize("door", DOORS)
def test_those_who_have_not_finished_get_a_mail_with_the_way_on(client, campaign, mailoutbox, door):
    answer = write(client, campaign, door).content.decode()

    [mail] = mailoutbox
    assert mail.to == ["ben@example.org"]
    assert f"http://testserver/campaigns/{campaign.pk}/annotate/" in mail.body
    assert "example.org" not in answer
    assert ("Mailed to 1. 1 without an address" in answer) or ('"mailed":1,"without_address":1' in answer)
    noted = f'campaign {campaign.pk} "{campaign}": mail to people who have not finished'
    assert Activity.objects.filter(action="invite", on=noted).count() == 1


def mailed_to(mailoutbox):
    return sorted(address for mail in mailoutbox for address in mail.to)


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("unfinished", ["ben@example.org"]),
        ("finished", ["ann@example.org"]),
        ("everybody", ["ann@example.org", "ben@example.org"]),
    ],
)
def test_every_door_mails_the_chosen_people(client, campaign, mailoutbox, to, expected):
    for door in DOORS:
        write(client, campaign, door, to=to, message="Thank you!")
        assert mailed_to(mailoutbox) == expected
        mailoutbox.clear()
        cache.clear()


@pytest.mark.parametrize("to", ["finished", "everybody"])
def test_only_people_who_have_not_finished_get_the_usual_sentence(client, campaign, mailoutbox, to):
    [problem] = write(client, campaign, to=to, message=" ").json()["problems"]

    assert problem.startswith("message: missing")
    assert mailoutbox == []


def test_everybody_gets_a_mail_a_day_and_others_are_told(client, campaign, mailoutbox):
    write(client, campaign)

    answer = write(client, campaign, DOORS[0], to="everybody", message="Thank you!").content.decode()

    assert [one.to for one in mailoutbox] == [["ben@example.org"], ["ann@example.org"]]
    assert "1 got a mail less than a day ago, and none now." in answer


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("sent", "begins"),
    [
        ({"message": " Ends on Friday.\n\nThank you! "}, "Ends on Friday.\n\nThank you!\n\nhttp://"),
        ({"message": " "}, "Which is better? still waits for some of your answers:\n\nhttp://"),
        ({}, "Which is better? still waits for some of your answers:\n\nhttp://"),
    ],
)
def test_a_manager_may_write_own_words(client, campaign, mailoutbox, door, sent, begins):
    write(client, campaign, door, **sent)

    assert mailoutbox[0].body.replace("\r", "").startswith(begins)


def test_one_refused_address_keeps_no_mail_from_others_and_may_be_tried_again(
    client, campaign, mailoutbox, monkeypatch
):
    def take(backend, mails):
        if mails[0].to == ["ben@example.org"]:
            raise SMTPRecipientsRefused({"ben@example.org": (550, b"no such person")})
        return send(backend, mails)

    send = EmailBackend.send_messages
    with monkeypatch.context() as patched:
        patched.setattr(EmailBackend, "send_messages", take)
        first = write(client, campaign, to="everybody", message="Thank you.")
    again = write(client, campaign, to="everybody", message="Thank you.")

    assert [first.json()[name] for name in ("mailed", "mailed_before", "refused")] == [1, 0, 1]
    assert [again.json()[name] for name in ("mailed", "mailed_before", "refused")] == [1, 1, 0]
    assert [mail.to for mail in mailoutbox] == [["ann@example.org"], ["ben@example.org"]]


def test_nobody_counts_as_mailed_after_an_error_before_the_mails(client, campaign, mailoutbox, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("judging.services.invitations.messages.note", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write(client, campaign)

    assert write(client, campaign).json()["mailed"] == len(mailoutbox) == 1


def test_a_second_mail_on_a_day_is_refused(client, campaign, mailoutbox):
    write(client, campaign)

    assert write(client, campaign).json()["problems"] == ["people: they got a mail less than a day ago"]
    assert len(mailoutbox) == 1


def test_a_mail_that_the_mail_server_refused_may_be_sent_again_and_both_leave_lines(
    client, campaign, mailoutbox, monkeypatch
):
    def refuse(*_):
        assert lines()[0].endswith("mail to people who have not finished"), "the line is there before the mail goes"
        raise SMTPServerDisconnected("closed")

    def lines():
        return list(Activity.objects.filter(action="invite").order_by("-pk").values_list("on", flat=True))

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        answer = write(client, campaign)
    again = write(client, campaign)

    assert answer.json()["problems"] == ["people: the mail server took no mail (closed)"]
    assert (again.status_code, len(mailoutbox)) == (200, 1)
    sent, refused = "mail to people who have not finished", "the mail server took no mail"
    assert [line.split(": ")[-1] for line in lines()[:3]] == [sent, refused, sent]


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda campaign, settings: setattr(settings, "EMAIL_HOST", ""), "this site sends no mail"),
        (lambda campaign, settings: change_state(campaign, state="paused"), "it is not open"),
        (lambda campaign, settings: User.objects.update(email=""), "no mail address of people who have not finished"),
    ],
)
def test_nobody_is_mailed_where_nobody_could_go_on(client, campaign, mailoutbox, settings, spoil, problem):
    shown = reverse("campaign-people", args=[campaign.pk])
    offered = "people who have not finished (1)" in client.get(shown).content.decode()
    spoil(campaign, settings)

    answer = write(client, campaign)

    assert answer.status_code == 400
    assert problem in answer.json()["problems"][0]
    assert offered
    assert "people who have not finished (1)" not in client.get(shown).content.decode()
    assert mailoutbox == []
