"""Generation after an answer prefix."""

import pytest

from evenhand.engine import EngineSettings, Question, Request, load_engine
from evenhand.engine.replies.sampled_answers import Sampling, read_samples, sample_answers
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import save_model

WHICH = Question("The pier. Which is better?", "Summary", " A", " B")


@pytest.mark.parametrize("kind", ["llama", "t5", "bart"])
def test_text_goes_on_after_the_prefix_as_label_words_are_read_after_it(tmp_path, kind):
    engine = load_engine(EngineSettings("transformers", str(save_model(tmp_path, kind, opening="<s>"))))
    reference = Reference(tmp_path)

    (generation,) = engine.generate([Request(WHICH.text, max_new_tokens=1, answer_prefix="Summary")])

    rendered = engine.render(WHICH)
    likeliest = reference.logits(rendered, tuple(reference.ids(rendered, "")))[-1].argmax()
    assert generation.text == reference.tokenizer.decode([int(likeliest)], skip_special_tokens=True).strip()


def test_samples_of_a_model_that_runs_here_are_the_same_again_and_beside_others():
    engine = load_engine(EngineSettings("transformers", "builtin:demo"))
    other = Question("And of these?", "Summary", " A", " B")
    sampling = Sampling(3, temperature=1.0, seed=5)

    alone = sample_answers(engine, [WHICH], sampling).answers[0]
    beside = sample_answers(engine, [other, WHICH], sampling).answers[1]

    assert read_samples(alone.text) == read_samples(beside.text)
