"""The commands that judge: judge, add_judge."""

import json

import pytest
from django.core.management import CommandError, call_command

from judging.models import Exclusion, Judge, Run
from tests.commands import printed_json, refused
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, status
from tests.factories import make_dataset, make_judge
from tests.judging.workers import assert_each_pair_answered_once


@pytest.mark.django_db
def test_add_judge_stores_a_metric():
    call_command("add_judge", "length", "--backend", "metric", "--model", "length")

    assert Judge.objects.filter(name="length", backend="metric", model="length").exists()


@pytest.mark.django_db
def test_add_judge_reports_every_problem(capsys):
    lines = refused(capsys, "add_judge", "demo", "--backend", "openai", "--model", "gpt-4o", "--device", "tpu")

    assert lines == [
        'name: "demo" is not free — choose another name',
        'device: "tpu" is unknown; choose cpu, cuda, cuda:1 (or another number) or auto',
        'base_url: "" — give the endpoint\'s address, such as http://localhost:8000/v1',
    ]


@pytest.mark.django_db
def test_judge_asks_every_pair_once_and_reuses_answers(capsys, judge):
    make_dataset(candidates=(3, 2))
    arguments = ("judge", "--dataset", "Summaries", "--judge", "tiny")

    first = printed_json(capsys, *arguments)["runs"][0]
    again = printed_json(capsys, *arguments)["runs"][0]

    run = Run.objects.get()
    assert first == {
        "run": run.pk,
        "judge": "tiny",
        "method": "comparative",
        "prompt": "comparative-1",
        "attribute": "coherence",
        "comparisons": 8,
        "unparsed": 0,
        "errors": 0,
        "problems": {},
        "reasonings_cut": 0,
        "reused": 0,
        "seconds": run.seconds,
        "prompt_tokens": run.prompt_tokens,
        "computed_tokens": run.computed_tokens,
    }
    assert again == first | {"reused": 8}
    assert run.owner is None
    assert_each_pair_answered_once(run)


@pytest.mark.django_db
def test_judge_makes_a_run_of_every_attribute_and_prompt(capsys, judge):
    make_dataset(candidates=(2,), attributes=("coherence", "fluency"))
    prompts = ("--prompt", "comparative-2", "--prompt", "comparative-1")

    rows = printed_json(capsys, "judge", "--dataset", "Summaries", "--judge", "tiny", *prompts)["runs"]

    assert [(row["attribute"], row["prompt"], row["comparisons"]) for row in rows] == [
        ("coherence", "comparative-2", 2),
        ("coherence", "comparative-1", 2),
        ("fluency", "comparative-2", 2),
        ("fluency", "comparative-1", 2),
    ]


@pytest.mark.django_db
def test_judge_computes_shared_text_of_two_attributes_once(capsys, judge):
    make_dataset(candidates=(4,), attributes=("coherence", "fluency"))
    make_dataset("Same", candidates=(4,))

    both = printed_json(capsys, "judge", "--dataset", "Summaries", "--judge", "tiny")["runs"]
    (alone,) = printed_json(capsys, "judge", "--dataset", "Same", "--judge", "tiny")["runs"]

    together = Run.objects.get(dataset__name="Summaries", attribute__name="coherence")
    answers = [
        list(run.comparisons.values_list("p_first", flat=True)) for run in (together, Run.objects.get(pk=alone["run"]))
    ]
    assert answers[0] == pytest.approx(answers[1], abs=1e-5)
    assert [row["comparisons"] for row in both] == [12, 12]
    assert sum(row["computed_tokens"] for row in both) < 1.5 * alone["computed_tokens"]


@pytest.mark.django_db
def test_judge_leaves_systems_and_contexts_out_and_says_what_is_too_small(capsys, judge):
    make_dataset(candidates=(3, 2, 3))
    left_out = ("--without-system", "system-b", "--without-context", "c2")

    call_command("judge", "--dataset", "Summaries", "--judge", "tiny", "--json", *left_out)

    printed = capsys.readouterr()
    (row,), run = json.loads(printed.out)["runs"], Run.objects.get()
    assert (row["comparisons"], run.exclusion) == (2, Exclusion(("system-b",), ("c2",)))
    assert "1 context with fewer than two candidates left: not compared" in printed.err
    assert "b" not in run.comparisons.values_list("first__key", flat=True)


