"""Sampled answers in the command judge and the HTTP API."""

from itertools import groupby

import pytest

from judging.models import Comparison, Run
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db

JUDGE = ("judge", "--dataset", "Summaries", "--judge", "tiny")


@pytest.fixture
def endpoint():
    """Serve an endpoint without probabilities. It answers A for odd seeds and B for even ones."""
    with ServedEndpoint(lambda body: reply("B" if body.get("seed", 1) % 2 == 0 else "A")) as served:
        make_dataset(candidates=(2,))
        make_judge(backend="openai", base_url=served.url)
        yield served


def by_question(bodies):
    """Group the sampled requests by their text."""
    sampled = sorted((body for body in bodies if "seed" in body), key=text_of)
    return [list(some) for _, some in groupby(sampled, key=text_of)]


def text_of(body):
    return body["messages"][-1]["content"]


def test_judge_reads_p_first_as_a_share_of_samples(capsys, endpoint):
    (row,) = printed_json(capsys, *JUDGE, "--samples", 8, "--temperature", 1)["runs"]

    assert (row["comparisons"], row["prompt_tokens"]) == (2, 2 * 8 * 20)
    shares = set(Comparison.objects.values_list("p_first", flat=True))
    assert shares == {sum(body["seed"] % 2 for body in some) / 8 for some in by_question(endpoint.asked)}


def test_judge_reuses_sampled_answers(capsys, endpoint):
    printed_json(capsys, *JUDGE, "--samples", 3, "--temperature", 1)
    endpoint.forget()

    (row,) = printed_json(capsys, *JUDGE, "--samples", 3, "--temperature", 1)["runs"]

    assert (row["reused"], endpoint.asked) == (2, [])
    assert Run.objects.count() == 1
