"""The estimate of a study's plan before the study is stored."""

import pytest
from django.urls import reverse

from evenhand.engine import Answer
from judging.models import ForecastRequest, Prompt, Run, Study
from judging.services.forecasts.forecast_requests import execute_forecast
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan
from judging.services.studies.study_start import set_plan
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

REMOTE = {"backend": "openai", "base_url": "http://localhost:1/v1"}


@pytest.fixture
def sent(monkeypatch):
    """The forecasts that pages gave to the workers."""
    requests: list[ForecastRequest] = []
    monkeypatch.setattr("judging.tasks.start_forecast", requests.append)
    return requests


@pytest.fixture
def dataset(researcher):
    """A dataset, and two endpoints, so that no tokenizer is loaded."""
    make_judge("large", **REMOTE)
    make_judge("small", **REMOTE)
    return make_dataset(candidates=(3,))


def plan(**changes) -> dict[str, object]:
    usual = {
        "name": "Table 1",
        "datasets": ["Summaries"],
        "judges": ["large", "small"],
        "prompts": [prompt.pk for prompt in Prompt.objects.filter(name="comparative-1")],
        "selections": ["full"],
        "seeds": "0",
    }
    return usual | changes


def make_forecasts(requests):
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=7))
    for request in requests:
        execute_forecast(request.pk, load=lambda settings: engine)


def table_of(response):
    return {row.name: [cell.text for cell in row.cells] for row in response.context["preview"].table.rows}


def test_plan_shows_the_questions_of_each_judge_while_it_is_chosen(client, dataset, sent):
    response = client.post(reverse("study-cells"), plan())

    assert response.context["preview"].table.headings == ["Questions"]
    assert table_of(response) == {"large": ["6"], "small": ["6"], "all judges": ["12"]}
    assert 'name="count">Estimate time and cost' in response.content.decode()
    assert sent == []


def test_plan_is_estimated_before_its_study_is_stored(client, dataset, sent):
    response = client.post(reverse("study-new"), plan(count=""))

    assert [(one.judge.name, one.study) for one in sent] == [("large", None), ("small", None)]
    assert 'hx-post="/studies/new/cells/" hx-trigger="every 3s"' in response.content.decode()
    assert not Study.objects.exists()


def test_estimate_of_a_plan_appears_once_workers_made_it(client, dataset, sent):
    client.post(reverse("study-new"), plan(count=""))
    make_forecasts(sent)

    response = client.post(reverse("study-cells"), plan())

    tokens = {name: cells[1] for name, cells in table_of(response).items()}
    assert tokens == {"large": "42", "small": "42", "all judges": "84"}
    assert "data-poll-done" in response.content.decode()


def test_estimate_is_not_that_of_another_plan_or_person(client, dataset, sent):
    client.post(reverse("study-new"), plan(count=""))

    other_plan = client.post(reverse("study-cells"), plan(contexts="1", seeds="3"))
    client.force_login(make_user("rob", "researcher"))
    other_person = client.post(reverse("study-cells"), plan())

    assert not other_plan.context["preview"].estimate.requested
    assert not other_person.context["preview"].estimate.requested


def test_stored_study_keeps_the_estimate_of_its_plan(client, dataset, sent):
    client.post(reverse("study-new"), plan(count=""))
    make_forecasts(sent)

    page = client.post(reverse("study-new"), plan(create=""), follow=True)

    assert page.context["page"].estimate.total.tokens.value == 84
    assert set(ForecastRequest.objects.values_list("study__name", flat=True)) == {"Table 1"}
    assert len(sent) == 2
    assert not Run.objects.exists()


def test_extension_is_estimated_before_it_is_stored(client, researcher, dataset, sent):
    study = create_study("Table 1", owner=researcher)
    names = {"datasets": ["Summaries"], "judges": ["large"], "prompts": ["comparative-1"]}
    set_plan(study, StudyPlan.by_names(names, user=researcher))
    more = {"judges": ["small"], "count": ""}

    response = client.post(reverse("study-extend", args=[study.pk]), more)
    make_forecasts(sent)
    extended = client.post(reverse("study-extend", args=[study.pk]), {"judges": ["small"], "create": ""}, follow=True)

    assert f'hx-post="/studies/{study.pk}/extend/cells/" hx-trigger="every 3s"' in response.content.decode()
    assert [one.judge.name for one in sent] == ["large", "small"]
    assert extended.context["page"].estimate.total.tokens.value == 84


def test_plan_without_a_new_run_has_no_estimate(client, dataset, sent):
    response = client.post(reverse("study-cells"), plan(attributes=["coherence"], selections=["random"]))

    assert "Estimate time and cost" not in response.content.decode()
