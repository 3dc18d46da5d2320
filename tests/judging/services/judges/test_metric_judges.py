"""Metrics as judges: stored, asked as judges are, with what they miss as errors."""

import pytest

from evenhand.engine import load_engine
from evenhand.prompting.templates import PromptText
from evenhand.refusals import Refused
from judging import tasks
from judging.models import Context, Judge
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.exported_answers import answer_rows, rows_with_prompts
from judging.services.judges.judge_setup import add_judge, engine_settings
from judging.services.prompts.prompt_library import add_prompt
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.metrics.questions import score_of
from tests.factories import make_dataset, make_judge, make_run
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db

MISSING = "the context has no reference to compare the text with"


def make_metric(model="bleu", **settings):
    return add_judge(name=model.partition(":")[0], backend="metric", model=model, **settings)


def with_references(*references):
    """A dataset of two candidates a context, with these references."""
    dataset = make_dataset(candidates=(2,) * len(references))
    for position, reference in enumerate(references):
        Context.objects.filter(dataset=dataset, position=position).update(reference=reference)
    return dataset


def measure(run):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=load_engine)
    run.refresh_from_db()


def test_metric_scores_each_candidate_against_the_reference_of_its_context():
    dataset = with_references("Summary a of article 0.", "")
    run = make_run(dataset, judge=make_metric("chrf"), prompt="against-reference")

    measure(run)

    assert list(run.scores.values_list("context__key", "candidate__key", "value", "outcome", "error")) == [
        ("c0", "a", pytest.approx(100), "answered", ""),
        ("c0", "b", score_of("chrf", "Summary b of article 0.", "Summary a of article 0."), "answered", ""),
        ("c1", "a", None, "error", MISSING),
        ("c1", "b", None, "error", MISSING),
    ]
    assert (run.status, run.is_scoring, run.method, run.prompt_name) == ("done", True, "metric", "against-reference")


def test_metric_scores_against_the_text_of_the_context():
    run = make_run(make_dataset(candidates=(1,)), judge=make_metric("chrf"), prompt="against-context")

    measure(run)

    assert run.scores.get().value == score_of("chrf", "Summary a of article 0.", "Article 0.")


def test_run_of_a_metric_notes_the_signature_to_cite_and_fails_with_another_version():
    run = make_run(with_references("A summary."), judge=make_metric(), prompt="against-reference")
    measure(run)
    signature = run.environment["signature"]
    run.environment |= {"signature": "BLEU|version:1.0"}
    run.status = "pending"
    run.save()
    run.scores.all().delete()
    run.chunks.update(status="pending")

    measure(run)

    assert signature.startswith("BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:")
    assert run.status == "failed"
    assert "signature is 'BLEU|version:1.0' in the run and 'BLEU|nrefs:1" in run.error


def test_report_of_a_metric_counts_texts_without_a_reference_as_errors():
    run = make_run(
        with_references("Summary a of article 0.", ""), judge=make_metric("chrf"), prompt="against-reference"
    )
    measure(run)

    (row,) = report_json(run.dataset)

    assert (row["method"], row["prompt"], row["comparisons"], row["errors"]) == ("metric", "against-reference", 2, 2)


def test_export_shows_both_texts():
    run = make_run(with_references("A summary."), judge=make_metric("length"), prompt="text-alone")
    measure(run)

    (first, _) = rows_with_prompts(run, renderer=load_engine(engine_settings(run.judge)))

    assert (first["score"], first["prompt_text"]) == (23.0, "Summary: Summary a of article 0.")
    assert [row["score"] for row in answer_rows(run)] == [23.0, 23.0]


def test_errors_are_measured_again_by_resume():
    run = make_run(with_references("Summary a of article 0.", ""), judge=make_metric(), prompt="against-reference")
    measure(run)

    assert resume(run, errors=True).status == "pending"
    measure(run)

    assert run.scores.filter(outcome="error").count() == 2


@pytest.mark.parametrize(
    ("model", "prompt", "problem"),
    [
        (
            "bleu",
            "comparative-1",
            'method: comparative asks in words, and judge "bleu" is a metric; choose method metric',
        ),
        ("bleu", "text-alone", 'prompt: "text-alone" — metric bleu needs against-reference or against-context'),
        ("length", "against-context", 'prompt: "against-context" — metric length needs text-alone'),
        (
            "bleu",
            "against-reference",
            'prompt: "against-reference" — no context of dataset "Summaries" has a reference; choose against-context',
        ),
    ],
)
def test_metric_refuses_prompts_that_do_not_fit(model, prompt, problem):
    with pytest.raises(Refused) as refused:
        make_run(judge=make_metric(model), prompt=prompt)

    assert list(refused.value.problems) == [problem]


def test_metric_against_references_needs_one_in_its_own_dataset():
    with_references("The reference.")

    with pytest.raises(Refused, match='no context of dataset "Others" has a reference'):
        make_run(make_dataset("Others"), judge=make_metric("chrf"), prompt="against-reference")


def test_model_refuses_the_method_of_metrics():
    with pytest.raises(Refused, match='judge: "tiny" is no metric; method metric needs a judge of backend metric'):
        make_run(judge=make_judge(), prompt="text-alone")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"model": "blue"}, 'model: "blue" is no metric (did you mean "bleu"?); choose one of: bleu, chrf, chrf++'),
        ({"model": " "}, "model: missing — give a metric"),
        ({"model": "bertscore"}, "model: bertscore needs a model; give it as in bertscore:roberta-large"),
        ({"model": "reward"}, "model: reward needs a model; give it as in reward:Skywork/"),
        ({"model": "reward:./none"}, 'model: there is no folder "./none"'),
        ({"model": "bertscore:./none#3"}, 'model: there is no folder "./none"'),
        ({"model": "bertscore:own/model"}, 'model: the layer of "own/model" is unknown'),
        ({"model": "bleu", "device": "cuda"}, "device: cuda — metric bleu loads no model; leave it out"),
        ({"model": "bleu", "revision": "main"}, "revision: main — metric bleu loads no model; leave it out"),
        ({"model": "bleu", "base_url": "http://a"}, "base_url, api_key_env: only endpoints have them"),
    ],
)
def test_add_judge_refuses_a_metric_that_cannot_be(settings, problem):
    with pytest.raises(Refused) as refused:
        add_judge(name="m", backend="metric", **settings)

    (found,) = refused.value.problems
    assert found.startswith(problem)


def test_add_judge_keeps_the_folder_of_a_metric_by_its_full_path(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path)

    assert make_metric("bertscore:own#3").model == f"bertscore:{tmp_path}/own#3"
    assert make_metric("reward:own").model == f"reward:{tmp_path}/own"


@pytest.mark.parametrize(
    ("model", "device", "queue"),
    [
        ("bleu", "auto", tasks.DEFAULT),
        ("bertscore:roberta-large", "cuda", tasks.GPU),
        ("bertscore:roberta-large", "cpu", tasks.DEFAULT),
        ("reward:some/model", "cuda", tasks.GPU),
    ],
)
def test_only_a_metric_with_a_model_goes_to_the_gpu(model, device, queue, settings):
    settings.JUDGE_QUEUE = tasks.GPU

    assert tasks.queue_of(Judge(backend="metric", model=model, device=device)) == queue


def test_people_write_no_prompts_for_metrics():
    with pytest.raises(Refused, match="method: metric — it has the prompts that come with Evenhand"):
        add_prompt(PromptText(name="own", method="metric", template="<A>"))
