"""A run of the selection `pairs` at an endpoint, from the command that starts it to the ranking."""

import pytest

from evenhand.engine import load_engine
from judging.models import Candidate, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.run_lifecycle import resume
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.fake_endpoints import longer, vllm
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db

LENGTHS = [4, 0, 7, 2, 1, 6, 3, 5]
"""Length of each candidate's text above the shortest; all differ, so only one order is right."""


@pytest.fixture
def dataset():
    """Two contexts of 8 candidates with texts of different lengths."""
    dataset = make_dataset(candidates=(8, 8))
    for candidate in Candidate.objects.all():
        candidate.text = "x" * (1 + LENGTHS[candidate.position])
        candidate.save()
    return dataset


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


def add_judge(capsys, endpoint, *options):
    model = ("--backend", "openai", "--model", "judge", "--base-url", endpoint.url)
    printed_json(capsys, "add_judge", "remote", *model, *options)
    endpoint.forget()


def sort(capsys):
    asked = ("--dataset", "Summaries", "--judge", "remote", "--method", "pairwise", "--selection", "pairs")
    return printed_json(capsys, "judge", *asked)["runs"][0]


def execute(run):
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load)
    holder.close()


def orders(capsys, run):
    """Return the candidates' lengths in the ranking of each context, best first."""
    rows = printed_json(capsys, "scores", run, "--ranking", "likelihood-hard")["scores"]
    ranked = sorted(rows, key=lambda row: row["rank"])
    return [
        [LENGTHS[ord(row["candidate"]) - ord("a")] for row in ranked if row["context"] == context]
        for context in ("c0", "c1")
    ]


def test_sort_at_an_endpoint_ranks_by_its_preference_with_few_requests(capsys, dataset, endpoint):
    endpoint.answer = vllm
    add_judge(capsys, endpoint, "--ask-by", "forced-choice")

    row = sort(capsys)

    run = Run.objects.get()
    assert (run.status, row["comparisons"], run.planned) == ("done", run.planned, run.comparisons.count())
    assert len(endpoint.asked) == run.planned + 1  # the first request is the probe
    assert run.planned < 2 * 20  # of 2 * 28 pairs
    assert set(run.comparisons.values_list("p_first", flat=True)) == {0.8, 0.2}
    assert orders(capsys, run.pk) == [list(range(7, -1, -1))] * 2


def test_sort_at_an_endpoint_asks_unreadable_answers_again(capsys, dataset, endpoint):
    """An unreadable answer counts as a tie for the sort; once it is asked again, the sort reads the new answer."""
    add_judge(capsys, endpoint)
    endpoint.answer = lambda body: reply("Neither" if len(endpoint.asked) % 7 == 0 else longer(body))
    first = sort(capsys)

    endpoint.answer = lambda body: reply(longer(body))
    again = resume(Run.objects.get(pk=first["run"]), unparsed=True)
    execute(again)

    assert first["unparsed"] > 0
    assert set(again.comparisons.values_list("outcome", flat=True)) == {"answered"}
    assert orders(capsys, again.pk) == [list(range(7, -1, -1))] * 2
