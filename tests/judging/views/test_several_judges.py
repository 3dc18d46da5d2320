"""Starting runs of several judges at once: one preview and one estimate for all."""

import pytest
from django.urls import reverse

from evenhand.engine import Answer
from judging import tasks
from judging.models import ForecastRequest, Judge, Run
from judging.services.forecasts.forecast_requests import execute_forecast
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user
from tests.judging.views.new_runs import choices, prompts_named, start

pytestmark = pytest.mark.django_db

REMOTE = {"backend": "openai", "base_url": "http://localhost:1/v1"}


@pytest.fixture
def judges():
    """Two endpoints, so that no tokenizer is loaded. Only the first has prices per million tokens."""
    return [make_judge("large", **REMOTE, price_input=1e6, price_output=0.0), make_judge("small", **REMOTE)]


@pytest.fixture
def sent(monkeypatch):
    """The forecasts that pages gave to the workers."""
    requests: list[ForecastRequest] = []
    monkeypatch.setattr(tasks, "start_forecast", requests.append)
    return requests


def preview(client, dataset, judges, button="show", **changes):
    chosen = choices(dataset, judges=[judge.pk for judge in judges], **changes)
    return client.post(reverse("run-new", args=[dataset.pk]), chosen | {button: ""})


def make_forecast(request, tokens):
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=tokens))
    execute_forecast(request.pk, load=lambda settings: engine)


def cells(page):
    """Return the texts of the estimate's cells by judge."""
    return {
        row.name: [str(row.runs), *(cell.text for cell in row.cells)] for row in page.context["forecast"].table.rows
    }


def test_one_run_is_started_for_each_judge_prompt_and_attribute(client, researcher, judges, handed_over):
    make_judge("not chosen", **REMOTE)
    dataset = make_dataset(attributes=("coherence", "fluency"))
    attributes = [attribute.pk for attribute in dataset.attributes.all()]
    prompts = prompts_named("comparative-1", "comparative-2")

    start(client, dataset, judges=[judge.pk for judge in judges], prompts=prompts, attributes=attributes)

    runs = Run.objects.order_by("pk")
    assert list(runs.values_list("judge__name", "prompt_name", "attribute__name")) == [
        (judge, prompt, attribute)
        for judge in ("large", "small")
        for prompt in ("comparative-1", "comparative-2")
        for attribute in ("coherence", "fluency")
    ]
    assert handed_over == [run.pk for run in runs]


def test_no_run_is_started_if_one_judge_cannot_be_asked(client, researcher, judges, handed_over):
    dataset = make_dataset()
    metric = make_judge("length", backend="metric", model="length")

    page = preview(client, dataset, [*judges, metric], "start")

    assert len(page.context["form"].non_field_errors()) == 1
    assert "length" in page.context["form"].non_field_errors()[0]
    assert not Run.objects.exists()


def test_preview_counts_the_questions_of_all_judges_and_of_each(client, researcher, judges):
    dataset = make_dataset(candidates=(3,))

    page = preview(client, dataset, judges)

    plan = page.context["preview"]
    assert (plan.runs, plan.totals) == (2, {"comparison": 12})
    assert [(row.name, row.cells[0].text) for row in plan.table.rows] == [
        ("large", "6"),
        ("small", "6"),
        ("all judges", "12"),
    ]
    assert "Endpoints charge for these questions." in page.content.decode()


def test_preview_gives_the_time_of_each_judge_by_its_last_run(client, researcher, judges):
    dataset = make_dataset(candidates=(3,))
    for judge, seconds in zip(judges, (30, 60), strict=True):
        run = answer_run(make_run(dataset, judge=judge, owner=researcher))
        Run.objects.filter(pk=run.pk).update(seconds=seconds)

    plan = preview(client, dataset, judges).context["preview"]

    assert plan.table.headings == ["Questions", "Time"]
    assert [one.seconds.value for one in plan.estimate.lines] == [30, 60]
    assert plan.seconds == 90


def test_time_of_all_judges_is_unknown_if_that_of_one_is(client, researcher, judges):
    dataset = make_dataset(candidates=(3,))
    run = answer_run(make_run(dataset, judge=judges[0], owner=researcher))
    Run.objects.filter(pk=run.pk).update(seconds=30)

    plan = preview(client, dataset, judges).context["preview"]

    assert [one.seconds.value for one in plan.estimate.lines] == [30, None]
    assert plan.seconds is None


def test_preview_has_a_command_for_each_judge(client, researcher, judges):
    command = preview(client, make_dataset(), judges).context["preview"].command

    assert [line.partition("--judge ")[2].partition(" --attr")[0] for line in command.splitlines()] == [
        "large",
        "small",
    ]


