"""The administration: accounts and roles, and a look at the tables."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from judging.models import Comparison, User
from tests.factories import answer_run, make_run, make_user

pytestmark = pytest.mark.django_db

TABLES = [
    *("attribute", "campaign", "candidate", "comparison", "context", "dataset", "judge"),
    *("prompt", "reasoning", "run", "score", "user", "vote"),
]


def test_admin_makes_an_account_with_a_role(client, admin):
    secret = "a longer secret 7"
    role = Group.objects.get(name="researcher")
    made = {
        "username": "olaf",
        "password1": secret,
        "password2": secret,
        "usable_password": "true",
        "groups": [role.pk],
    }

    client.post(reverse("admin:judging_user_add"), made)

    assert User.objects.get(username="olaf").roles == {"researcher"}


def test_admin_changes_the_role_of_an_account(client, admin):
    olaf = make_user("olaf", "researcher")
    changed = {"username": "olaf", "is_active": "on", "groups": [Group.objects.get(name="annotator").pk]}

    client.post(reverse("admin:judging_user_change", args=[olaf.pk]), changed)

    assert User.objects.get(username="olaf").roles == {"annotator"}


def test_admin_cannot_delete_an_account_because_its_runs_would_lose_their_owner(client, admin):
    other = make_user("olaf", "researcher")

    assert client.post(reverse("admin:judging_user_delete", args=[other.pk])).status_code == 403
    assert User.objects.filter(pk=other.pk).exists()


def test_admin_cannot_make_a_superuser(client, admin):
    other = make_user("olaf", "researcher")
    changed = {"username": "olaf", "is_active": "on", "is_superuser": "on", "is_staff": "on"}

    client.post(reverse("admin:judging_user_change", args=[other.pk]), changed)

    other.refresh_from_db()
    assert (other.is_superuser, other.is_staff) == (False, False)


def test_admin_can_look_at_answers_but_not_change_them(client, admin):
    run = answer_run(make_run())
    comparison = run.comparisons.first()
    page = reverse("admin:judging_comparison_change", args=[comparison.pk])

    assert client.get(page).status_code == 200
    assert client.post(page, {"p_first": "1"}).status_code == 403
    assert Comparison.objects.get(pk=comparison.pk).p_first == comparison.p_first


@pytest.mark.parametrize("model", TABLES)
def test_admin_lists_every_table(client, admin, model):
    answer_run(make_run())

    assert client.get(reverse(f"admin:judging_{model}_changelist")).status_code == 200


def test_superuser_sees_no_tokens_of_others(client):
    client.force_login(User.objects.create_superuser("root", password="root"))

    assert "token" not in client.get(reverse("admin:index")).content.decode().lower().replace("csrfmiddlewaretoken", "")
