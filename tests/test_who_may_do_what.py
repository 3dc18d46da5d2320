"""Who may do what: every address of pages and API, read and written, and six kinds of people who ask."""

import json
import re
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.test import Client
from django.urls import URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import (
    Campaign,
    Candidate,
    Comparison,
    Dataset,
    Enrolment,
    FrozenReport,
    Study,
    User,
    Visibility,
    Worker,
)
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.execution.worker_reports import report_worker
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_campaign, make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_judge, make_prompt, make_run, make_user
from tests.listed_addresses import CHECKED_ELSEWHERE, OF_ONESELF, OK, PEOPLE, listed_reads, listed_writes
from tests.rankings.audits.explained_runs import explained_run

pytestmark = pytest.mark.django_db

SECRETS = {"zuludataset", "zulustudy", "zulucampaign", "zulucandidate", "zulucomparison", "zulureport", "of article"}
"""Parts of names and texts that only the data have."""

SEEN = {"nobody": {"zulucampaign"}, "annotator": {"zulucampaign", "of article"}, "stranger": set()}
"""Secrets that somebody finds in all answers together; all of them, where nothing stands here. An invitation names its
campaign."""

REFUSALS = (401, 403, 404, 410)

BODIES = {
    "/api/datasets/{dataset}/vote-exclusions/": {"rater": "somebody", "reason": "too quick"},
    "/campaigns/{trained}/training/": {"number": 1, "choice": "first"},
    "/runs/{explained}/explanations/1/": {"mark": "named"},
}

OTHER_NAMES = {"accounts": "account", "own": "campaign", "frozen": "key"}
OF_EXPLAINED = "run-explanation"


@pytest.fixture(scope="module")
def places(rows_of_module):
    """Return what stands in braces in an address -> its number or key."""
    people = {name: make_user(name, role) for name, role in PEOPLE.items() if role}
    owner, annotator, stranger = people["owner"], people["annotator"], people["stranger"]
    dataset = make_dataset(owner=owner)
    run, other, own = (answer_run(make_run(dataset, owner=one)) for one in (owner, owner, stranger))
    campaign = make_ready_campaign(annotator, created_by=owner)
    own_campaign = make_campaign(dataset, name="Own", created_by=stranger)
    trained = make_campaign(dataset, name="Trained", created_by=owner, annotators=[annotator])
    set_training_pairs(trained, [KnownPair("c0", "a", "b", "first")])
    for one in (campaign, trained):
        note_guidelines_read(one, annotator=annotator)
    vote(campaign, annotator)
    explained = explained_run()
    study = create_study("Table 1", owner=owner, runs=[explained])
    invitation = create_invitation(campaign, admission="account", created_by=owner)
    enrolment = Enrolment.objects.create(campaign=campaign, annotator=annotator, invitation=invitation)
    exclusion = exclude_rater(dataset, rater=annotator.rater_name, reason="too quick", user=owner)
    hide(owner, people["seer"])
    report_worker("default")  # without one, /readyz answers 503
    Worker.objects.update(seen_at=timezone.now() + timedelta(days=1))  # however long the tests take
    return {
        "dataset": dataset.pk,
        "context": dataset.contexts.first().pk,
        "run": run.pk,
        "other": other.pk,
        "own": own.pk,
        "own_campaign": own_campaign.pk,
        "comparison": run.comparisons.first().pk,
        "explained": explained.pk,
        "study": study.pk,
        "key": FrozenReport.objects.create(name="zulureport", owner=owner, study=study, html="").key,
        "judge": make_judge("endpoint", backend="openai", base_url="http://localhost:1/v1", owner=owner).pk,
        "prompt": make_prompt(owner=owner).pk,
        "campaign": campaign.pk,
        "trained": trained.pk,
        "invitation": invitation.pk,
        "code": invitation.code,
        "enrolment": enrolment.pk,
        "shown": next_pair(campaign, annotator=annotator).key,
        "exclusion": exclusion.pk,
        "account": make_user("olga", "annotator").pk,
        **{"beginning": "forged", "uidb36": "MQ", "token": "forged", "upload_name": "some", "provider": "lab"},
        **{"ending": "csv", "place": 1, "number": 1},
    }


