"""`judge --dry-run`: forecasts of a run."""

import json

import pytest
from django.core.management import call_command

from judging.models import Judge, Run
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db

ARGUMENTS = ("judge", "--dataset", "Summaries", "--judge", "tiny", "--dry-run")


def forecast(capsys, *options):
    call_command(*ARGUMENTS, *options, "--json")
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    return row


@pytest.fixture
def dataset():
    return make_dataset(candidates=(3, 2))


@pytest.fixture
def local(tiny_model):
    return make_judge(model=str(tiny_model))


@pytest.fixture
def endpoint():
    with ServedEndpoint() as endpoint:
        make_judge(backend="openai", base_url=endpoint.url)
        Judge.objects.update(price_input=2.0, price_output=10.0)
        yield endpoint


def test_dry_run_forecasts_a_run_and_stores_nothing(capsys, dataset, local):
    row = forecast(capsys)

    assert (row["attribute"], row["comparisons"], row["contexts"], row["candidates"]) == ("coherence", 8, 2, 5)
    assert (row["tokens"]["is_exact"], row["tokens"]["limit"], row["tokens"]["too_long"]) == (True, 1024, 0)
    assert row["memory"]["weight_bytes"] == 4 * row["memory"]["parameters"]
    assert row["example"]["label_first"] == " A"
    assert row["seconds"] == {"value": None, "undefined": "nothing was asked; a pilot (--pilot N) measures it"}
    assert row["cost"] == {"value": None, "undefined": "the model runs here"}
    assert not Run.objects.exists()


def test_dry_run_counts_the_same_tokens_as_the_run(capsys, dataset, local):
    tokens = forecast(capsys)["tokens"]

    call_command("judge", "--dataset", "Summaries", "--judge", "tiny")

    assert tokens["prompt_tokens"] == Run.objects.get().prompt_tokens


def test_dry_run_of_scoring_counts_scores(capsys, dataset, local):
    tokens = forecast(capsys, "--method", "scoring", "--pilot", "1")

    assert (tokens["scores"], tokens["pilot"]["asked"]["requests"]) == (5, 1)


def test_dry_run_with_a_pilot_forecasts_the_time(capsys, dataset, local):
    row = forecast(capsys, "--pilot", "3")

    asked = row["pilot"]["asked"]
    assert asked["requests"] == 3
    assert row["seconds"] == {"value": pytest.approx(8 * asked["seconds"] / 3)}
    assert not Run.objects.exists()


def test_dry_run_in_batches_costs_half(capsys, dataset, endpoint):
    direct, batched = (forecast(capsys, "--pilot", "4", *options)["cost"]["value"] for options in ((), ("--batch",)))

    assert batched == pytest.approx(direct / 2)


def test_dry_run_at_an_endpoint_forecasts_the_cost_from_the_pilot(capsys, dataset, endpoint):
    without, row = forecast(capsys), forecast(capsys, "--pilot", "4")

    asked = row["pilot"]["asked"]
    assert "undefined" in without["cost"]
    assert asked["prompt_tokens"] > 0
    assert row["cost"] == {"value": pytest.approx(8 * (asked["prompt_tokens"] / 4 * 2 + 8 * 10) / 1_000_000)}
    assert row["memory"] == {"weight_bytes": None, "undefined": "the model runs at its endpoint"}
    assert row["tokens"]["prompt_tokens"] is None


def test_dry_run_without_json_prints_the_same_forecast(capsys, dataset, local):
    call_command(*ARGUMENTS)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "tiny, comparative, comparative-1, coherence: 8 comparisons of 5 candidates in 2 contexts; 0 reused"
    )
    assert lines[1].endswith("if the common beginning of a context's prompts is computed once (all counted)")
    assert "Article 0." in lines


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--pilot", "0"), "pilot: 0 — give a whole number above 0"),
        (("--queue",), "queue: a dry run asks nothing, so there is nothing to queue; leave it out"),
    ],
)
def test_dry_run_refuses_conflicting_options(capsys, dataset, local, options, line):
    with pytest.raises(SystemExit) as ended:
        call_command(*ARGUMENTS, *options)

    assert (ended.value.code, capsys.readouterr().err) == (2, f"{line}\n")


def test_judge_refuses_a_pilot_without_a_dry_run(capsys, dataset, local):
    with pytest.raises(SystemExit):
        call_command("judge", "--dataset", "Summaries", "--judge", "tiny", "--pilot", "5")

    assert capsys.readouterr().err == "pilot: 5 — it belongs to a dry run; add --dry-run\n"
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_dry_run_of_a_metric_shows_the_texts_and_estimates_no_tokens(capsys):
    make_dataset(candidates=(2,))
    make_judge("chrf", backend="metric", model="chrf")

    (row,) = printed_json(
        capsys,
        "judge",
        "--dataset",
        "Summaries",
        "--judge",
        "chrf",
        "--against",
        "context",
        "--dry-run",
        "--pilot",
        "2",
    )["runs"]

    assert row["example"]["prompt_text"] == "Summary: Summary a of article 0.\n\nContext: Article 0."
    assert [row[name]["undefined"] for name in ("tokens", "memory", "cost")] == [
        "a metric reads no prompt",
        "not estimated for a metric",
        "metrics are measured here",
    ]
    assert (row["scores"], row["pilot"]["asked"]["requests"], row["pilot"]["without_answer"]) == (2, 2, 0)
