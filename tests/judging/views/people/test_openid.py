"""Sign-in by OpenID Connect, with a real provider: roles by claim, linked accounts, and refusals in words."""

import json
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsite.environment import env_openid
from judging.models import Activity, Invitation, User
from judging.services.accounts.account_changes import create_account, deactivate_account
from judging.services.invitations.invitation_setup import create_invitation
from tests.campaigns import make_campaign
from tests.factories import make_user
from tests.openid_provider import CLIENT, SECRET, running_provider, tell

pytestmark = pytest.mark.django_db
ROLES = ("researcher", "annotator", "admin")
ANN = {"sub": "ann-1", "preferred_username": "ann", "roles": ["annotator"]}
ANN_BY_MAIL = ANN | {"email": "ann@example.org", "email_verified": True}


@pytest.fixture(scope="module")
def address():
    with running_provider() as url:
        yield url


@pytest.fixture
def lab(address, settings, monkeypatch):
    """Set up the provider `lab` by variables, and return what tells it who comes next. Ada is an admin here."""
    make_user("ada", "admin")

    def setup(**variables):
        given = {"URL": address, "CLIENT": CLIENT, "SECRET": SECRET, "NAME": "the lab"} | variables
        for name, value in given.items():
            monkeypatch.setenv(f"LAB_{name}", value)
        openid = {"APPS": env_openid(["LAB"], roles=ROLES), "OAUTH_PKCE_ENABLED": True}
        settings.SOCIALACCOUNT_PROVIDERS = {**settings.SOCIALACCOUNT_PROVIDERS, "openid_connect": openid}

    setup()
    return setup


def come(address, claims, *, following="", client=None):
    """Sign in at the provider with claims, through its real pages; return the browser and its last answer."""
    client = client or Client()
    tell(address, **claims)
    query = {"next": following} if following else {}
    to_provider = client.get(reverse("openid_connect_login", args=["lab"]), query).headers["Location"]
    back = urlsplit(requests.get(to_provider, allow_redirects=False, timeout=5).headers["Location"])
    return client, client.get(f"{back.path}?{back.query}", follow=True)


def account_in(answer):
    return answer.context["user"].username if answer.context["user"].is_authenticated else None


def test_sign_in_page_offers_the_provider(lab, client):
    page = client.get(reverse("account_login"), {"next": "/runs/"}).content.decode()

    assert "Sign in with the lab" in page
    assert "/account/openid/lab/?next=%2Fruns%2F" in page


def test_a_new_person_gets_an_account_with_the_roles_of_the_claim(lab, address):
    _, page = come(
        address, ANN | {"roles": ["annotator", "researcher", "offline_access"]}, following=reverse("run-list")
    )

    assert (account_in(page), page.request["PATH_INFO"]) == ("ann", reverse("run-list"))
    ann = User.objects.get(username="ann")
    assert (ann.roles, ann.has_usable_password()) == ({"annotator", "researcher"}, False)
    noted = Activity.objects.filter(who=ann).values_list("action", "on")
    assert {*noted} == {("change", f"account {ann.pk}: linked with the lab"), ("sign-in", f"account {ann.pk}")}


def test_roles_follow_the_claim_at_each_sign_in(lab, address):
    come(address, ANN | {"roles": ["researcher"]})
    come(address, ANN)

    assert [one.roles for one in User.objects.filter(username__startswith="ann")] == [{"annotator"}]


def test_roles_may_have_other_names_and_lie_deeper(lab, address):
    lab(ROLES="realm_access.roles", ROLE_NAMES="raters=annotator,staff=researcher")

    _, page = come(address, ANN | {"roles": ["admin"], "realm_access": {"roles": ["staff", "admin"]}})

    assert page.context["user"].roles == {"researcher"}


@pytest.mark.parametrize("roles", [[], ["somebody"], None, 7, {"admin": True}])
def test_a_person_without_a_role_is_refused_in_words(lab, address, roles):
    _, page = come(address, ANN | {"roles": roles})

    assert (page.status_code, account_in(page)) == (403, None)
    assert "Your sign-in provider gives you no role here." in page.content.decode()
    assert not User.objects.filter(username="ann").exists()


def test_a_person_whose_role_is_taken_away_is_refused(lab, address):
    come(address, ANN)

    _, page = come(address, ANN | {"roles": []})

    assert (page.status_code, account_in(page)) == (403, None)


def test_a_name_links_nobody(lab, address):
    make_user("ann", "annotator")

    _, page = come(address, ANN)

    assert account_in(page) == "ann-2"


