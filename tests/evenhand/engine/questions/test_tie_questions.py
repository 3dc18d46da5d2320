"""Choices among three label words by local models."""

import math
from dataclasses import replace

import pytest

from evenhand.engine import EngineSettings, Question, QuestionRefused, load_engine
from evenhand.engine.questions.label_tokens import labelled_prompt
from evenhand.engine.questions.pair_questions import likeliest
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import save_model

ASKED = Question("Which is better, A or B?", "Answer:", " A", " B", label_tie=" tie")


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_choice_is_the_likeliest_of_three_whole_label_words(tmp_path, kind):
    engine = load_engine(EngineSettings("transformers", str(save_model(tmp_path, kind, opening="<s>"))))
    reference = Reference(tmp_path)
    asked = [replace(ASKED, text=f"{'The boat. ' * n}{ASKED.text}") for n in (1, 5, 3)]
    alone = replace(ASKED, label_tie="")

    batch = engine.p_first([asked[0], alone, *asked[1:]])

    answers = [batch.answers[0], *batch.answers[2:]]
    for question, answer in zip(asked, answers, strict=True):
        rendered = engine.render(question)
        labels = (rendered.label_first, rendered.label_second, rendered.label_tie)
        ids = [reference.ids(rendered, label) for label in labels]
        shared = next(place for place, column in enumerate(zip(*ids, strict=False)) if len(set(column)) > 1)
        expected = [reference.logprob(rendered, one, shared) for one in ids]
        found = (answer.logprob_first, answer.logprob_second, answer.logprob_tie)
        assert found == pytest.approx(expected, abs=1e-4)
        assert (answer.choice, answer.p_first) == (likeliest(*expected), None)
    assert batch.answers[1].p_first == pytest.approx(reference.p_first(engine.render(alone)), abs=1e-5)
    assert math.isfinite(answers[0].logprob_tie)


def test_tie_prompt_splits_off_the_common_prefix():
    prompt = labelled_prompt([(1, 2, 5), (1, 2, 6), (1, 7, 8)])

    assert prompt.given_ids == (1,)
    assert dict(prompt.labels) == {0: (2, 5), 1: (2, 6), 2: (7, 8)}


@pytest.mark.parametrize("labels", [[(1, 2), (1, 3), (1, 2, 4)], [(1, 2), (1, 3), (1, 3)]])
def test_label_words_that_begin_alike_are_refused(labels):
    with pytest.raises(QuestionRefused, match="one begins with another"):
        labelled_prompt(labels)