def hide(owner, seer):
    """Let one researcher own every dataset and share it with another, and give the data the names of SECRETS."""
    for dataset in Dataset.objects.all():
        dataset.shared_with.set([seer])
    Dataset.objects.update(owner=owner, visibility=Visibility.SHARED)
    for model, column in ((Dataset, "name"), (Study, "name"), (Campaign, "name"), (Candidate, "system")):
        named = Concat(Value(f"zulu{model.__name__.lower()}-"), Cast("pk", CharField()))
        model.objects.update(**{column: named})
    Comparison.objects.update(text="zulucomparison")


def every_address(patterns):
    for one in patterns:
        yield from every_address(one.url_patterns) if isinstance(one, URLResolver) else [one]


EVERY_ADDRESS = {
    address.name: address
    for address in every_address(get_resolver().url_patterns)
    if address.name not in CHECKED_ELSEWHERE
}


def address_of(name, places):
    """Return the address of a page or of the API, with rows that are there."""
    kwargs = {}
    for one in EVERY_ADDRESS[name].pattern.converters:
        noun = name.split("-")[1] if one == "pk" else one.removesuffix("_id")
        kwargs[one] = places[OTHER_NAMES.get(noun, noun)]
    if "run_id" in kwargs and name.startswith(OF_EXPLAINED):
        kwargs["run_id"] = places["explained"]
    if "key" in kwargs and "report" not in name:
        kwargs["key"] = places["shown"]
    return reverse(name, kwargs=kwargs)


def methods_of(client, name, places):
    """Return the methods of an address, as it lists them in the header `Allow`; GET where it lists none."""
    answer = client.options(address_of(name, places))
    assert answer.status_code != 200 or not name.startswith("api-"), "the OpenAPI document alone describes the API"
    return set(answer.headers.get("Allow", "GET").split(", ")) - {"HEAD", "OPTIONS"}


@dataclass(frozen=True)
class Answer:
    """Answer of an address to somebody. status: 401 for the way to sign in, OK for all that refuses no person."""

    status: int | str
    text: str

    @classmethod
    def of(cls, answer):
        status = answer.status_code
        if answer.headers.get("Location") == f"{reverse('account_login')}?next={answer.wsgi_request.path}":
            status = 401
        content = answer.getvalue() if answer.streaming else answer.content
        text = f"{answer.headers} {content.decode(errors='replace')}"
        return cls(status if status in REFUSALS or status >= 500 else OK, text)

    @property
    def leaks(self):
        return {secret for secret in SECRETS if secret in self.text}


def write(client, method, address, places, body=None):
    """Return the answer to a write, which is then undone."""
    body = BODIES.get(address, {}) if body is None else body
    sent = {"data": json.dumps(body), "content_type": "application/json"} if address.startswith("/api/") else {}
    with transaction.atomic():
        answer = getattr(client, method.lower())(address.format(**places), **(sent or {"data": body}))
        transaction.set_rollback(True)
    return Answer.of(answer)


def as_person(name):
    client = Client()
    if PEOPLE[name]:
        client.force_login(User.objects.get(username=name))
    return client


def test_every_address_is_listed_and_those_of_forms_do_nothing_by_a_link(places):
    client = as_person("admin")
    written = {(method, resolve(address.format(**places)).url_name) for method, address, _ in listed_writes()}
    read = {name for name, _ in listed_reads()}

    methods = {name: methods_of(client, name, places) for name in EVERY_ADDRESS}
    by_link = {client.get(address_of(name, places)).status_code for name in EVERY_ADDRESS.keys() - read}

    assert {name for name, listed in methods.items() if "GET" in listed} == read
    assert written == {
        (method, name) for name in EVERY_ADDRESS.keys() - OF_ONESELF for method in methods[name] - {"GET"}
    }
    assert by_link == {405}


@pytest.mark.parametrize("person", PEOPLE)
def test_every_address_answers_each_person_as_listed(places, person):
    client, column = as_person(person), list(PEOPLE).index(person)

    answers = {name: Answer.of(client.get(address_of(name, places))) for name, _ in listed_reads()}
    for method, address, _ in listed_writes():
        answers[method, address] = write(client, method, address, places)

    wanted = {name: statuses[column] for name, statuses in listed_reads()}
    wanted |= {(method, address): statuses[column] for method, address, statuses in listed_writes()}
    assert {asked: answer.status for asked, answer in answers.items()} == wanted
    assert set().union(*(answer.leaks for answer in answers.values())) == SEEN.get(person, SECRETS)


