"""Prompts that are too long for a judge, said before the first question."""

import pytest

from evenhand.engine import EngineSettings, load_engine, load_renderer
from evenhand.engine.questions.thinking import Thinking
from evenhand.refusals import Refused
from judging.models import Candidate, Prompt, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans import long_prompts
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.question_texts import build_question, load_texts
from judging.services.plans.run_spec import worded_prompt
from judging.services.runs.run_lifecycle import create_or_continue_all, create_runs
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model
from tests.factories import make_dataset, make_judge, make_prompt, shipped_prompt

pytestmark = pytest.mark.django_db

LONG = "The cat sat. " * 400
"""More than 1,024 tokens."""


def lengthen(dataset, *contexts):
    dataset.contexts.filter(key__in=contexts).update(text=LONG)
    return dataset


def asked(dataset, judge, *, prompt=None, **settings):
    return RunRequest(dataset, dataset.attributes.get(), judge, prompt or shipped_prompt(), **settings)


def test_run_warns_of_exactly_the_prompts_that_become_errors(judge):
    dataset = lengthen(make_dataset(candidates=(2, 3, 2)), "c0", "c2")
    engine = load_engine(EngineSettings("transformers", judge.model))

    [run] = create_runs([asked(dataset, judge)])
    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    errors = run.comparisons.filter(outcome="error").values_list("error", flat=True)
    assert [error.startswith("the prompt is too long: it has ") for error in errors] == [True] * 4
    assert run.comparisons.filter(outcome="answered").count() == 6
    assert run.warning == (
        'About 4 of 10 prompts are longer than the 1,024 tokens that "tiny" takes. '
        f"Nothing is cut: they become errors. To avoid this, {long_prompts.HOW_TO_SHORTEN}."
    )


@pytest.mark.parametrize(
    "prompt", ["comparative-1", "comparative-tie-1", "pairwise-1", "prepair-1", "scoring-1", "gptscore-1", "terse"]
)
def test_run_counts_the_prompts_that_its_renderer_makes_too_long(judge, prompt):
    make_prompt()  # shows no context
    dataset = make_dataset(candidates=(4, 3, 2))
    for position, candidate in enumerate(Candidate.objects.order_by("pk")):
        Candidate.objects.filter(pk=candidate.pk).update(text="The cat sat. " * (40 * position + 1))
    request = asked(lengthen(dataset, "c1"), judge, prompt=Prompt.objects.get(name=prompt))
    renderer = load_renderer(EngineSettings("transformers", judge.model))

    items = [item for chunk in request.plan().chunks for item in chunk.pairs]
    texts, worded = load_texts(items), worded_prompt(request.spec())
    lengths = [renderer.tokenised(build_question(worded, texts, item)).longest_part for item in items]
    too_long = sum(length > renderer.max_prompt_tokens for length in lengths)

    assert 0 < too_long < len(lengths)
    assert create_runs([request])[0].warning.startswith(f"About {too_long} of {len(lengths)} ")


def test_run_of_which_every_prompt_is_too_long_is_refused(judge):
    dataset = lengthen(make_dataset(candidates=(2, 3)), "c0", "c1")

    with pytest.raises(Refused) as refused:
        create_or_continue_all([asked(dataset, judge)])

    assert refused.value.problems == (
        f'judge: all 8 prompts are longer than the 1,024 tokens that "tiny" takes; {long_prompts.HOW_TO_SHORTEN}',
    )
    assert not Run.objects.exists()


def test_run_whose_prompts_fit_has_no_warning(judge):
    [run] = create_runs([asked(make_dataset(), judge)])

    assert run.warning == ""


@pytest.mark.parametrize("longer", [["c4"], [f"c{number}" for number in range(8)]])
def test_sample_of_a_large_dataset_has_the_longest_and_the_shortest_context(judge, monkeypatch, longer):
    monkeypatch.setattr(long_prompts, "COUNTED_CHARACTERS", 1)
    dataset = lengthen(make_dataset(candidates=(2,) * 9), *longer)

    [run] = create_runs([asked(dataset, judge)])

    assert run.warning.startswith("About 9 of 18 prompts are longer ")


@pytest.mark.parametrize(
    ("verdict", "generation", "written"),
    [
        ("[[<verdict>]]", GenerationSettings(), 900),
        ("", GenerationSettings(samples=2, temperature=1.0), 8),
        ("", GenerationSettings(thinking=Thinking(tokens=1_000)), 1_000),
    ],
)
def test_tokens_that_the_judge_writes_are_taken_from_its_window(tmp_path, verdict, generation, written):
    template = CHAT_TEMPLATE + "{# <think> </think> #}"
    judge = make_judge(model=str(save_model(tmp_path, "llama", window=written + 60, chat_template=template)))
    dataset = make_dataset(candidates=(2, 2))
    Candidate.objects.filter(context__key="c1", key="a").update(text="The cat sat. " * 9)
    prompt = make_prompt(verdict=verdict, reply_tokens=900)

    [run] = create_runs([asked(dataset, judge, prompt=prompt, generation=generation)])

    assert run.warning.startswith(
        "About 2 of 4 prompts are longer than the 60 tokens that "
        f'"tiny" takes ({written + 60:,}, less {written:,} for its own text). '
    )


def test_run_is_checked_by_its_worker_where_only_the_worker_has_the_model(tmp_path):
    dataset = lengthen(make_dataset(candidates=(2, 2)), "c1")
    [run] = create_runs([asked(dataset, make_judge(model=str(tmp_path / "model")))])
    assert run.warning == ""
    save_model(tmp_path / "model", "llama")

    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())

    run.refresh_from_db()
    assert (run.status, run.warning.split(" are ")[0]) == ("done", "About 2 of 4 prompts")


def test_run_fails_before_its_first_question_if_its_worker_finds_every_prompt_too_long(tmp_path):
    dataset, engine = lengthen(make_dataset(candidates=(2,)), "c0"), FakeEngine()
    [run] = create_runs([asked(dataset, make_judge(model=str(tmp_path / "model")))])
    save_model(tmp_path / "model", "llama")

    execute_chunk(run.chunks.get().pk, load=lambda settings: engine)

    run.refresh_from_db()
    assert (run.status, engine.asked) == ("failed", [])
    assert run.error.startswith('judge: all 2 prompts are longer than the 512 tokens that "tiny" takes; ')
