"""G-Eval: the judge writes evaluation steps once, then scores each text with them."""

import pytest
from django.db import IntegrityError, transaction

from evenhand.engine import Generation
from judging.models import Reasoning
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.reasoning import evaluation_steps
from judging.services.exports.exported_answers import rows_with_prompts
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import cancel, resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db

STEPS = "1. Read it.\n2. Give a score from 1 to 5."


def engine_that_writes(steps=STEPS):
    return FakeEngine(generate=lambda request: steps, score=lambda question: 3.25)


def judge(run, engine, **options):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine, **options)
    run.refresh_from_db()


def test_steps_are_written_once_and_shown_with_every_text():
    run = make_run(make_dataset(candidates=(2, 1)), prompt="geval-1")
    engine = engine_that_writes()

    judge(run, engine)

    (request,) = engine.requested
    assert (request.max_new_tokens, request.temperature) == (512, 0.0)
    assert "coherence (1-5): how coherent the summary is, given the context." in request.text
    assert "Article" not in request.text
    assert [question.text.partition("Evaluation Steps:\n\n")[2] for question in engine.asked] == [
        f"{STEPS}\n\nContext:\n\nArticle {context}.\n\nSummary:\n\nSummary {key} of article {context}.\n\n"
        "Evaluation Form (scores ONLY):"
        for context, key in ((0, "a"), (0, "b"), (1, "a"))
    ]
    assert (engine.asked[0].answer_prefix, list(engine.asked[0].labels())) == ("- coherence:", [1, 2, 3, 4, 5])
    assert list(run.scores.values_list("value", flat=True)) == [3.25] * 3
    assert (evaluation_steps(run).text, evaluation_steps(run).candidate_ids, run.status) == (STEPS, (), "done")
    counted = progress(run)
    assert (counted.reasonings_done, counted.reasonings_planned, run.computed_tokens > 0) == (1, 1, True)


def test_steps_are_shared_by_runs_of_the_same_attribute_prompt_and_judge():
    dataset = make_dataset(candidates=(1, 1), attributes=("coherence", "fluency"), definition="How well it reads.")
    judge(make_run(dataset, prompt="geval-1"), engine_that_writes())
    again = make_run(dataset, prompt="geval-1", selection=SelectionSettings(contexts=1))
    others = [
        make_run(dataset, prompt="geval-1", attribute="fluency"),
        make_run(dataset, prompt="geval-2"),
        make_run(dataset, prompt="geval-1", judge=make_judge("other")),
    ]
    asked = {run: engine_that_writes() for run in (again, *others)}

    for run, engine in asked.items():
        judge(run, engine)

    assert [len(engine.requested) for engine in asked.values()] == [0, 1, 1, 1]
    assert (len(asked[again].asked), progress(again).reasonings_done) == (1, 1)


def test_resumed_run_keeps_its_steps():
    run = make_run(make_dataset(candidates=(40,)), prompt="geval-1")
    judge(run, engine_that_writes(), on_slice=lambda: cancel(run) if run.scores.exists() else None)
    before = run.scores.count()
    engine = engine_that_writes("Other steps.")

    judge(resume(run), engine)

    assert 0 < before < 40
    assert (run.scores.count(), engine.requested, evaluation_steps(run).text) == (40, [], STEPS)


def test_failed_steps_make_errors_that_can_be_retried():
    run = make_run(make_dataset(candidates=(2,)), prompt="geval-1")
    failing = FakeEngine(generate=lambda request: Generation(error="busy"))
    judge(run, failing)
    errors = list(run.scores.values_list("outcome", "error"))

    judge(resume(run, errors=True), engine_that_writes())

    assert errors == [("error", "the judge failed to write its reasoning: busy")] * 2
    assert failing.asked == []
    assert list(run.scores.values_list("outcome", "value")) == [("answered", 3.25)] * 2


def test_empty_steps_make_errors():
    run = make_run(make_dataset(candidates=(1,)), prompt="geval-1")

    judge(run, engine_that_writes(" "))

    assert run.scores.get().error == "the judge failed to write its reasoning: the judge wrote nothing"


def test_steps_of_two_workers_are_stored_once():
    run = make_run(make_dataset(candidates=(1,)), prompt="geval-1")
    row = {"judge": run.judge, "question_sha256": run.reasoning_sha256, "max_new_tokens": 512}
    Reasoning.objects.create(**row, text="One.")

    with pytest.raises(IntegrityError, match="reasoning"), transaction.atomic():
        Reasoning.objects.create(**row, text="Other.")


def test_export_with_prompts_shows_the_steps():
    run = make_run(make_dataset(candidates=(1,)), prompt="geval-1")
    judge(run, engine_that_writes())

    (row,) = rows_with_prompts(run, renderer=FakeEngine())

    assert f"Evaluation Steps:\n\n{STEPS}\n\nContext:" in row["prompt_text"]
    assert (row["answer_prefix"], row["label_first"], row["label_second"]) == (" - coherence:", " 1", " 5")
