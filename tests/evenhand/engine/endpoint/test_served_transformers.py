"""The endpoint backend with `transformers serve`, in a separate process.

It serves the demo judge, which never learned to chat: under a template that ends after the noun, and made to stop after
a letter, so that what it writes can be held against the same judge, loaded here.
"""

import json

import pytest

from evenhand.engine import DEMO_MODEL, EngineSettings, Question, Request, load_engine
from judging.demo import SAMPLE_DATASET
from tests.evenhand.engine.endpoint.served_demo import served_demo

TEMPLATE = "{{ messages[0].content.replace('\\n\\nAnswer only with A or B, and nothing else.', ' Summary') }}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("served") / "demo"


@pytest.fixture(scope="module")
def served(folder):
    """The judge behind the server."""
    with served_demo(folder, template=TEMPLATE) as address:
        engine = load_engine(EngineSettings("openai", str(folder), base_url=address))
        yield engine
        engine.close()


def sample_questions(answer_prefix):
    """Both orders of the first two summaries of three notes, as `comparative-1` asks."""
    contexts = [json.loads(line) for line in SAMPLE_DATASET.read_text().splitlines()[1:4]]
    texts = [
        f"{context['text']}\n\nSummary A: {first['text']}\n\nSummary B: {second['text']}\n\n"
        "Which Summary is more coherent, Summary A or Summary B?"
        for context in contexts
        for first, second in (context["candidates"][:2], context["candidates"][1::-1])
    ]
    return [Question(text, answer_prefix, *(("A", "B") if not answer_prefix else (" A", " B"))) for text in texts]


def load(model):
    return load_engine(EngineSettings(backend="transformers", model=str(model)))


def test_verdicts_of_a_served_model_are_those_of_the_model_loaded_here(served):
    there, here = served.p_first(sample_questions("")), load(DEMO_MODEL).p_first(sample_questions("Summary"))

    assert not served.describe().gives_probabilities
    assert [answer.p_first for answer in there.answers] == [float(answer.p_first > 0.5) for answer in here.answers]
    assert len({answer.p_first for answer in there.answers}) == 2


def test_text_of_a_served_model_is_that_of_the_model_loaded_here(served, folder):
    request = Request(sample_questions("")[0].text, max_new_tokens=5)

    there, here = served.generate([request]), load(folder).generate([request])

    assert (there[0].text, there[0].generated_tokens) == (here[0].text, here[0].generated_tokens)
    assert there[0].prompt_tokens > 100
