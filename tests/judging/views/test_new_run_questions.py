"""The preview of a new run shows its questions in full."""

import pytest
from django.urls import reverse

from judging.models import Candidate, Run
from tests.factories import make_dataset, make_judge
from tests.judging.views.new_runs import choices, prompts_named, start

pytestmark = pytest.mark.django_db


def test_new_run_shows_the_question_about_a_real_pair_as_its_judge_gets_it(client, researcher):
    dataset = make_dataset()

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset)).content.decode()

    assert "Summary a of article 0." in page
    assert "Which Summary is more coherent" in page

    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1")

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, judges=[judge.pk])).content.decode()

    assert "more coherent, Summary A or Summary B?\n\nAnswer only with A or B, and nothing else." in page
    assert "or 1 or 0 by the generated word" in page
    assert "goes on with" not in page


@pytest.mark.parametrize("prompt", ["comparative-1", "scoring-1"])
def test_new_run_shows_no_text_of_another_dataset(client, researcher, prompt):
    make_dataset("Others")
    Candidate.objects.update(text="Elsewhere.")
    dataset = make_dataset()
    chosen = choices(dataset, prompts=prompts_named(prompt))

    page = client.post(reverse("run-new", args=[dataset.pk]), chosen).content.decode()

    assert "Summary a of article 0." in page
    assert "Elsewhere." not in page


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ("prepair-1", ["Reasoning, for each text alone"]),
        ("cot-1", ["Reasoning, for each pair", "[the judge’s reasoning about both texts]"]),
        (
            "gptscore-1",
            [
                "The score is the mean log-probability of its tokens.",
                '<pre class="passage plain">Summary a of article 0.</pre>',
            ],
        ),
        (
            "geval-1",
            [
                "Reasoning, once for all texts",
                "Question, for each text",
                "Evaluation Steps:\n\n[the judge’s reasoning]",
            ],
        ),
    ],
)
def test_new_run_shows_every_step_of_its_method(client, researcher, prompt, texts):
    dataset = make_dataset()
    chosen = choices(dataset, prompts=prompts_named(prompt))

    page = client.post(reverse("run-new", args=[dataset.pk]), chosen).content.decode()

    assert [text for text in texts if text not in page] == []


def test_new_scoring_run_shows_the_question_about_one_text_and_how_many_are_scored(client, researcher, handed_over):
    dataset = make_dataset(candidates=(3, 1))
    scoring = prompts_named("scoring-1")

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, prompts=scoring)).content.decode()
    start(client, dataset, prompts=scoring)

    assert "4 scores of 4 candidates in 2 contexts" in page
    assert "Provide a score between 1 and 10" in page
    run = Run.objects.get()
    assert (run.is_scoring, run.planned, handed_over) == (True, 4, [run.pk])
