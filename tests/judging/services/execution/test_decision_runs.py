"""Runs of the method decision, from the commands that start them to the stored comparisons."""

import pytest
from django.core.management import call_command

from judging.models import Comparison, Run
from judging.services.exports.answer_descriptions import describe_answers
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.decision_servers import share, system_one
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, status
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint():
    """A decision model, which takes no chat."""
    with ServedEndpoint() as served:
        served.answer = lambda body: status(404, "this model takes no chat")
        served.paths = {"/v1/systemone": system_one}
        yield served


def judge(capsys, endpoint, *options):
    model = ("--backend", "openai", "--model", "judge", "--base-url", endpoint.url)
    printed_json(capsys, "add_judge", "decider", *model)
    asked = ("--dataset", "Summaries", "--judge", "decider", "--method", "decision")
    run = printed_json(capsys, "judge", *asked, *options)["runs"][0]["run"]
    return Run.objects.get(pk=run)


def test_run_asks_the_decision_model_and_stores_its_probabilities(capsys, endpoint):
    make_dataset(candidates=(3, 2))

    run = judge(capsys, endpoint)

    assert (run.status, run.comparisons.count()) == (Run.Status.DONE, 8)
    assert (run.environment["asked_by"], run.environment["architecture"]) == ("systemone", "decisions")
    row = Comparison.objects.select_related("second__context").filter(run=run).first()
    asked = f"Summary B: {row.second.text}\n\nWhich Summary is more coherent, Summary A or Summary B?"
    assert row.p_first == pytest.approx(share(asked), abs=1e-6)
    assert row.raw_first is not None


def test_state_is_the_context_and_the_first_text(capsys, endpoint):
    make_dataset(candidates=(2,))

    judge(capsys, endpoint)

    states = {body["state"] for body in endpoint.asked if "state" in body}
    assert {f"Article 0.\n\nSummary A: Summary {key} of article 0." for key in "ab"} <= states


def test_run_says_that_the_wording_is_the_servers(capsys, endpoint):
    make_dataset(candidates=(2,))

    run = judge(capsys, endpoint)

    assert describe_answers(run) == (
        "the probabilities of the two choices; the wording around the question is the server's"
    )


def test_run_can_be_continued(capsys, endpoint):
    make_dataset(candidates=(2,))
    run = judge(capsys, endpoint)
    run.comparisons.all()[0].delete()
    Run.objects.filter(pk=run.pk).update(status=Run.Status.CANCELLED)
    run.chunks.update(status="pending")

    call_command("resume", str(run.pk))

    assert run.comparisons.count() == 2


def test_only_an_endpoint_decides(capsys):
    make_dataset()
    make_judge("tiny")

    with pytest.raises(SystemExit):
        call_command("judge", dataset="Summaries", judge="tiny", method="decision", queue=True)

    assert "judge: method decision asks a decision model at an endpoint" in capsys.readouterr().err
