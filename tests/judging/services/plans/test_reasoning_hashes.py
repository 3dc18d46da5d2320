"""Reasoning is shared by runs with the same request, and by no others."""

import pytest

from evenhand.prompting.criteria import CriteriaPrompt
from judging.models import Criteria, Reasoning
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.reasoning import find_criteria_prompt
from judging.services.plans.run_spec import reasoning_hashes
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import create_runs
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_prompt, make_run, shipped_prompt

pytestmark = pytest.mark.django_db

ABOUT_THE_TASK = CriteriaPrompt(
    "task", 1, "What would a good {candidate_noun} for <context> have?", "Look at:\n<metrics>", max_new_tokens=150
)


@pytest.fixture
def dataset():
    return make_dataset(candidates=(3,), attributes=("coherence", "fluency"))


def judged(run):
    """Judge a run, and return the requests for reasoning and criteria."""
    engine = FakeEngine()
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine)
    run.refresh_from_db()
    assert run.status == "done"
    return engine.requested


def spec_of(dataset, prompt, *, attribute="coherence", criteria=None):
    judge = make_run(dataset).judge
    found = dataset.attributes.get(name=attribute)
    return RunRequest(dataset, found, judge, prompt, criteria=criteria).spec()


def test_reasoning_without_the_attribute_is_shared_by_all_attributes(dataset):
    runs = [make_run(dataset, prompt="prepair-star-1", attribute=name) for name in ("coherence", "fluency")]

    assert [len(judged(run)) for run in runs] == [6, 0]
    assert Reasoning.objects.count() == 6
    assert [progress(run).reasonings_done for run in runs] == [6, 6]


def test_reasoning_is_shared_by_prompts_with_the_same_request(dataset):
    runs = [make_run(dataset, prompt=name) for name in ("prepair-1", "prepair-tie-1")]

    assert [len(judged(run)) for run in runs] == [3, 0]


def test_reasonings_of_another_dataset_are_not_used(dataset):
    judged(make_run(dataset, prompt="prepair-star-1"))

    run = make_run(make_dataset("Other", candidates=(3,)), prompt="prepair-star-1")

    assert progress(run).reasonings_done == 0


def test_edited_wording_changes_the_hash(dataset):
    judged(make_run(dataset, prompt="prepair-star-1"))
    dataset.candidate_noun = "headline"
    dataset.save()

    assert len(judged(make_run(dataset, prompt="prepair-star-1"))) == 6


def test_criteria_without_the_attribute_are_shared_by_all_attributes(dataset):
    asked = [
        RunRequest(dataset, attribute, judge, shipped_prompt("pairwise-1"), criteria=ABOUT_THE_TASK)
        for judge in [make_judge()]
        for attribute in dataset.attributes.all()
    ]

    assert [len(judged(run)) for run in create_runs(asked)] == [1, 0]
    assert Criteria.objects.count() == 1


def test_reasoning_that_shows_criteria_has_another_hash(dataset):
    prompt = shipped_prompt("prepair-star-1")

    bare = reasoning_hashes(spec_of(dataset, prompt))
    shown = reasoning_hashes(spec_of(dataset, prompt, criteria=ABOUT_THE_TASK))
    of_another_attribute = reasoning_hashes(spec_of(dataset, prompt, attribute="fluency", criteria=ABOUT_THE_TASK))
    others = reasoning_hashes(spec_of(dataset, prompt, criteria=find_criteria_prompt("metrics-1")))

    assert bare["criteria_sha256"] == ""
    assert shown == of_another_attribute
    assert len({one["reasoning_sha256"] for one in (bare, shown, others)}) == 3


@pytest.mark.parametrize(
    ("reasoning", "is_same"),
    [
        ("How coherent is <A>?", True),
        ("How {adjective} is <A>? ", False),
        ("How {adjective} is <A>, given <context>?", False),
    ],
)
def test_hash_depends_on_the_text_that_the_judge_reads(dataset, reasoning, is_same):
    method = {"method": "prepair", "template": "<A>, <analysis A>, or <B>, <analysis B>?"}
    one = make_prompt("one", reasoning_template="How {adjective} is <A>?", **method)
    other = make_prompt("other", reasoning_template=reasoning, **method)

    hashes = [reasoning_hashes(spec_of(dataset, prompt)) for prompt in (one, other)]

    assert (hashes[0] == hashes[1]) is is_same


def test_placeholder_in_a_definition_is_literal(dataset):
    method = {"method": "prepair", "template": "<A>, <analysis A>, or <B>, <analysis B>?"}
    dataset.attributes.update(definition="<context>")
    shows = make_prompt("shows", reasoning_template="<context> <A>?", **method)
    defines = make_prompt("defines", reasoning_template="{definition} <A>?", **method)

    hashes = [reasoning_hashes(spec_of(dataset, prompt))["reasoning_sha256"] for prompt in (shows, defines)]

    assert hashes[0] != hashes[1]