def test_one_press_requests_the_estimate_of_every_judge(client, researcher, judges, sent):
    page = preview(client, make_dataset(candidates=(3,)), judges, "count").content.decode()

    assert [request.judge.name for request in sent] == ["large", "small"]
    assert f'hx-get="/forecasts/{sent[0].pk},{sent[1].pk}/" hx-trigger="every 2s"' in page


def test_estimate_adds_up_the_judges(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges, "count")
    make_forecast(sent[0], tokens=7)
    make_forecast(sent[1], tokens=14)

    page = preview(client, dataset, judges)

    shown = {name: (row[0], row[1], row[2], row[4]) for name, row in cells(page).items()}
    assert shown == {
        "large": ("1", "6", "42", "42.00"),
        "small": ("1", "6", "84", "–"),
        "all judges": ("2", "12", "126", "–"),
    }
    assert len(sent) == 2


def test_bars_compare_the_judges(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges, "count")
    make_forecast(sent[0], tokens=7)
    make_forecast(sent[1], tokens=14)

    large, small, total = preview(client, dataset, judges).context["forecast"].table.rows

    assert [row.cells[1].percent for row in (large, small, total)] == [50, 100, None]


def test_estimate_of_an_unfinished_judge_is_missing_with_its_reason(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges, "count")
    make_forecast(sent[0], tokens=7)

    page = client.get(reverse("forecast", args=[[request.pk for request in sent]]))

    tokens = {row.name: row.cells[1] for row in page.context["forecast"].table.rows}
    assert (tokens["large"].text, tokens["small"].text, tokens["all judges"].text) == ("42", "–", "–")
    assert tokens["small"].undefined == "not estimated yet"
    assert "data-poll-done" not in page.content.decode()


def test_a_further_judge_is_estimated_without_asking_the_others_again(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges[:1], "count")

    preview(client, dataset, judges, "count")

    assert [request.judge.name for request in sent] == ["large", "small"]


def test_estimating_again_asks_every_judge(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges, "count")
    for request in sent:
        make_forecast(request, tokens=7)

    preview(client, dataset, judges, "count")

    assert [request.judge.name for request in sent] == ["large", "small"] * 2


def test_estimate_with_a_forecast_of_someone_else_does_not_exist(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,))
    preview(client, dataset, judges[:1], "count")
    client.force_login(make_user("rob", "researcher"))
    preview(client, dataset, judges[:1], "count")

    assert client.get(reverse("forecast", args=[[sent[1].pk]])).status_code == 200
    assert client.get(reverse("forecast", args=[[sent[1].pk, sent[0].pk]])).status_code == 404


def test_judges_in_use_are_offered_with_a_language_model_chosen(client, researcher, judges):
    form = client.get(reverse("run-new", args=[make_dataset().pk])).context["form"]

    assert [judge.name for judge in form.fields["judges"].queryset] == ["demo", "large", "small"]
    assert form["judges"].value() == [Judge.objects.get(name="demo").pk]


def test_prompts_of_one_judge_are_compared(client, researcher, judges, sent):
    dataset = make_dataset(candidates=(3,), attributes=("coherence", "fluency"))
    chosen = {
        "prompts": prompts_named("comparative-1", "scoring-1"),
        "attributes": [attribute.pk for attribute in dataset.attributes.all()],
    }

    before = preview(client, dataset, judges[:1], "count", **chosen).context["preview"].table
    make_forecast(sent[0], tokens=7)
    after = preview(client, dataset, judges[:1], **chosen)

    assert [(row.name, row.runs, row.cells[0].text) for row in before.rows] == [
        ("comparative-1", 2, "12"),
        ("scoring-1", 2, "6"),
        ("all prompts", 4, "18"),
    ]
    assert {name: (row[1], row[2], row[4]) for name, row in cells(after).items()} == {
        "comparative-1": ("12", "84", "84.00"),
        "scoring-1": ("6", "120", "120.00"),  # the fake engine counts 20 tokens for each score
        "all prompts": ("18", "204", "204.00"),
    }
    assert after.context["forecast"].table.first_heading == "Prompt"


def test_one_judge_with_one_prompt_has_no_table(client, researcher, judges, sent):
    page = preview(client, make_dataset(), judges[:1], "count").content.decode()

    assert 'class="estimate"' not in page


@pytest.mark.parametrize("ids", ["x", "1,x", "1,,2", "1,"])
def test_address_of_an_estimate_with_something_else_than_numbers_does_not_exist(client, researcher, ids):
    assert client.get(f"/forecasts/{ids}/").status_code == 404
