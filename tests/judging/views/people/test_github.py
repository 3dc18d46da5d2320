"""Sign-in by GitHub, with a server that answers as GitHub does: which accounts it opens, and refusals in words."""

from urllib.parse import urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from evalsite.environment import env_github, env_openid
from judging.models import Activity, User
from judging.services.accounts.account_changes import create_account, deactivate_account
from tests.openid_provider import CLIENT, SECRET, running_provider, tell

pytestmark = pytest.mark.django_db
MAIN = {"email": "ann@example.org", "primary": True, "verified": True, "visibility": "private"}
UNVERIFIED, SECOND = MAIN | {"verified": False}, MAIN | {"primary": False}
OTHER = MAIN | {"email": "other@example.org"}


@pytest.fixture(scope="module")
def address():
    with running_provider() as url:
        yield url


@pytest.fixture
def github(address, settings, monkeypatch):
    """Set up GitHub by variables. Ann is an annotator here."""
    for name, value in {"CLIENT": CLIENT, "SECRET": SECRET, "URL": address}.items():
        monkeypatch.setenv(f"GITHUB_{name}", value)
    settings.SOCIALACCOUNT_PROVIDERS = {**settings.SOCIALACCOUNT_PROVIDERS, "github": env_github()}
    monkeypatch.setattr(GitHubOAuth2Adapter, "authorize_url", f"{address}/login/oauth/authorize")
    monkeypatch.setattr(GitHubOAuth2Adapter, "access_token_url", f"{address}/login/oauth/access_token")
    monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{address}/api/v3/user")
    monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{address}/api/v3/user/emails")
    return create_account(name="ann", email="ann@example.org", roles=["annotator"], password="an-unusual-word-6")


def come(address, *emails, number=7, public=None, denies=False):
    """Sign in at GitHub, through its real pages; return the last answer. public: the address in the profile."""
    tell(address, user={"id": number, "login": "octoann", "email": public}, emails=emails, denies=denies)
    client = Client()
    to_github = client.get(reverse("github_login"), {"next": reverse("account")}).headers["Location"]
    back = urlsplit(requests.get(to_github, allow_redirects=False, timeout=5).headers["Location"])
    return client.get(f"{back.path}?{back.query}", follow=True)


def account_in(answer):
    return answer.context["user"].username if answer.context["user"].is_authenticated else None


def test_sign_in_page_offers_github_only_if_it_is_set_up(client, github, settings):
    shown = client.get(reverse("account_login"), {"next": "/runs/"}).content.decode()
    settings.SOCIALACCOUNT_PROVIDERS["github"]["APPS"] = []
    hidden = client.get(reverse("account_login")).content.decode()

    assert "/account/github/?next=%2Fruns%2F" in shown
    assert "Sign in with GitHub" in shown
    assert "GitHub" not in hidden
    assert [client.get(reverse(f"github_{end}")).status_code for end in ("login", "callback")] == [404, 404]


def test_the_main_address_opens_its_account_and_leaves_its_roles(github, address):
    page = come(address, OTHER | {"primary": False}, MAIN)

    assert (account_in(page), page.request["PATH_INFO"]) == ("ann", reverse("account"))
    assert User.objects.get().roles == {"annotator"}
    noted = Activity.objects.filter(who=github).values_list("action", "on")
    assert ("change", f"account {github.pk}: linked with GitHub") in noted


def test_a_linked_account_opens_whatever_the_address_becomes(github, address):
    come(address, MAIN)

    assert account_in(come(address, OTHER)) == "ann"
    assert account_in(come(address, OTHER, number=8)) is None


@pytest.mark.parametrize(
    ("emails", "public"),
    [([UNVERIFIED], None), ([SECOND, OTHER], None), ([OTHER], "ann@example.org"), ([], "ann@example.org")],
)
def test_other_addresses_open_no_account_and_make_none(github, address, emails, public):
    page = come(address, *emails, public=public)

    assert (page.status_code, account_in(page)) == (403, None)
    assert "No account here has the main address of your GitHub account." in page.content.decode()
    assert (User.objects.count(), SocialAccount.objects.count()) == (1, 0)


def test_an_account_that_ended_stays_closed(github, address):
    deactivate_account(github)

    assert "This account is not active." in come(address, MAIN).content.decode()


def test_a_refusal_at_github_and_a_wrong_secret_are_told(github, address, settings):
    denied = come(address, MAIN, denies=True)
    settings.SOCIALACCOUNT_PROVIDERS["github"]["APPS"][0]["secret"] = "wrong"
    wrong = come(address, MAIN)

    for page in (denied, wrong):
        assert (page.status_code, account_in(page)) == (403, None)
        assert "did not end. Please try again." in page.content.decode()


def test_unclear_settings_are_refused(monkeypatch):
    monkeypatch.setenv("GITHUB_URL", "http://github.example.org")
    with pytest.raises(ImproperlyConfigured, match="give an address with https"):
        env_github()

    with pytest.raises(ImproperlyConfigured, match="GITHUB, which has a way of its own"):
        env_openid(["GITHUB"], roles=("annotator",))
