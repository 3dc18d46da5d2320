import random

import pytest

from judging.demo.lessons import Teacher
from judging.demo.vocabulary import FAMILIAR
from judging.prompting.prompt_files import load_shipped_prompts

PROMPTS = {prompt.name: prompt for prompt in load_shipped_prompts()}


@pytest.mark.parametrize("name", ["comparative-1", "comparative-2", "prepair-1"])
def test_a_comparison_lesson_knows_where_the_candidates_stand(name):
    rng = random.Random(1)

    for _ in range(20):
        lesson = Teacher(FAMILIAR).comparison(rng, PROMPTS[name])
        noun = lesson.text.rsplit(" ", 1)[1]
        first, second = (lesson.text[slice(*span)] for span in (lesson.first_span, lesson.second_span))
        separator = ":\n" if name == "prepair-1" else ": "
        assert f"{noun} A{separator}{first}\n\n" in lesson.text
        assert f"{noun} B{separator}{second}\n\n" in lesson.text


def test_first_is_the_answer_half_of_the_time_where_candidates_differ():
    rng, teacher = random.Random(2), Teacher(FAMILIAR, equal_pairs=0)

    labels = [teacher.comparison(rng, PROMPTS["comparative-1"]).label for _ in range(1000)]

    assert 0.46 < labels.count(" A") / 1000 < 0.54


def test_first_is_the_answer_more_often_where_candidates_are_equal():
    rng, teacher = random.Random(2), Teacher(FAMILIAR, equal_pairs=1, first_when_equal=0.9)

    labels = [teacher.comparison(rng, PROMPTS["comparative-1"]).label for _ in range(1000)]

    assert 0.87 < labels.count(" A") / 1000 < 0.93


def test_an_opening_ends_with_the_first_candidate_and_asks_nothing():
    lesson = Teacher(FAMILIAR).comparison(random.Random(1), PROMPTS["comparative-1"])

    opening = lesson.opening()

    assert (opening.text, opening.label) == (lesson.text[: lesson.first_span[1]], "")
