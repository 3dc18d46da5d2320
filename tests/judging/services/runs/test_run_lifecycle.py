"""Creating, cancelling and resuming runs."""

import dataclasses
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Chunk, Exclusion, Judge, Prompt, Run
from judging.models.runs import sha256_of
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.selection_settings import SelectionSettings, selection_of
from judging.services.runs.run_lifecycle import cancel, create_or_continue, create_runs, resume
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run, shipped_prompt
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db


def test_create_run_stores_the_spec_and_all_pairs():
    run = make_run(
        make_dataset(candidates=(2, 3)), selection=SelectionSettings("random", comparisons=2, contexts=2, seed=7)
    )

    assert (run.status, run.planned, run.reasonings_planned) == ("pending", 4, 0)
    assert (run.selection, run.comparisons_per_context, run.contexts, run.seed) == ("random", 2, 2, 7)
    assert sum(chunk.planned for chunk in run.chunks.all()) == 4
    assert [len(chunk.pairs) for chunk in run.chunks.all()] == [4]
    assert run.spec["dataset"] == {"name": "Summaries", "sha256": "hash of Summaries"}
    assert run.spec["wording"]["candidate_noun"] == "summary"
    assert run.spec["prompt"]["template"] == shipped_prompt().template
    assert run.spec["judge"]["model"] == "some/model"
    assert run.spec_hash == sha256_of(run.spec)


def test_run_without_a_system_is_another_run_that_can_be_resumed():
    dataset = make_dataset(candidates=(3, 3))
    every_pair = make_run(dataset)
    left_out = SelectionSettings(exclusion=Exclusion(systems=("system-b",)))

    run = make_run(dataset, selection=left_out)

    assert run.spec_hash != every_pair.spec_hash
    assert selection_of(run) == left_out
    assert create_or_continue(asked_in(every_pair, selection=left_out)) == run
    assert resume(run).pk == run.pk


def test_spec_hash_ignores_the_order_of_keys():
    run = make_run()
    run.refresh_from_db()

    assert sha256_of(dict(reversed(run.spec.items()))) == run.spec_hash


def test_create_run_refuses_with_every_problem_and_stores_nothing():
    dataset, other = make_dataset(), make_dataset("Other")
    recorded = make_judge("gpt", backend=Judge.Backend.RECORDED, model="")

    with pytest.raises(Refused) as refused:
        create_runs(
            [
                RunRequest(
                    dataset, other.attributes.first(), recorded, shipped_prompt(), SelectionSettings("random", seed=-1)
                )
            ]
        )

    assert refused.value.problems == (
        "comparisons: missing — selection random needs a number per context",
        f"seed: -1 — give a whole number from 0 to {2**63 - 1}",
        'attribute: "coherence" belongs to another dataset than "Summaries"',
        'judge: "gpt" is a name for recorded judgments; it cannot be asked',
    )
    assert not Run.objects.exists()


def test_create_run_refuses_a_prompt_for_scores_without_the_ends_of_a_scale():
    prompt = Prompt.objects.create(name="mine", method="scoring", template="Score <A> from 1 to 10.")
    dataset = make_dataset()

    with pytest.raises(Refused) as refused:
        create_runs([RunRequest(dataset, dataset.attributes.first(), make_judge(), prompt)])

    assert refused.value.problems == (
        'prompt "mine": label_first, label_second: "" and "" are the ends of no scale; '
        "give the lowest and the highest score as whole numbers",
    )


def test_create_run_refuses_a_prompt_that_needs_a_definition_the_attribute_lacks():
    fields = {**dataclasses.asdict(prompt_text_of("comparative-1")), "name": "defined"}
    fields["template"] += " ({definition})"
    prompt = Prompt.objects.create(**fields)
    dataset = make_dataset()

    with pytest.raises(Refused, match=r"asks for \{definition\}"):
        create_runs([RunRequest(dataset, dataset.attributes.first(), make_judge(), prompt)])


