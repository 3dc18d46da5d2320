"""Whatever goes wrong, programs get JSON with a `detail`."""

import pytest

from rankings.report import api
from tests.factories import make_run

NO_ADDRESS = {"detail": "no such address; see /api/docs/"}


@pytest.mark.parametrize("path", ["/api/", "/api/rnus/", "/api/runs/first/", "/api/runs/1/reports/"])
def test_unknown_address_is_answered_in_json(researcher, path):
    answer = researcher.get(path)

    assert (answer.status_code, answer.json()) == (404, NO_ADDRESS)


def test_unknown_address_outside_the_api_is_a_page(researcher):
    answer = researcher.get("/rnus/")

    assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_address_without_its_last_slash_leads_to_the_right_one(researcher):
    assert researcher.get("/api/runs")["Location"] == "/api/runs/"


def test_unsupported_http_method_is_answered_in_json(researcher):
    answer = researcher.delete("/api/judges/")

    assert (answer.status_code, answer.json()) == (405, {"detail": 'Method "DELETE" not allowed.'})


def test_internal_error_is_answered_in_json_without_details(researcher, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("a secret")

    run = make_run(owner=researcher.user)
    monkeypatch.setattr(api, "report_rows", fail)
    researcher.raise_request_exception = False

    answer = researcher.get(f"/api/runs/{run.pk}/report/")

    assert (answer.status_code, answer.json()) == (500, {"detail": "internal error; see the server's log"})


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"selection": "\\ud800"}', "a text holds half of a surrogate pair; leave it out"),
        ('{"\\ud800": 1}', "a text holds half of a surrogate pair; leave it out"),
        ('{"comparisons": ' + "[" * 100_000, "objects or lists are nested too deeply"),
    ],
)
def test_json_that_cannot_be_stored_is_refused_in_json(researcher, body, reason):
    answer = researcher.post("/api/runs/", body, content_type="application/json")

    assert (answer.status_code, answer.json()["problems"]) == (400, [f"JSON parse error - {reason}"])


def test_request_with_too_many_fields_is_answered_in_json(anonymous, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3

    answer = anonymous.post("/api/token/", "a=1&b=2&c=3&d=4", content_type="application/x-www-form-urlencoded")

    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "the request is malformed or too long, or its host is not in ALLOWED_HOSTS"},
    )
