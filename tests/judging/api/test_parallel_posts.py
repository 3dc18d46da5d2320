"""Equal posts at the same moment: one effect, and the usual answers."""

import pytest
from rest_framework.test import APIClient

from judging.models import AnsweredRequest, Campaign, Run, User
from tests.factories import make_dataset, make_judge, make_user
from tests.parallel import run_in_parallel

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 8


@pytest.fixture
def posted():
    """Return a function that posts as Rita, an admin and researcher: with several bodies, all at once."""
    rita = make_user("rita", "researcher", "admin")

    def post(address, *bodies, key=""):
        headers = {"Idempotency-Key": key} if key else {}

        def send(body):
            client = APIClient(headers=headers)
            client.force_authenticate(User.objects.get(pk=rita.pk))
            return client.post(address, body, format="json")

        return run_in_parallel(*[lambda body=body: send(body) for body in bodies])

    return post


@pytest.fixture
def asked():
    make_judge("tiny")
    make_dataset("Articles")
    return {"dataset": "Articles", "attribute": "coherence", "judge": "tiny"}


def test_parallel_campaigns_of_one_name_are_refused_in_words(posted, asked):
    body = {"dataset": "Articles", "attributes": ["coherence"], "name": "Same"}

    answers = posted("/api/campaigns/", *[body] * AT_ONCE)

    assert sorted(one.status_code for one in answers) == [201] + [400] * (AT_ONCE - 1)
    assert {str(one.json()["problems"]) for one in answers if one.status_code == 400} == {
        "['name: \"Same\" is not free — choose another name']"
    }
    assert Campaign.objects.count() == 1


def test_parallel_accounts_of_one_name_are_refused_in_words(posted):
    answers = posted("/api/accounts/", *[{"name": "olaf"}] * AT_ONCE)

    assert sorted(one.status_code for one in answers) == [201] + [400] * (AT_ONCE - 1)
    assert {str(one.json()["problems"]) for one in answers if one.status_code == 400} == {
        "['name: A user with that username already exists.']"
    }


def test_parallel_posts_with_one_key_start_one_run(posted, asked):
    answers = posted("/api/runs/", *[asked] * AT_ONCE, key="a1")

    [run] = Run.objects.all()
    assert {(one.status_code, one.json()["id"]) for one in answers} == {(201, run.pk)}


def test_posts_without_a_key_or_with_others_start_a_run_each(posted, asked):
    posted("/api/runs/", asked, asked)
    posted("/api/runs/", asked, key="a1")
    posted("/api/runs/", asked, key="a2")

    assert Run.objects.count() == 4


def test_a_key_is_free_after_a_refusal_and_bound_to_its_request(posted, asked):
    [refused] = posted("/api/runs/", asked | {"judge": "unknown"}, key="a1")
    [started] = posted("/api/runs/", asked, key="a1")
    [other] = posted("/api/runs/", asked | {"seed": 7}, key="a1")

    assert [one.status_code for one in (refused, started, other)] == [400, 201, 400]
    assert other.json()["problems"] == ['Idempotency-Key: "a1" was given with another request']
    assert AnsweredRequest.objects.count() == Run.objects.count() == 1


def test_a_key_is_of_one_person(posted, asked):
    posted("/api/runs/", asked, key="a1")
    client = APIClient(headers={"Idempotency-Key": "a1"})
    client.force_authenticate(make_user("rob", "researcher"))

    assert client.post("/api/runs/", asked, format="json").status_code == 201
    assert Run.objects.count() == 2
