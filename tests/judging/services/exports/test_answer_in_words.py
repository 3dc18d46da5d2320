"""What was read of a judge's answers, in words."""

import pytest

from judging.services.exports.answer_in_words import OPEN, reading_of, unparsed_because
from judging.services.plans.generation_settings import GenerationSettings
from tests.factories import make_judge, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint():
    return make_judge("gpt", backend="openai", base_url="http://localhost/v1")


@pytest.mark.parametrize(
    ("environment", "reading"),
    [
        ({}, "the probabilities of the two label words, or the one text written where the endpoint gives none"),
        ({"gives_probabilities": True}, "the probabilities of the two label words"),
        ({"gives_probabilities": False}, "the one text written, as the endpoint gives no probabilities"),
    ],
)
def test_reading_at_an_endpoint_depends_on_whether_it_gives_probabilities(endpoint, environment, reading):
    run = make_run(judge=endpoint)
    run.environment = environment

    assert reading_of(run) == reading


@pytest.mark.parametrize(
    ("prompt", "text", "why"),
    [
        ("comparative-1", "Summary A.", OPEN),
        ("comparative-1", "Both are good.", ""),
        ("comparative-tie-1", "C", OPEN),
        ("scoring-1", "7/10", OPEN),
        ("scoring-1", "11", ""),
        ("unieval-1", "Yes", OPEN),
    ],
)
def test_unparsed_answer_of_an_endpoint_that_is_one_is_so_for_what_was_not_listed(endpoint, prompt, text, why):
    assert unparsed_because(make_run(judge=endpoint, prompt=prompt), text) == why


def test_unparsed_answer_of_texts_that_were_sampled_is_told_by_them(endpoint):
    assert unparsed_because(make_run(judge=endpoint, generation=GenerationSettings(3, 1.0)), "A") == ""
