"""Choosing a password by a link, from an admin or by mail."""

import re

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.services.accounts.account_changes import create_account, deactivate_account, password_link
from tests.factories import make_user

pytestmark = pytest.mark.django_db
NEW = {"password1": "an-unusual-word-7", "password2": "an-unusual-word-7"}


def choose(client, link, fields=NEW):
    """Open the link, which redirects to a page without its secret, and send the form."""
    opened = client.get(link, follow=True)
    return client.post(opened.request["PATH_INFO"], fields, follow=True)


def test_an_invited_person_chooses_a_password_and_is_signed_in(client):
    olaf, rita = create_account(name="olaf", roles=["researcher"]), make_user("rita")

    page = choose(client, password_link(olaf))

    olaf.refresh_from_db()
    assert olaf.check_password("an-unusual-word-7")
    assert page.context["user"] == olaf
    rita.refresh_from_db()
    assert rita.check_password("rita")


def test_a_link_works_once(client):
    olaf = create_account(name="olaf", roles=["researcher"])
    link = password_link(olaf)
    choose(client, link)

    page = client.get(link, follow=True)

    assert page.status_code == 410
    assert "This link no longer works" in page.content.decode()


def test_a_weak_password_is_refused(client):
    olaf = create_account(name="olaf", roles=["researcher"])

    page = choose(client, password_link(olaf), {"password1": "1234", "password2": "1234"})

    assert "This password is too short" in page.content.decode()
    olaf.refresh_from_db()
    assert not olaf.has_usable_password()


def test_a_forged_link_gets_a_plain_page(client):
    rita = make_user("rita", "researcher")
    forged = reverse("account_reset_password_from_key", args=[password_link(rita).split("/")[3], "abc-123"])

    page = client.get(forged)

    assert page.status_code == 410
    assert "ask the admin who sent it for a new one" in page.content.decode()


def test_a_link_of_a_deactivated_account_does_not_work(client):
    olaf = make_user("olaf", "researcher")
    link = password_link(olaf)
    deactivate_account(olaf)

    assert client.get(link, follow=True).status_code == 410
    with pytest.raises(Refused, match='"olaf" is not active; restore it first'):
        password_link(olaf)


@pytest.fixture
def olga(settings):
    """An account with an address, beside one with another; and a mail server."""
    settings.EMAIL_HOST = "localhost"
    create_account(name="rita", email="rita@example.org", password="an-unusual-word-5")
    return create_account(name="olga", email="olga@example.org", password="an-unusual-word-6")


def test_a_lost_password_is_replaced_by_a_link_in_a_mail(client, olga, mailoutbox):
    client.post(reverse("account_reset_password"), {"email": "Olga@example.org"})
    [mail] = mailoutbox
    [link] = re.findall("http://testserver(/.+)", mail.body)

    page = choose(client, link)

    assert (mail.to, mail.subject) == (["olga@example.org"], "Evenhand: a new password for olga")
    assert page.context["user"] == olga
    olga.refresh_from_db()
    assert olga.check_password("an-unusual-word-7")


def test_an_address_without_an_account_gets_the_same_answer_and_no_mail(client, olga, mailoutbox):
    answers = [
        client.post(reverse("account_reset_password"), {"email": f"{name}@example.org"}, follow=True)
        for name in ("olga", "nobody")
    ]

    known, unknown = (one.content.decode().partition("<main")[2] for one in answers)
    assert known == unknown
    assert "If an account has this address, a link is on its way to it." in known
    assert len(mailoutbox) == 1


def test_a_deactivated_account_gets_no_mail(client, olga, mailoutbox):
    deactivate_account(olga)

    client.post(reverse("account_reset_password"), {"email": "olga@example.org"})

    assert mailoutbox == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_mail_server_the_page_says_who_helps(client, olga, settings, mailoutbox, method):
    settings.EMAIL_HOST = ""

    page = getattr(client, method)(reverse("account_reset_password"), {"email": "olga@example.org"})

    assert "Ask an admin. They make a link by which you choose a new password." in page.content.decode()
    assert mailoutbox == []
