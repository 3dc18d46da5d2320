"""The description of the API: complete, true, and shown without a script that the page's policy forbids."""

import json
import re
from itertools import count
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from knox.settings import CONSTANTS

from judging.models import Enrolment, FrozenReport
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.studies.study_changes import create_study
from tests.campaigns import make_ready_campaign, vote
from tests.factories import answer_run, make_dataset, make_prompt, make_run, make_token

pytestmark = pytest.mark.django_db


COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "reference" / "openapi.json"


ONE_PASS = settings(
    deadline=None, database=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


def test_schema_is_complete_and_the_committed_one(tmp_path):
    """Make it again with: manage.py spectacular --format openapi-json --file docs/reference/openapi.json"""
    options = ("--validate", "--fail-on-warn", "--format", "openapi-json")
    call_command("spectacular", *options, "--file", str(tmp_path / "openapi.json"))

    made, committed = ((path / "openapi.json").read_text() for path in (tmp_path, COMMITTED.parent))
    assert json.loads(made, object_hook=of_any_database) == json.loads(committed, object_hook=of_any_database)


def of_any_database(part):
    """Leave out the range of an integer column, which differs between SQLite and PostgreSQL."""
    if part.get("type") != "integer" or part.get("maximum") not in (2**15 - 1, 2**31 - 1, 2**63 - 1):
        return part
    return {name: value for name, value in part.items() if name not in ("maximum", "minimum", "format")}


@pytest.fixture
def rows(researcher, annotator):
    """Return what an address names -> its number or key. Rita made it all; Ann takes part in the campaign."""
    rita, ann = researcher.user, annotator.user
    dataset = make_dataset(candidates=(2, 2), owner=rita)
    run, other = (answer_run(make_run(dataset, owner=rita)) for _ in range(2))
    campaign = make_ready_campaign(ann, dataset=dataset, created_by=rita)
    vote(campaign, ann)
    study = create_study("Table 1", owner=rita, runs=[run, other])
    invitation = create_invitation(campaign, admission="account", created_by=rita)
    key = next_pair(campaign, annotator=ann).key  # of a reserved pair, and of a frozen report
    FrozenReport.objects.create(key=key, name="Table 1", owner=rita, study=study, html="")
    return {
        "accounts": ann.pk,
        "beginning": make_token(ann)[: CONSTANTS.TOKEN_KEY_LENGTH],
        "campaigns": campaign.pk,
        "comparison": run.comparisons.first().pk,
        "datasets": dataset.pk,
        "enrolment": Enrolment.objects.create(campaign=campaign, annotator=ann, invitation=invitation).pk,
        "invitation": invitation.pk,
        "join": invitation.code,
        "judges": run.judge_id,
        "key": str(key),
        "other": other.pk,
        "own-campaigns": campaign.pk,
        "prompts": make_prompt(owner=rita).pk,
        "run": other.pk,
        "runs": run.pk,
        "studies": study.pk,
        "vote-exclusions": exclude_rater(dataset, rater=ann.rater_name, reason="too quick", user=rita).pk,
    }


@pytest.mark.slow
def test_api_answers_what_its_schema_says_to_whatever_is_asked(admin, researcher, annotator, rows, application):
    import schemathesis

    answer_run(make_run(make_dataset("Other", candidates=(2, 2)), owner=annotator.user))
    people = [{"Authorization": f"Token {make_token(one.user)}"} for one in (admin, researcher, annotator)]
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)

    for operation in schema.get_all_operations():
        ask(operation.ok(), people, rows)


def ask(operation, people, rows):
    """Call an operation at first as a visitor and everybody, then as each person in turn, as it allows and not.

    All but the last one name rows that are there. What a request changes is undone. people: the headers of each.
    """
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    kind, numbers = operation.path.split("/")[2], count()
    there = {one.name: rows[one.name if one.name in rows else kind] for one in operation.path_parameters}
    most = 5 if operation.query or operation.body else 2

    @given(case=operation.as_strategy())
    @settings(ONE_PASS, max_examples=most)
    def check(case):
        number = next(numbers)
        if number < most - 1:
            case.path_parameters = dict(there)
        for headers in [people[number % len(people)]] if number else [{}, *people]:
            with transaction.atomic():
                response = case.call(headers=headers | {"Accept-Encoding": "identity"})
                transaction.set_rollback(True)
            case.validate_response(response, checks=checks)

    check()


def test_docs_page_has_no_inline_script_or_style_and_may_load_only_our_own(anonymous):
    page = anonymous.get("/api/docs/")

    text = page.content.decode()
    policy = dict(part.split(" ", 1) for part in page["Content-Security-Policy"].split("; "))
    assert (policy["script-src"], policy["style-src"]) == ("'self'", "'self'")
    assert "unsafe" not in page["Content-Security-Policy"]
    assert all(source.startswith("/") for source in re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"]*)"', text))
    assert re.findall(r"<script(?![^>]*src=)[^>]*>|<style", text) == []


def test_docs_page_loads_files_that_are_there(anonymous):
    text = anonymous.get("/api/docs/").content.decode()

    for address in re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"]*)"', text):
        answer = anonymous.get(address.replace("&amp;", "&"))
        answer.close()
        assert answer.status_code == 200, address