@pytest.mark.parametrize("person", ["stranger", "annotator"])
def test_campaign_on_a_hidden_dataset_and_own_run_there_do_not_exist(places, person):
    client, theirs = as_person(person), places | {"run": places["own"], "campaign": places["own_campaign"]}
    of_both = {name for name, one in EVERY_ADDRESS.items() if {"run_id", "campaign_id"} & one.pattern.converters.keys()}
    of_api = {name for name in EVERY_ADDRESS if re.match(r"api-(run|campaign|own)(?!.*list)", name)}

    answers = {
        name: client.get(address_of(name, theirs)).status_code
        for name, _ in listed_reads()
        if name in of_both | of_api and not name.startswith(OF_EXPLAINED)
    }

    assert answers == dict.fromkeys(answers, 404)


WRITTEN = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)')
WITHOUT_A_LINE = {"django_session", "judging_answeredrequest", "judging_auditmark"}
"""Tables of sessions and repeated requests, and of people's own answers about explanations."""


def tables_written(client, method, address, places):
    """Return the tables in which a write changes rows, before it is undone."""
    tables = set()

    def noting(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith("INSERT") or context["cursor"].rowcount:
            tables.update(WRITTEN.findall(sql))
        return result

    body = SENT.get(f"{method} {address}")
    filled = body and json.loads(re.sub(r"\{(\w+)\}", lambda name: str(places[name[1]]), json.dumps(body)))
    with connection.execute_wrapper(noting):
        write(client, method, address, places, filled)
    return tables - WITHOUT_A_LINE


SENT = {
    "PATCH /api/datasets/{dataset}/": {"visibility": "open"},
    "POST /api/datasets/{dataset}/deletion/": {"name": "zuludataset-{dataset}"},
    "POST /api/runs/{run}/deletion/": {"name": "run {run}"},
    "POST /api/judges/{judge}/deletion/": {"name": "endpoint"},
    "PATCH /api/judges/{judge}/": {"name": "other"},
    "POST /api/judges/": {"name": "new", "backend": "transformers", "model": "some/model"},
    "POST /api/prompts/": {
        "name": "new",
        "method": "comparative",
        "template": "<A> or <B>?",
        "label_first": " A",
        "label_second": " B",
    },
    "POST /api/studies/": {"name": "New"},
    "PATCH /api/studies/{study}/": {"name": "Other"},
    "POST /api/studies/{study}/runs/": {"runs": ["{run}"]},
    "PATCH /api/reports/{key}/": {"withdrawn": True},
    "POST /api/campaigns/": {"dataset": "zuludataset-{dataset}", "name": "New", "attributes": ["coherence"]},
    "POST /api/campaigns/{campaign}/invitations/": {"admission": "account"},
    "PATCH /api/campaigns/{campaign}/invitations/{invitation}/": {"withdrawn": True},
    "PATCH /api/campaigns/{campaign}/people/{enrolment}/": {"takes_part": False},
    "POST /api/runs/": {"dataset": "zuludataset-{dataset}", "judge": "demo", "attributes": ["coherence"]},
    "POST /api/accounts/": {"name": "newcomer", "roles": ["annotator"]},
    "PATCH /api/accounts/{account}/": {"roles": ["researcher"]},
    "POST /api/accounts/{account}/deletion/": {"name": "olga"},
}
"""Bodies with which the activity test does more than be refused. Names in braces stand for rows."""


def test_every_write_on_shared_things_leaves_a_line_of_activity(places):
    client, noted, silent = as_person("admin"), set(), {}

    for method, address, statuses in listed_writes():
        if statuses[-1] == OK and (tables := tables_written(client, method, address, places)):
            if "judging_activity" in tables:
                noted.add(f"{method} {address}")
            else:
                silent[f"{method} {address}"] = tables

    assert silent == {}
    assert SENT.keys() - noted == set()
    assert len(noted) > 45
