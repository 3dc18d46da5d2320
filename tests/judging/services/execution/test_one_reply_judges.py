"""Whole replies of real engines, from end to end: a model on this machine, and endpoints."""

import re
from math import log
from pathlib import Path

import pytest

from evenhand.engine import load_engine
from evenhand.formats import SourceFile, read_dataset
from judging import demo
from judging.models import Judge
from judging.services.datasets.dataset_import import import_dataset
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.answer_descriptions import describe_answers
from judging.services.judges.judge_check import check_judge
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.selection_settings import SelectionSettings
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, make_prompt, make_run, shipped_prompt

pytestmark = pytest.mark.django_db

FIRST, SECOND = r"(?:Output|Summary) A:\s(?P<a>.*?)", r"(?:# )?(?:Output|Summary) B:\s(?P<b>.*?)"
CANDIDATES = re.compile(rf"{FIRST}\n\n{SECOND}\n\n#", re.DOTALL)
SAMPLE = Path(demo.__file__).parent / "sample.jsonl"
ONE_CONTEXT = SelectionSettings(contexts=1)


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


def import_file(path):
    return import_dataset(read_dataset([SourceFile(path.name, path.read_bytes())]), name="D", sha256="0" * 64)


def execute(run):
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load)
    holder.close()
    run.refresh_from_db()
    return run


def judge_at(endpoint):
    return add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url, check=check_judge)


def longer(body):
    match = CANDIDATES.search(body["messages"][-1]["content"])
    return "A" if match is None or len(match["a"]) >= len(match["b"]) else "B"


def hosted(body, *, noun="Output", comparative="better"):
    """A judge that explains first; with log-probabilities if it is asked for them."""
    verdict = longer(body)
    if CANDIDATES.search(body["messages"][-1]["content"]) is None:
        return reply("A", [("A", {"A": -0.1, "B": -3.0})] if "logprobs" in body else None)
    before, after = f"{noun} A is fine, and so is {noun} B.\n\nTherefore, {noun}", f" is {comparative}."
    p = {" A": 0.8, " B": 0.2} if verdict == "A" else {" A": 0.2, " B": 0.8}
    label = (f" {verdict}", {text: log(share) for text, share in p.items()})
    tokens = [(before, {before: 0.0}), label, (after, {after: 0.0})]
    return reply(f"{before} {verdict}{after}", tokens if "logprobs" in body else None)


def test_local_judge_gives_the_same_probability_in_a_reply_as_for_a_label_word():
    dataset = import_file(SAMPLE)
    judge = Judge.objects.get(name="demo")
    whole = make_prompt(
        "whole",
        template=shipped_prompt("comparative-1").template,
        verdict="{Candidate_noun} <verdict>",
        verdict_place="start",
        reply_tokens=6,
    )

    by_reply = execute(make_run(dataset, judge=judge, prompt=whole, selection=ONE_CONTEXT))
    by_label = execute(make_run(dataset, judge=judge, prompt="comparative-1", selection=ONE_CONTEXT))

    rows = by_label.comparisons.values_list("first", "second", "p_first")
    expected = {(first, second): p_first for first, second, p_first in rows}
    for comparison in by_reply.comparisons.all():
        assert comparison.text.strip() in ("Summary A", "Summary B")
        assert comparison.p_first == pytest.approx(expected[comparison.candidate_ids], abs=1e-5)
    assert describe_answers(by_reply).endswith("by the probabilities of the label words there")


def test_endpoint_with_probabilities_gives_those_at_the_verdict(endpoint):
    endpoint.answer = lambda body: hosted(body, noun="Summary", comparative="more coherent")
    run = execute(make_run(make_dataset(candidates=(2,)), judge=judge_at(endpoint), prompt="cot-reply-1"))

    question = endpoint.asked[-1]
    assert "Answer only with" not in question["messages"][-1]["content"]
    assert question.get("max_tokens", question.get("max_completion_tokens")) == 512
    (first, second) = run.comparisons.order_by("pk")
    assert (round(first.p_first, 6), round(second.p_first, 6)) == (0.8, 0.8)
    assert first.thinking == "Summary A is fine, and so is Summary B.\n\n"
    assert first.text == "Therefore, Summary A is more coherent."


def test_endpoint_without_probabilities_gives_choices(endpoint):
    def answer(body):
        document = hosted(body, noun="Summary", comparative="more coherent")
        document["choices"][0].pop("logprobs", None)
        return document

    endpoint.answer = answer
    run = execute(make_run(make_dataset(candidates=(2,)), judge=judge_at(endpoint), prompt="cot-reply-1"))

    assert set(run.comparisons.values_list("choice", "p_first", "problem")) == {("first", None, "")}
    assert describe_answers(run) == "the verdict in the judge's reply, as written"


@pytest.mark.realdata
@pytest.mark.parametrize("prompt", ["cot-reply-1", "prepair-star-reply-1"])
def test_endpoint_judges_llmbar_in_one_reply(endpoint, shared_data, prompt):
    dataset = import_file(shared_data / "data" / "llmbar" / "Natural.json")
    endpoint.answer = hosted
    run = execute(make_run(dataset, judge=judge_at(endpoint), prompt=prompt))

    rows = run.comparisons.values_list("p_first", "problem")
    assert (run.status, len(rows)) == ("done", 200)
    assert {(round(p_first, 6), problem) for p_first, problem in rows} == {(0.8, ""), (0.2, "")}