@pytest.mark.django_db
def test_judge_refuses_unknown_names_to_leave_out(capsys, judge):
    make_dataset(candidates=(3, 2))

    problems = refused(
        capsys, "judge", "--dataset", "Summaries", "--judge", "tiny", "--without-system", "system_b", "c0"
    )

    assert Run.objects.count() == 0
    assert problems == [
        'without-system: "Summaries" has no system "c0"; there are: system-a, system-b, system-c',
        'without-system: "Summaries" has no system "system_b" (did you mean "system-b"?); there are: system-a, '
        "system-b, system-c",
    ]


@pytest.mark.django_db
def test_judge_reports_every_unknown_attribute(capsys):
    make_dataset()

    lines = refused(
        capsys, "judge", "--dataset", "Summaries", "--judge", "demo", "--attribute", "style", "--attribute", "wit"
    )

    assert lines == [
        'attribute: "style" is not an attribute of Summaries; choose one of: coherence',
        'attribute: "wit" is not an attribute of Summaries; choose one of: coherence',
    ]


@pytest.mark.django_db
def test_judge_refuses_a_dataset_without_attributes(capsys):
    make_dataset(attributes=())

    [problem] = refused(capsys, "judge", "--dataset", "Summaries", "--judge", "demo", "--dry-run")

    assert (
        problem
        == "attribute: Summaries has none, so there is nothing to ask for; import it again with --attribute overall"
    )


@pytest.mark.django_db
def test_judge_reports_every_unknown_name(capsys):
    lines = refused(
        capsys, "judge", "--dataset", "Nothing", "--judge", "nobody", "--method", "guessing", "--selection", "best"
    )

    assert [line.split(":")[0] for line in lines] == ["dataset", "judge", "method", "selection"]
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_judge_fails_with_status_1_for_a_failing_endpoint():
    make_dataset()
    with ServedEndpoint() as endpoint:
        endpoint.first_do(status(501))
        make_judge(backend="openai", base_url=endpoint.url)

        with pytest.raises(CommandError, match="the endpoint answered 501"):
            call_command("judge", "--dataset", "Summaries", "--judge", "tiny")

    assert not Run.objects.exists()


@pytest.mark.django_db
def test_judge_refuses_a_model_that_cannot_be_loaded_and_stores_nothing(capsys, tmp_path):
    make_dataset()
    make_judge(model=str(tmp_path))

    (line,) = refused(capsys, "judge", "--dataset", "Summaries", "--judge", "tiny")

    assert str(tmp_path) in line
    assert not Run.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "options", "prompt"),
    [
        ("length", (), "text-alone"),
        ("chrf", (), "against-reference"),
        ("chrf", ("--against", "context"), "against-context"),
        ("chrf", ("--prompt", "against-context"), "against-context"),
    ],
)
def test_judge_uses_the_default_method_and_prompt_of_a_metric(capsys, model, options, prompt):
    make_dataset(candidates=(2,)).contexts.update(reference="A summary.")
    make_judge("m", backend="metric", model=model)

    (run,) = printed_json(capsys, "judge", "--dataset", "Summaries", "--judge", "m", *options)["runs"]

    assert (run["method"], run["prompt"], run["scores"], run["errors"]) == ("metric", prompt, 2, 0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("judge", "options", "line"),
    [
        ("length", ("--against", "context"), 'against: context — "length" measures texts alone; leave it out'),
        ("bleu", ("--against", "people"), 'against: "people" is unknown; choose one of: reference, context'),
        ("demo", ("--against", "context"), 'against: context — only metrics have this option, and "demo" is a model'),
        (
            "bleu",
            ("--against", "context", "--prompt", "against-context"),
            "against: a prompt already fixes the text to compare with; give one of the two",
        ),
    ],
)
def test_judge_refuses_a_wrong_against(capsys, judge, options, line):
    make_dataset()
    for model in ("bleu", "length"):
        make_judge(model, backend="metric", model=model)

    assert refused(capsys, "judge", "--dataset", "Summaries", "--judge", judge, *options) == [line]
