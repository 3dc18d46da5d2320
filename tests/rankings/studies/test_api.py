"""The HTTP API of a study's table: the numbers of the command, of runs that the caller may see."""

import csv
import io

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from judging.services.studies.study_changes import create_study
from tests.commands import printed_json
from tests.factories import make_user
from tests.rankings.pages import hide
from tests.rankings.studies import WORKED_ANSWERS, compared, make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def runs():
    dataset = make_dataset()
    return [compared(dataset, judge="GPT"), compared(dataset, WORKED_ANSWERS.replace("0.9", "0.2"), judge="Llama")]


@pytest.fixture
def study(runs):
    return create_study("Table 1", runs=runs)


@pytest.fixture
def api():
    client = APIClient()
    client.force_authenticate(make_user("ada", "researcher"))
    return client


def table_of(api, study, **query):
    return api.get(reverse("api-study-table", args=[study.pk]), query)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"rows": "judge", "columns": "subset", "figure": "p_first", "debias": "true"},
        {
            "rows": "judge,prompt",
            "columns": "attribute",
            "figure": "spearman",
            "ranking": "win-ratio",
            "level": "pooled",
        },
        {"columns": "subset", "group": "Both=scored,voted", "order": "given", "unparsed": "wrong"},
        {"preset": "prepair-llmbar"},
        {"rows": "judge", "only": "judge=GPT"},
    ],
)
def test_api_gives_the_json_of_the_command(api, study, capsys, query):
    options = [part for name, value in query.items() for part in (f"--{name}", *([] if value == "true" else [value]))]

    assert table_of(api, study, **query).json() == printed_json(capsys, "study", "Table 1", *options)


def test_api_sends_the_table_as_a_file(api, study):
    query = {"rows": "judge", "columns": "subset"}
    [[cell, *_], _] = table_of(api, study, **query).json()["cells"]

    answer = table_of(api, study, table="csv", **query)

    line, *_ = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert float(line["all.value"]) == cell["value"]


def test_api_refuses_choices_that_do_not_exist(api, study):
    answers = {
        name: table_of(api, study, **{name: "nothing"})
        for name in ("rows", "figure", "ranking", "level", "only", "group", "preset", "unknown")
    }

    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 400)
    assert 'there is no dimension "nothing"' in answers["rows"].json()["problems"][0]


def test_runs_of_somebody_else_are_not_in_the_table(api, study, runs):
    study.owner = api.handler._force_user
    study.save()
    hide(runs[0])

    assert table_of(api, study, rows="judge", columns="attribute").json()["rows"] == ["Llama"]
