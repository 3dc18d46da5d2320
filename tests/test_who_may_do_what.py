"""Who may do what: every address of pages and API, read and written, and six kinds of people who ask."""

import json
import re
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.test import Client
from django.urls import URLResolver, get_resolver, resolve, reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Campaign, Candidate, Comparison, Dataset, Enrolment, FrozenReport, Study, User, Visibility
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.assignments import next_pair
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_campaign, make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_judge, make_prompt, make_run, make_user
from tests.rankings.audits.explained_runs import explained_run

pytestmark = pytest.mark.django_db

PEOPLE = {
    "nobody": "",
    "annotator": "annotator",
    "owner": "researcher",
    "seer": "researcher",
    "stranger": "researcher",
    "admin": "admin",
}
"""Name -> role. The owner made all data. They are shared with the seer and hidden from the stranger, who has a run and
a campaign from the days when they were open. The annotator takes part in the campaigns of the owner."""

SECRETS = {"zuludataset", "zulustudy", "zulucampaign", "zulucandidate", "zulucomparison", "zulureport", "of article"}
"""Parts of names and texts that only the data have."""

SEEN = {"nobody": {"zulucampaign"}, "annotator": {"zulucampaign", "of article"}, "stranger": set()}
"""Secrets that somebody finds in all answers together; all of them, where nothing stands here. An invitation names its
campaign."""

REFUSALS = (401, 403, 404, 410)
OK = "OK"
"""Done, or refused for what was sent, not for who sends it."""

READS = {
    (401, 404, OK, 404, 404, OK): """
        dataset-delete run-delete judge-delete api-run-deletion
        dataset-sharing run run-progress run-comparisons run-csv run-jsonl study-collect study-extend study-edit
        prompt-version campaign-preview campaign-preview-pair campaign-edit campaign-checks campaign-people
        campaign-people-csv campaign-people-upload campaign-links-csv invitation-new consent-text run-results
        run-report run-report-long run-methods run-table run-headline run-first-probabilities run-headline-link
        run-place run-answers run-answers-download run-robustness run-abstaining run-anchors run-curve run-curve-long
        run-diagnostics run-diagnostics-long run-diagnostics-download run-gate run-scores run-scores-long
        run-scores-download run-shift run-stopping run-style dataset-groups-long dataset-groups-download
        dataset-compare-long dataset-compare-download api-run api-run-download api-run-comparisons api-campaign-checks
        api-campaign-consent api-campaign-people api-campaign-invitations api-campaign-invitation api-run-methods
        api-run-report api-run-answers api-run-anchors api-run-curve api-run-diagnostics api-run-gate api-run-scores
        api-run-shift api-run-stopping api-run-style api-run-compare api-run-replaced api-run-abstaining api-run-audit
        api-run-explanations
    """,
    (401, 404, OK, OK, 404, OK): """
        dataset dataset-download dataset-publish run-new judgments-new context study-runs study-progress
        dataset-votes-download campaign-download dataset-human-judgments campaign-disputes context-answers
        dataset-results dataset-quality dataset-juries dataset-report dataset-report-long dataset-table
        dataset-methods dataset-agreement dataset-agreement-long dataset-agreement-download dataset-groups
        dataset-planner dataset-repeatability dataset-steering dataset-compare dataset-replaced study study-table-file
        study-curves study-bias study-order study-coverage study-agreement study-calibration study-length
        study-score-gap study-systems study-matrix study-reports api-dataset api-dataset-contexts api-dataset-download
        api-dataset-package api-dataset-candidates api-study api-study-progress api-campaign api-campaign-progress
        api-dataset-vote-exclusions api-dataset-votes api-dataset-report api-dataset-quality api-dataset-juries
        api-dataset-methods api-dataset-agreement api-dataset-groups api-dataset-planner api-dataset-repeatability
        api-dataset-steering api-campaign-disputes api-study-table api-study-figures api-study-reports
        api-frozen-report run-explanations run-explanation run-explanations-long run-explanations-download
    """,
    (401, OK, OK, OK, OK, OK): """
        home account password_change account-data account-keys account-delete campaign-list api-account
        api-account-data api-account-tokens api-dataset-list api-run-list api-study-list api-judge-list
        api-prompt-list api-campaign-list api-vote-list api-own-list
    """,
    (401, OK, 404, 404, 404, 404): """
        consent guidelines training annotate vote-record pair-skip pair-reopen pair-differences break-dismiss
        visible-time vote-list vote-change api-own-consent api-own-completion api-own-training api-own-campaign
        api-own-answers
    """,
    (401, 404, OK, OK, OK, OK): """
        dataset-list dataset-upload run-list study-list study-new judge-list judge-new judge judge-try prompt-list
        prompt-new prompt campaign-new api-judge api-prompt api-prompt-example
    """,
    (OK, OK, OK, OK, OK, OK): """
        favicon healthz login frozen-report api-docs
    """,
    (401, 404, 404, 404, 404, OK): """
        account-list account-new account-detail account-erase api-accounts api-accounts-one api-accounts-deletion
    """,
    (401, 404, 404, 404, 404, 404): """
        dataset-preview dataset-mapping judgments-review training-feedback
    """,
    (410, 410, 410, 410, 410, 410): """
        password-choose
    """,
    (401, OK, OK, OK, 404, OK): """
        campaign
    """,
    (OK, OK, 410, 410, 410, 410): """
        join
    """,
    (401, 404, OK, 403, 404, OK): """
        api-study-cells api-dataset-deletion
    """,
    (401, 404, OK, 403, 403, OK): """
        api-judge-deletion
    """,
}
"""Statuses of PEOPLE in turn -> names of addresses that a link opens."""

