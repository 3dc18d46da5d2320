"""Runs of the selection `pairs` over HTTP: created, asked, ranked."""

import pytest

from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db

ASKED = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny", "selection": "pairs", "seed": 3}
N = 8


def prefers_later_letters(question):
    """Answer by the letters of the two candidates, "Summary a of article 0."."""
    first, second = question.text.split("Summary ")[2], question.text.split("Summary ")[4]
    return 0.9 if first[0] > second[0] else 0.1


def test_sort_created_by_api_asks_few_pairs_and_ranks_all_candidates(researcher):
    make_dataset(candidates=(N,))
    make_judge()

    created = researcher.post("/api/runs/", ASKED, format="json").json()
    run = Run.objects.get(pk=created["id"])
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(prefers_later_letters))
    finished = researcher.get(f"/api/runs/{run.pk}/").json()
    scores = researcher.get(f"/api/runs/{run.pk}/scores/", {"ranking": "likelihood-hard"}).json()["scores"]

    assert (created["selection"], created["planned"]) == ("pairs", 17)
    assert (finished["status"], finished["planned"]) == ("done", finished["progress"]["answered"])
    assert finished["planned"] < 17
    assert [row["candidate"] for row in sorted(scores, key=lambda row: row["rank"])] == list("hgfedcba")
