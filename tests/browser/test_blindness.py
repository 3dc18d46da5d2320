"""Blind voting: nothing that an annotator's browser receives shows a system, a candidate's id or a judge's answer.

The dataset, its human scores and its judges have names and numbers that occur nowhere else. Every response of a session
is searched for them, and then the answer to every other address of the site.
"""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from judging.api import urls as judging_api
from judging.models import Candidate, HumanScore, Judge, Run
from rankings import api_urls as rankings_api
from tests.browser.page_addresses import PATTERNS
from tests.browser.received import Received
from tests.browser.voting import open_pair, press_and_wait, rest
from tests.campaigns import make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db(transaction=True)

FIRST_CANDIDATE = 97_531_001
P_FIRST = 0.8675309
HUMAN_SCORE = 4.2424242
SECRETS = (
    "zulusystem",
    "zulucandidate",
    "zulujudge",
    "zuluvendor",
    "zuluexplanation",
    "9753100",
    ".86753",
    "4.2424",
)
VALUES = {"place": 1, "ending": "csv", "table": "csv"}
"""Values of the parameters that are no numbers of rows."""


@pytest.fixture
def annotator():
    return make_user("ann", "annotator")


@pytest.fixture
def judged_campaign(annotator):
    """Two contexts of four candidates, with human scores, and a run that explained every answer."""
    return make_judged_campaign(annotator, attributes=("coherence",))


def make_judged_campaign(ann, *, attributes):
    """A campaign on attributes, with human scores and a run on the first one."""
    number_candidates_from(FIRST_CANDIDATE)
    dataset = make_dataset(candidates=(4, 4), attributes=attributes)
    judged = dataset.attributes.first()
    for candidate in Candidate.objects.all():
        candidate.key, candidate.system = f"zulucandidate-{candidate.key}", f"zulusystem-{candidate.position}"
        candidate.save()
        HumanScore.objects.create(candidate=candidate, attribute=judged, value=HUMAN_SCORE)
    run = answer_run(make_run(dataset, judge=make_judge("zulujudge", model="zuluvendor/model")), p_first=P_FIRST)
    run.comparisons.update(text="zuluexplanation")
    return make_ready_campaign(ann, dataset=dataset, attributes=dataset.attributes.all(), guidelines="Read both.")


def number_candidates_from(first: int) -> None:
    """Let the database give the next candidates these ids."""
    table = Candidate._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {first - 1})")
        else:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, first - 1])


def test_a_session_receives_no_system_no_candidate_and_no_answer_of_a_judge(page, ann):
    judged_campaign = make_judged_campaign(ann, attributes=("coherence", "fluency"))
    received = Received(page)

    page.goto("/")
    open_pair(page, judged_campaign)
    for key in ("a", "b", "t"):
        press_and_wait(page, key)
    press_and_wait(page, "u")
    page.keyboard.press("s")
    press_and_wait(page, "1")
    page.goto(reverse("vote-list", args=[judged_campaign.pk]))
    page.get_by_role("link", name="Change").first.click()
    rest(page)
    for name in ("campaign-list", "account"):
        page.goto(reverse(name))

    assert received.leaks(SECRETS) == []
    assert len(received.texts) > 20


def test_no_other_address_shows_an_annotator_more(annotator, judged_campaign):
    vote(judged_campaign, annotator)

    assert leaks_to(annotator, judged_campaign) == set()


def test_the_same_search_finds_what_a_researcher_may_see(judged_campaign):
    assert leaks_to(make_user("rita", "researcher"), judged_campaign) == set(SECRETS)


def leaks_to(user, campaign):
    """Return the secrets that some address of the site shows a person. Opens no more once all are found."""
    client = Client()
    client.force_login(user)
    numbers = [campaign.pk, campaign.dataset_id, Run.objects.get().pk, Judge.objects.get(name="zulujudge").pk]
    addresses = {address for number in numbers for address in every_address(number)}
    leaks = set()
    while addresses and leaks < set(SECRETS):
        text = everything(client.get(addresses.pop(), follow=True))
        leaks |= {secret for secret in SECRETS if secret in text}
    return leaks


def every_address(number: int):
    """Yield the addresses of pages, files and the HTTP API whose parameters are numbers."""
    api = [pattern for pattern in (*judging_api.urlpatterns, *rankings_api.urlpatterns) if pattern.name]
    for pattern in (*PATTERNS.values(), *api):
        kinds = {parameter: type(one).__name__ for parameter, one in pattern.pattern.converters.items()}
        values = {parameter: VALUES.get(parameter, number) for parameter in kinds}
        if all(parameter in VALUES or kind == "IntConverter" for parameter, kind in kinds.items()):
            yield reverse(pattern.name, kwargs=values)


def everything(answer) -> str:
    """Return the body and headers of an answer."""
    return f"{answer.headers} {(answer.getvalue() if answer.streaming else answer.content).decode(errors='replace')}"
