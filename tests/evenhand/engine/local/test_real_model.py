"""A real LLM, read from its GGUF file, against plain transformers."""

import json
from math import exp

import pytest
import torch

from evenhand.engine import EngineSettings, Question, Request, load_engine, load_renderer
from evenhand.engine.model_folders import model_folder
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from judging.demo import SAMPLE_DATASET
from tests.evenhand.engine.reference import Reference
from tests.real_model import KEPT, real_model

pytestmark = pytest.mark.realmodel


@pytest.fixture(scope="module")
def settings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_DATA", str(KEPT))
        yield EngineSettings("transformers", str(real_model()))


@pytest.fixture(scope="module")
def engine(settings):
    loaded = load_engine(settings)
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def reference(engine, settings):
    return Reference(model_folder(settings.model, ""))


CONTEXTS = [json.loads(line) for line in SAMPLE_DATASET.read_text().splitlines()[1:3]]


def comparisons():
    """Six ordered pairs of each of two notes, as `comparative-1` asks."""
    return [
        Question(
            f"{context['text']}\n\nSummary A: {first['text']}\n\nSummary B: {second['text']}\n\n"
            "Which Summary is more coherent, Summary A or Summary B?",
            "Summary",
            *(" A", " B"),
        )
        for context in CONTEXTS
        for first in context["candidates"][:3]
        for second in context["candidates"][:3]
        if first is not second
    ]


def test_p_first_of_twelve_comparisons_is_that_of_plain_transformers(engine, reference, settings):
    """It prefers the first text in either order, as is known of small models [Liusie2024]."""
    questions = comparisons()

    answers = engine.p_first(questions).answers

    renderer = load_renderer(settings)
    expected = [reference.p_first(renderer.render(question)) for question in questions]
    assert (len(answers), min(expected) > 0.5) == (12, True)
    assert [answer.p_first for answer in answers] == pytest.approx(expected, abs=1e-5)


def test_likelihood_of_a_text_is_that_of_plain_transformers(engine, reference):
    questions = [
        LikelihoodQuestion(f"{context['text']}\n\nSummary:", "", candidate["text"], "")
        for context in CONTEXTS
        for candidate in context["candidates"][:2]
    ]

    scores = [answer.score for answer in engine.log_likelihoods(questions).answers]

    assert scores == pytest.approx([mean_logprob(engine, reference, one) for one in questions], rel=2e-5)


def mean_logprob(engine, reference, question):
    rendered = engine.render(question)
    given = reference.tokenizer(rendered.prompt_text, add_special_tokens=rendered.add_special_tokens).input_ids
    ids = reference.ids(rendered, question.label_first)
    return reference.logprob(rendered, ids, len(given)) / (len(ids) - len(given))


def test_score_is_the_mean_of_the_scale_by_plain_transformers(engine, reference):
    question = ScaleQuestion(f"{CONTEXTS[0]['text']}\n\nScore this note from 1 to 5.", "Score:", " 1", " 5")

    (answer,) = engine.scores([question]).answers

    rendered = engine.render(question)
    shares = {
        n: exp(reference.logprob(rendered, ids_of(reference, rendered, n), start(reference, rendered)))
        for n in range(1, 6)
    }
    expected = sum(n * share for n, share in shares.items()) / sum(shares.values())
    assert answer.score == pytest.approx(expected, abs=1e-5)


def ids_of(reference, rendered, number):
    return reference.ids(rendered, f" {number}")


def start(reference, rendered):
    """Number of tokens that all labelled texts share."""
    one, two = (ids_of(reference, rendered, number) for number in (1, 2))
    return next(place for place, (a, b) in enumerate(zip(one, two, strict=True)) if a != b)


def test_analysis_without_sampling_is_that_of_plain_transformers(engine, reference):
    """PRePair's first step: an analysis of each text alone."""
    requests = [
        Request(f"Analyse this summary.\n\n{candidate['text']}", max_new_tokens=16)
        for candidate in CONTEXTS[0]["candidates"][:2]
    ]

    texts = [one.text for one in engine.generate(requests)]

    assert texts == [written(reference, request) for request in requests]
    assert texts[0] != texts[1]


def written(reference, request):
    chat = [{"role": "user", "content": request.text}]
    prompt = reference.tokenizer.apply_chat_template(
        chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    with torch.inference_mode():
        whole = reference.model.generate(**prompt, max_new_tokens=request.max_new_tokens, do_sample=False)
    return reference.tokenizer.decode(whole[0, prompt["input_ids"].shape[1] :], skip_special_tokens=True).strip()