@pytest.mark.parametrize(
    ("trusted", "claims", "name"),
    [
        ("1", ANN_BY_MAIL, "olga"),
        ("1", ANN_BY_MAIL | {"email": "Ann@Example.org"}, "olga"),
        ("1", ANN_BY_MAIL | {"email_verified": False}, "ann"),
        ("1", ANN_BY_MAIL | {"email_verified": "true"}, "ann"),
        ("0", ANN_BY_MAIL, "ann"),
    ],
)
def test_a_verified_address_of_a_trusted_provider_links_the_account(lab, address, trusted, claims, name):
    create_account(name="olga", email="ann@example.org", roles=["annotator"], password="an-unusual-word-6")
    lab(TRUST_EMAIL=trusted)

    _, page = come(address, claims)

    assert account_in(page) == name
    assert User.objects.get(username="olga").check_password("an-unusual-word-6")


def test_an_address_of_two_accounts_links_neither(lab, address):
    for name in ("olga", "olaf"):
        create_account(name=name, email="ann@example.org")
    lab(TRUST_EMAIL="1")

    _, page = come(address, ANN_BY_MAIL)

    assert account_in(page) == "ann"


def test_an_account_that_is_not_active_stays_closed(lab, address):
    come(address, ANN)
    deactivate_account(User.objects.get(username="ann"))

    _, page = come(address, ANN)

    assert (page.status_code, account_in(page)) == (403, None)
    assert "This account is not active. Ask an admin." in page.content.decode()


def test_the_last_admin_stays_one(lab, address):
    come(address, ANN | {"roles": ["admin"]})
    User.objects.filter(username="ada").update(is_active=False)

    _, page = come(address, ANN)

    assert page.status_code == 403
    assert User.objects.get(username="ann").roles == {"admin"}


def test_an_invited_person_joins_after_the_sign_in(lab, address):
    invitation = create_invitation(make_campaign(), admission="account", created_by=None)

    _, page = come(address, ANN, following=invitation.get_absolute_url())

    assert (page.status_code, page.request["PATH_INFO"]) == (200, invitation.get_absolute_url())


@pytest.mark.parametrize(("roles", "status"), [(["annotator"], 410), ([], 403)])
def test_an_expired_invitation_is_named_with_and_without_a_role(lab, address, roles, status):
    invitation = create_invitation(make_campaign(), admission="account", created_by=None)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))

    _, page = come(address, ANN | {"roles": roles}, following=invitation.get_absolute_url())

    assert page.status_code == status
    assert "This invitation has expired." in page.content.decode()


def test_a_refusal_at_the_provider_is_told(lab, address):
    _, page = come(address, ANN | {"denies": True})

    assert (page.status_code, account_in(page)) == (403, None)
    assert "did not end. Please try again." in page.content.decode()


def test_a_wrong_secret_lets_nobody_in(lab, address):
    lab(SECRET="wrong")

    _, page = come(address, ANN)

    assert (page.status_code, account_in(page)) == (403, None)


def test_an_answer_that_nobody_asked_for_lets_nobody_in(lab, address):
    client = Client()
    tell(address, **ANN)
    to_provider = client.get(reverse("openid_connect_login", args=["lab"])).headers["Location"]
    back = urlsplit(requests.get(to_provider, allow_redirects=False, timeout=5).headers["Location"])

    answers = [one.get(f"{back.path}?{back.query}") for one in (Client(), client, client)]

    assert [one.status_code for one in answers] == [403, 302, 403]


def test_a_provider_that_does_not_answer_is_told(lab, client):
    lab(URL="http://localhost:1")

    page = client.get(reverse("openid_connect_login", args=["lab"]))

    assert page.status_code == 403
    assert "The sign-in provider does not answer." in page.content.decode()


def test_what_the_provider_told_is_part_of_ones_own_data(lab, address):
    client, _ = come(address, ANN)

    data = json.loads(client.get(reverse("account-data")).content)

    assert [(one["provider"], one["identifier"]) for one in data["openid"]] == [("lab", "ann-1")]
    assert SocialAccount.objects.count() == 1


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"URL": "http://sso.example.org"}, "LAB_URL is 'http://sso.example.org'; give an address with https"),
        ({"URL": "https://sso.example.org", "CLIENT": ""}, "give LAB_CLIENT"),
        ({"URL": "https://sso.example.org", "ROLE_NAMES": "staff=boss"}, "LAB_ROLE_NAMES as VALUE=ROLE"),
    ],
)
def test_unclear_settings_are_refused(lab, variables, problem):
    with pytest.raises(ImproperlyConfigured, match=problem):
        lab(**variables)