def prompt_text_of(name):
    from judging.services.plans.run_spec import prompt_text

    return prompt_text(shipped_prompt(name))


def asked_in(run, **changes):
    asked = RunRequest(run.dataset, run.attribute, run.judge, run.prompt, SelectionSettings())
    return dataclasses.replace(asked, **changes)


def test_create_or_continue_finds_the_run_with_the_same_spec_and_when_it_is_done_of_any_engine():
    run = make_run()

    assert create_or_continue(asked_in(run)) == run
    assert create_or_continue(asked_in(run, selection=SelectionSettings("random", comparisons=2))) != run
    assert Run.objects.count() == 2

    judge_all(run)

    assert create_or_continue(asked_in(run), engine=dataclasses.replace(FakeEngine().describe(), torch="3.0")) == run


def test_create_or_continue_creates_a_run_for_another_engine():
    run = make_run(make_dataset(candidates=(11, 11)))
    execute_chunk(run.chunks.first().pk, load=lambda settings: FakeEngine())
    here = FakeEngine().describe()

    assert create_or_continue(asked_in(run), engine=here) == run
    assert create_or_continue(asked_in(run), engine=dataclasses.replace(here, torch="3.0")) != run


def test_create_or_continue_leaves_another_owners_run_alone(django_user_model):
    run = make_run()
    run.owner = django_user_model.objects.create_user("somebody")
    run.save()

    assert create_or_continue(asked_in(run)) != run


def test_cancelled_run_is_not_judged_and_resumed_once_or_twice_made_complete():
    run = make_run()

    assert cancel(run)
    judge_all(run)

    assert (run.status, run.comparisons.count()) == ("cancelled", 0)
    assert run.finished_at is not None

    assert [resume(run).status, resume(run).status] == ["pending", "pending"]
    judge_all(run)
    assert (run.status, run.comparisons.count()) == ("done", 12)


def test_resumed_run_has_no_error_and_no_end():
    run = make_run()
    Run.objects.stop(run.pk, status="failed", error="the endpoint is gone")
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now())

    resumed = resume(run)

    assert (resumed.status, resumed.error, resumed.finished_at, resumed.queued_at) == ("pending", "", None, None)


def test_resume_reads_the_current_status():
    run = make_run()
    cancel(Run.objects.get(pk=run.pk))
    Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=30))  # a worker that finds it is not wanted

    resume(run)

    assert Run.objects.get(pk=run.pk).status == "pending"


def test_resume_of_a_run_with_every_answer_finishes_it():
    run = make_run()
    judge_all(run)
    Run.objects.filter(pk=run.pk).update(status="cancelled")
    run.refresh_from_db()

    assert resume(run).status == "done"


def test_resume_leaves_a_run_being_judged():
    run = make_run()
    Run.objects.filter(pk=run.pk).update(status="running", queued_at=timezone.now())
    Chunk.objects.claim(run.chunks.first().pk, duration=timedelta(seconds=30))
    run.refresh_from_db()

    resumed = resume(run)

    assert resumed.status == "running"
    assert resumed.queued_at is not None


def test_resume_continues_a_failed_run():
    run = make_run(make_dataset(candidates=(3, 3)))
    fails_at_once = iter([False] * 8)
    judge_all(run, FakeEngine(lambda question: 0.25 if not next(fails_at_once, True) else 1 / 0))
    assert (run.status, run.comparisons.count()) == ("failed", 8)
    assert run.error == "the judge broke: ZeroDivisionError: division by zero"
    rest = FakeEngine()

    resume(run)
    judge_all(run, rest)

    assert (run.status, run.error, run.comparisons.count(), len(rest.asked)) == ("done", "", 12, 4)


def test_resume_refuses_a_run_whose_prompt_changed():
    run = make_run()
    cancel(run)
    run.attribute.adjective = "readable"
    run.attribute.save()
    run.refresh_from_db()

    with pytest.raises(Refused, match=f"run {run.pk} cannot go on: wording changed since it began; start a new run"):
        resume(run)
