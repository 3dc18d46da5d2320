"""The page of one's own keys."""

import pytest
from django.urls import reverse

from judging.services.accounts.vote_keys import keys_of
from tests.campaigns import make_annotator
from tests.factories import make_user

pytestmark = pytest.mark.django_db
USUAL = {"first": "A", "second": "B", "tie": "T", "both-bad": "X", "cannot-judge": "C"}
USUAL |= {"strength": "M", "confidence": "H", "comment": "N"}
USUAL |= {"skip": "S", "undo": "U", "differences": "D", "scrolling": "L", "help": "?"}


def test_own_keys_are_stored_and_lead_back(client, ann):
    ben = make_annotator("ben")

    response = client.post(reverse("account-keys") + "?next=/campaigns/7/annotate/", USUAL | {"first": "J k"})

    for person in (ann, ben):
        person.refresh_from_db()
    assert (response.status_code, response.url) == (302, "/campaigns/7/annotate/")
    assert keys_of(ann)["first"] == ("j", "k")
    assert ben.vote_keys == {}


def test_a_key_of_two_actions_is_refused_at_both_fields_and_what_was_written_stays(client, ann):
    response = client.post(reverse("account-keys"), USUAL | {"skip": "U"})

    ann.refresh_from_db()
    errors = response.context["form"].errors
    assert {field: list(messages) for field, messages in errors.items()} == {
        "skip": ['"U" is also a key of "undo". Give it to one of them.'],
        "undo": ['"U" is also a key of "skip". Give it to one of them.'],
    }
    assert (response.context["form"]["skip"].value(), ann.vote_keys) == ("U", {})


def test_usual_keys_come_back_by_one_button(client, ann):
    client.post(reverse("account-keys"), USUAL | {"first": "J"})

    response = client.post(reverse("account-keys") + "?next=/account/", {"first": "anything at all", "usual": "yes"})

    ann.refresh_from_db()
    assert (response.url, ann.vote_keys) == ("/account/keys/?next=%2Faccount%2F", {})


@pytest.mark.parametrize("back", ["", "https://e.org/", "//e.org/", "nowhere"])
def test_own_keys_lead_to_pages_of_this_site_only(client, ann, back):
    assert client.post(reverse("account-keys") + f"?next={back}", USUAL).url == reverse("account")


def test_the_account_page_links_to_the_keys_for_annotators_only(client, ann):
    own = client.get(reverse("account")).content.decode()

    client.force_login(make_user("rita", "researcher"))

    assert reverse("account-keys") in own
    assert reverse("account-keys") not in client.get(reverse("account")).content.decode()