WRITES = {
    (401, 404, OK, 404, 404, OK): """
        POST /datasets/{dataset}/sharing/
        POST /datasets/{dataset}/split/
        POST /datasets/{dataset}/delete/
        POST /runs/{run}/delete/
        POST /judges/{judge}/delete/
        POST /runs/{run}/cancel/
        POST /runs/{run}/with-sentence/
        POST /runs/{run}/resume/
        POST /studies/{study}/runs/collect/
        POST /studies/{study}/runs/{run}/remove/
        POST /studies/{study}/start/
        POST /studies/{study}/cancel/
        POST /studies/{study}/resume/
        POST /studies/{study}/extend/
        POST /studies/{study}/extend/cells/
        POST /studies/{study}/edit/
        POST /studies/{study}/delete/
        POST /judges/{judge}/change/
        POST /prompts/{prompt}/new-version/
        POST /campaigns/{campaign}/preview/
        POST /campaigns/{campaign}/preview/pair/
        POST /campaigns/{campaign}/edit/
        POST /campaigns/{campaign}/state/
        POST /campaigns/{campaign}/wanted-width/
        POST /campaigns/{campaign}/discard/
        POST /campaigns/{campaign}/checks/shares/
        POST /campaigns/{campaign}/checks/gold/upload/
        POST /campaigns/{campaign}/checks/training/
        POST /campaigns/{campaign}/checks/gold/draw/
        POST /campaigns/{campaign}/people/upload/
        POST /campaigns/{campaign}/people/{enrolment}/
        POST /campaigns/{campaign}/invitations/new/
        POST /campaigns/{campaign}/invitations/{invitation}/withdraw/
        POST /campaigns/{campaign}/consent-text/
        POST /datasets/{dataset}/exclude-votes/
        POST /vote-exclusions/{exclusion}/restore/
        POST /runs/{run}/abstaining/campaign/
        POST /reports/{key}/link/
        POST /api/datasets/{dataset}/split/
        POST /api/runs/{run}/cancel/
        POST /api/runs/{run}/with-sentence/
        POST /api/runs/{run}/deletion/
        POST /api/runs/{run}/resume/
        PATCH /api/campaigns/{campaign}/checks/
        POST /api/campaigns/{campaign}/gold-pairs/
        PUT /api/campaigns/{campaign}/training-pairs/
        POST /api/campaigns/{campaign}/consent/
        PATCH /api/campaigns/{campaign}/people/{enrolment}/
        POST /api/campaigns/{campaign}/people/upload/
        POST /api/campaigns/{campaign}/invitations/
        PATCH /api/campaigns/{campaign}/invitations/{invitation}/
        POST /api/datasets/{dataset}/vote-exclusions/
        DELETE /api/vote-exclusions/{exclusion}/
        POST /api/runs/{run}/abstaining/
        PUT DELETE /api/runs/{run}/explanations/{comparison}/
        PATCH /api/reports/{key}/
    """,
    (401, OK, 404, 404, 404, 404): """
        POST /campaigns/{campaign}/consent/
        POST /campaigns/{campaign}/guidelines/
        POST /campaigns/{trained}/training/
        POST /campaigns/{campaign}/annotate/vote/
        POST /campaigns/{campaign}/annotate/skip/
        POST /campaigns/{campaign}/annotate/reopen/
        POST /campaigns/{campaign}/annotate/differences/
        POST /campaigns/{campaign}/annotate/break/
        POST /campaigns/{campaign}/annotate/time/
        POST /campaigns/{campaign}/votes/{shown}/
        POST /api/own-campaigns/{campaign}/consent/
        POST /api/own-campaigns/{campaign}/training/
        POST /api/own-campaigns/{campaign}/guidelines-read/
        POST /api/own-campaigns/{campaign}/next-pair/
        POST PATCH DELETE /api/own-campaigns/{campaign}/pairs/{shown}/vote/
        POST PATCH /api/own-campaigns/{campaign}/pairs/{shown}/rating/
        POST /api/own-campaigns/{campaign}/pairs/{shown}/skip/
    """,
    (401, 404, OK, OK, 404, OK): """
        POST /datasets/{dataset}/new-run/
        POST /datasets/{dataset}/judgments/
        POST /datasets/{dataset}/campaign-effort/
        POST /campaigns/{campaign}/copy/
        POST /campaigns/{campaign}/disputed/again/
        POST /datasets/{dataset}/juries/
        POST /studies/{study}/reports/
        POST /api/datasets/{dataset}/judgments/
        POST /api/datasets/{dataset}/juries/
        POST /api/studies/{study}/reports/
        POST /runs/{explained}/explanations/1/
        POST /runs/{explained}/cancel/
        POST /runs/{explained}/resume/
        POST /api/runs/{explained}/cancel/
        POST /api/runs/{explained}/resume/
    """,
    (401, 404, 404, 404, 404, OK): """
        POST /accounts/new/
        POST /accounts/{account}/delete/
        POST /api/accounts/{account}/deletion/
        POST /runs/{explained}/delete/
        POST /accounts/{account}/roles/
        POST /accounts/{account}/link/
        POST /accounts/{account}/unlock/
        POST /accounts/{account}/deactivate/
        POST /accounts/{account}/restore/
        POST /api/accounts/
        PATCH /api/accounts/{account}/
        POST /api/accounts/{account}/link/
        POST /api/accounts/{account}/unlock/
    """,
    (401, 404, OK, OK, OK, OK): """
        POST /datasets/upload/
        POST /studies/new/
        POST /studies/new/cells/
        POST /studies/new/collected/
        POST /judges/new/
        POST /judges/{judge}/try/
        POST /prompts/new/
        POST /campaigns/new/
    """,
    (401, 403, OK, OK, OK, OK): """
        POST /api/datasets/
        POST /api/runs/
        POST /api/studies/
        POST /api/judges/
        POST /api/judges/{judge}/try/
        POST /api/prompts/
        POST /api/prompts/example/
        POST /api/campaigns/
    """,
    (401, 404, 403, 403, 404, OK): """
        POST /api/runs/{explained}/deletion/
    """,
    (401, 404, OK, 403, 403, OK): """
        POST /api/judges/{judge}/deletion/
    """,
    (401, 404, OK, 403, 404, OK): """
        POST /api/datasets/{dataset}/deletion/
        PATCH DELETE /api/studies/{study}/
        POST /api/studies/{study}/runs/
        DELETE /api/studies/{study}/runs/{run}/
        POST /api/studies/{study}/start/
        POST /api/studies/{study}/extend/
        POST /api/studies/{study}/cancel/
        POST /api/studies/{study}/resume/
    """,
    (401, 403, OK, 403, 404, OK): """
        PATCH /api/datasets/{dataset}/
        PATCH DELETE /api/campaigns/{campaign}/
    """,
    (401, 403, OK, OK, 404, OK): """
        POST /api/campaigns/{campaign}/copy/
        POST /api/campaigns/{campaign}/disputes/
    """,
    (401, 403, OK, 403, 403, OK): """
        PATCH /api/judges/{judge}/
    """,
    (OK, OK, 410, 410, 410, 410): """
        POST /join/{code}/
    """,
    (401, OK, OK, OK, OK, OK): """
        POST /api/join/{code}/
    """,
}

