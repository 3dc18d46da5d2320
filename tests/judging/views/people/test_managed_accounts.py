"""The pages of accounts, for admins."""

import pytest
from django.urls import reverse

from judging.models import User
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def press(client, name, account, **fields):
    return client.post(reverse(name, args=[account.pk]), fields, follow=True).content.decode()


def test_an_account_without_password_gets_a_link_that_is_shown_once(client, admin):
    fields = {"name": "olaf", "roles": ["researcher"], "email": "", "password": ""}

    first = client.post(reverse("account-new"), fields, follow=True)

    olaf = User.objects.get(username="olaf")
    again = client.get(reverse("account-detail", args=[olaf.pk])).content.decode()
    assert olaf.roles == {"researcher"}
    assert first.context["link"] in first.content.decode()
    assert "/account/choose/" not in again


def test_an_account_with_a_password_gets_no_link(client, admin):
    fields = {"name": "olaf", "roles": ["annotator"], "email": "", "password": "an-unusual-word-7"}

    assert client.post(reverse("account-new"), fields, follow=True).context["link"] is None
    assert User.objects.get(username="olaf").check_password("an-unusual-word-7")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ada", "A user with that username already exists."),
        ("Anna B", "use letters, digits and @ . + - _ only, without spaces"),
    ],
)
def test_a_refused_account_keeps_the_form_with_its_problems(client, admin, name, problem):
    page = client.post(reverse("account-new"), {"name": name, "roles": ["annotator"], "email": ""})

    assert page.context["form"].errors == {"name": [problem]}
    assert User.objects.count() == 1


def test_the_list_shows_every_account_with_roles_and_state(client, admin):
    make_user("rita", "researcher", "annotator")
    User.objects.filter(pk=make_user("olaf").pk).update(is_active=False)

    rows = client.get(reverse("account-list")).context["rows"]

    assert [(account.username, roles, state) for account, roles, state in rows] == [
        ("ada", ["admin"], "active"),
        ("olaf", [], "deactivated"),
        ("rita", ["annotator", "researcher"], "active"),
    ]


@pytest.mark.parametrize("n", [1, 3])
def test_the_list_needs_the_same_queries_for_any_number_of_accounts(client, admin, django_assert_num_queries, n):
    for number in range(n):
        make_user(f"person-{number}", "annotator")

    with django_assert_num_queries(6):
        client.get(reverse("account-list"))


def test_an_admin_changes_the_roles_of_an_account(client, admin):
    olaf, rita = make_user("olaf", "researcher"), make_user("rita", "researcher")

    press(client, "account-roles", olaf, roles=["annotator"])

    assert (User.objects.get(pk=olaf.pk).roles, User.objects.get(pk=rita.pk).roles) == ({"annotator"}, {"researcher"})


def test_a_deactivated_person_is_signed_out_until_the_account_is_restored(client, admin):
    olaf = make_user("olaf", "researcher")

    press(client, "account-deactivate", olaf)
    closed = User.objects.get(pk=olaf.pk).is_active
    press(client, "account-restore", olaf)

    assert (closed, User.objects.get(pk=olaf.pk).is_active) == (False, True)


def test_an_admin_who_gives_up_the_role_returns_to_the_home_page(client, admin):
    make_user("alan", "admin")

    page = client.post(reverse("account-roles", args=[admin.pk]), {"roles": ["researcher"]})

    assert page.headers["Location"] == reverse("home")


def test_no_page_makes_a_superuser(client, admin):
    olaf = make_user("olaf", "researcher")

    press(client, "account-roles", olaf, roles=["admin"], is_superuser="on", is_staff="on")

    olaf.refresh_from_db()
    assert (olaf.is_superuser, olaf.is_staff) == (False, False)


def test_the_administration_of_django_is_gone(client, admin):
    assert client.get("/admin/").status_code == 404


def test_an_account_without_a_role_is_created_with_a_warning(client, admin):
    page = client.post(reverse("account-new"), {"name": "anna", "password": "long and unusual"}, follow=True)

    assert [str(message) for message in page.context["messages"]] == [
        "Account anna created.",
        "No role chosen: this person cannot do anything yet.",
    ]
