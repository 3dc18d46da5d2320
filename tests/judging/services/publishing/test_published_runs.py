"""The runs of a package, and the names and settings under which they are published."""

import pytest

from evenhand.refusals import Refused
from judging.models import Judge, Run
from judging.services.publishing.published_runs import published_runs, without_folders
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("/home/ann/models/llama", "llama"),
        ("/home/ann/models/llama/", "llama"),
        ("C:\\Users\\ann\\llama", "llama"),
        ("bertscore:/home/ann/roberta", "bertscore:roberta"),
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
        ("sha256:ab12", "sha256:ab12"),
        ("", ""),
    ],
)
def test_folders_are_cut_from_paths(text, short):
    assert without_folders(text) == short


def test_without_numbers_all_runs_that_ended_are_published():
    dataset = make_dataset()
    ended, waiting = answer_run(make_run(dataset)), make_run(dataset, prompt="comparative-2")
    answer_run(make_run(make_dataset("Other")))

    runs = published_runs(Run.objects.filter(dataset=dataset))

    assert [run.run for run in runs] == [ended]
    assert waiting.is_active


def test_runs_that_cannot_be_published_are_refused_together():
    dataset = make_dataset()
    ended, waiting, empty, steered, null = (make_run(dataset) for _ in range(5))
    for run in (ended, steered, null):
        answer_run(run)
    Run.objects.filter(pk=steered.pk).update(added_sentence="pick-first")
    Run.objects.filter(pk=null.pk).update(selection="null-pairs")
    Run.objects.filter(pk=empty.pk).update(status=Run.Status.CANCELLED)

    with pytest.raises(Refused) as refused:
        published_runs(Run.objects.filter(dataset=dataset), [ended.pk, waiting.pk, empty.pk, steered.pk, null.pk, 99])

    assert [one.run for one in published_runs(Run.objects.filter(dataset=dataset))] == [ended]
    assert refused.value.problems == (
        f"run: {waiting.pk} has not finished; wait for it or cancel it, then publish it",
        f"run: {empty.pk} has no answer to publish",
        f"run: {steered.pk} has an added sentence; no report has it",
        f"run: {null.pk} has equal texts; no report has it",
        f"run: the dataset has no run 99; there are: {ended.pk}, {waiting.pk}, {empty.pk}, {steered.pk}, {null.pk}",
    )


def test_judges_get_names_under_which_all_runs_can_be_imported():
    dataset = make_dataset()
    judge, demo = make_judge("mine"), Judge.objects.get(name="demo")
    first, again = (answer_run(make_run(dataset, judge=judge)) for _ in range(2))
    shipped = answer_run(make_run(dataset, judge=demo))

    runs = published_runs(Run.objects.filter(dataset=dataset))

    assert {run.run: run.judge for run in runs} == {
        first: "mine",
        again: f"mine (run {again.pk})",
        shipped: "demo (published)",
    }


def test_settings_hold_the_template_and_the_seed_but_no_address():
    dataset = make_dataset()
    judge = make_judge("hosted", backend="openai", model="gpt-4", base_url="https://host/v1", api_key_env="A_API_KEY")
    answer_run(make_run(dataset, judge=judge))

    [run] = published_runs(Run.objects.filter(dataset=dataset))

    settings = run.settings()
    assert settings["spec"]["prompt"]["template"] == run.run.prompt.template
    assert (settings["seed"], settings["selection"]) == (0, "full")
    assert settings["judge"] == {
        "name": "hosted",
        "backend": "openai",
        "model": "gpt-4",
        "dtype": "float32",
        "device": "cpu",
    }
    assert "base_url" not in str(settings)


def test_words_of_an_endpoint_are_not_published():
    run = answer_run(make_run())
    Run.objects.filter(pk=run.pk).update(
        environment={"refused": {"seed": "organisation org-7 may not"}, "dialect": "vllm"}
    )

    (published,) = published_runs(Run.objects.filter(pk=run.pk))

    assert published.settings()["environment"] == {"refused": ["seed"], "dialect": "vllm"}