CHECKED_ELSEWHERE = {"api-schema", "docs", "docs-page"}
"""Addresses that have no data and answer everybody alike."""

OF_ONESELF = {
    *("login", "logout", "password_change", "password-choose", "token-create", "token-revoke", "single-keys"),
    *("account-keys", "account-delete", "api-token", "api-account", "api-account-password", "api-account-delete"),
    *("api-account-token", "api-account-tokens-one"),
    *("dataset-preview", "dataset-mapping", "upload-discard", "judgments-review"),
}
"""Writes on one's own account, and on files that one has just uploaded: nobody else can name them."""

BODIES = {
    "/api/datasets/{dataset}/vote-exclusions/": {"rater": "somebody", "reason": "too quick"},
    "/campaigns/{trained}/training/": {"number": 1, "choice": "first"},
    "/runs/{explained}/explanations/1/": {"mark": "named"},
}

OTHER_NAMES = {"accounts": "account", "own": "campaign", "frozen": "key"}
OF_EXPLAINED = ("run-explanation", "api-run-explanation", "api-run-audit")


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
        **{"beginning": "forged", "uidb64": "MQ", "token": "forged", "upload_name": "some"},
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


def listed(table):
    """Yield each line of a table, and its statuses."""
    for statuses, lines in table.items():
        yield from ((line, statuses) for line in filter(None, map(str.strip, lines.splitlines())))


def listed_writes():
    """Yield the method, the address with braces, and the statuses."""
    for line, statuses in listed(WRITES):
        *methods, address = line.split()
        yield from ((method, address, statuses) for method in methods)


def listed_reads():
    """Yield the name of an address, and the statuses."""
    for line, statuses in listed(READS):
        yield from ((name, statuses) for name in line.split())


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
        if answer.headers.get("Location") == f"{reverse('login')}?next={answer.wsgi_request.path}":
            status = 401
        content = answer.getvalue() if answer.streaming else answer.content
        text = f"{answer.headers} {content.decode(errors='replace')}"
        return cls(status if status in REFUSALS or status >= 500 else OK, text)

    @property
    def leaks(self):
        return {secret for secret in SECRETS if secret in self.text}


def write(client, method, address, places):
    """Return the answer to a write, which is then undone."""
    body = BODIES.get(address, {})
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
