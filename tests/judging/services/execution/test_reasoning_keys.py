"""What a judge wrote first is used wherever it is asked the same, and nowhere else."""

import pytest

from judging.engine.fake import FakeEngine
from judging.models import ContextMetrics, Reasoning
from judging.prompting.criteria import MetricsPrompt
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.criteria import metrics_named
from judging.services.execution.reasoning_keys import first_step_hashes
from judging.services.plans.pair_selection import EVERY_PAIR
from judging.services.plans.run_spec import build_spec
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import Asked, create_runs
from tests.factories import make_dataset, make_judge, make_prompt, make_run, shipped_prompt

pytestmark = pytest.mark.django_db

ABOUT_THE_TASK = MetricsPrompt(
    "task", 1, "What would a good {candidate_noun} for <context> have?", "Look at:\n<metrics>", max_new_tokens=150
)


@pytest.fixture
def dataset():
    return make_dataset(candidates=(3,), attributes=("coherence", "fluency"))


def judged(run):
    """What the judge was asked to write for it."""
    engine = FakeEngine()
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine)
    run.refresh_from_db()
    assert run.status == "done"
    return engine.requested


def spec_of(dataset, prompt, *, attribute="coherence", metrics=None):
    judge = make_run(dataset).judge
    found = dataset.attributes.get(name=attribute)
    return build_spec(dataset, attribute=found, judge=judge, prompt=prompt, choice=EVERY_PAIR, metrics=metrics)


def test_first_step_that_names_no_attribute_serves_the_runs_of_all(dataset):
    runs = [make_run(dataset, prompt="prepair-star-1", attribute=name) for name in ("coherence", "fluency")]

    assert [len(judged(run)) for run in runs] == [6, 0]
    assert Reasoning.objects.count() == 6
    assert [progress(run).reasonings_done for run in runs] == [6, 6]


def test_first_step_that_names_the_attribute_is_written_for_each(dataset):
    runs = [make_run(dataset, prompt="prepair-1", attribute=name) for name in ("coherence", "fluency")]

    assert [len(judged(run)) for run in runs] == [3, 3]


def test_first_step_serves_another_prompt_that_begins_with_the_same(dataset):
    runs = [make_run(dataset, prompt=name) for name in ("prepair-1", "prepair-tie-1")]

    assert [len(judged(run)) for run in runs] == [3, 0]


def test_texts_of_another_dataset_are_not_counted_for_a_run(dataset):
    judged(make_run(dataset, prompt="prepair-star-1"))

    run = make_run(make_dataset("Other", candidates=(3,)), prompt="prepair-star-1")

    assert progress(run).reasonings_done == 0


def test_edited_words_are_another_question(dataset):
    judged(make_run(dataset, prompt="prepair-star-1"))
    dataset.candidate_noun = "headline"
    dataset.save()

    assert len(judged(make_run(dataset, prompt="prepair-star-1"))) == 6


def test_metrics_asked_for_without_the_attribute_serve_the_runs_of_all(dataset):
    asked = [
        Asked(dataset, attribute, judge, shipped_prompt("pairwise-1"), EVERY_PAIR, metrics=ABOUT_THE_TASK)
        for judge in [make_judge()]
        for attribute in dataset.attributes.all()
    ]

    assert [len(judged(run)) for run in create_runs(asked)] == [1, 0]
    assert ContextMetrics.objects.count() == 1


def test_first_step_that_is_shown_metrics_is_another_question(dataset):
    prompt = shipped_prompt("prepair-star-1")

    bare = first_step_hashes(spec_of(dataset, prompt))
    shown = first_step_hashes(spec_of(dataset, prompt, metrics=ABOUT_THE_TASK))
    of_another_attribute = first_step_hashes(spec_of(dataset, prompt, attribute="fluency", metrics=ABOUT_THE_TASK))
    others = first_step_hashes(spec_of(dataset, prompt, metrics=metrics_named("metrics-1")))

    assert bare["metrics_sha256"] == ""
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
def test_question_is_the_same_where_it_reads_the_same(dataset, reasoning, is_same):
    method = {"method": "prepair", "template": "<A>, <analysis A>, or <B>, <analysis B>?"}
    one = make_prompt("one", reasoning_template="How {adjective} is <A>?", **method)
    other = make_prompt("other", reasoning_template=reasoning, **method)

    hashes = [first_step_hashes(spec_of(dataset, prompt)) for prompt in (one, other)]

    assert (hashes[0] == hashes[1]) is is_same


def test_placeholder_in_a_definition_is_not_a_text(dataset):
    method = {"method": "prepair", "template": "<A>, <analysis A>, or <B>, <analysis B>?"}
    dataset.attributes.update(definition="<context>")
    shows = make_prompt("shows", reasoning_template="<context> <A>?", **method)
    defines = make_prompt("defines", reasoning_template="{definition} <A>?", **method)

    hashes = [first_step_hashes(spec_of(dataset, prompt))["reasoning_sha256"] for prompt in (shows, defines)]

    assert hashes[0] != hashes[1]


def test_run_that_writes_nothing_first_has_no_hashes(dataset):
    run = make_run(dataset)

    assert (run.reasoning_sha256, run.metrics_sha256) == ("", "")
