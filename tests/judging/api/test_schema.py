"""The description of the API: complete, true, and shown without a script that the page's policy forbids."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings

from tests.factories import answer_run, make_dataset, make_run, make_token
from tests.rankings import studies

pytestmark = pytest.mark.django_db


COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "reference" / "openapi.json"


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


@pytest.mark.slow
def test_api_answers_what_its_schema_says_to_whatever_is_asked(admin, researcher, annotator, application):
    import schemathesis

    answer_run(make_run(make_dataset(candidates=(2, 2), owner=researcher.user), owner=researcher.user))
    answer_run(make_run(make_dataset("Other", candidates=(2, 2)), owner=annotator.user))
    studies.compared(studies.make_dataset())
    tokens = [f"Token {make_token(client.user)}" for client in (admin, researcher, annotator)]
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)

    for operation in schema.get_all_operations():
        ask(operation.ok(), tokens)


def ask(operation, tokens):
    """Call an operation as each person with a few requests that its description allows and does not allow."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]

    @given(case=operation.as_strategy())
    @settings(max_examples=15, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def check(case):
        for token in tokens:
            response = case.call(headers={"Authorization": token, "Accept-Encoding": "identity"})
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
