import random

import pytest

from benchmarks.demo_judge.training_examples import ExampleSampler
from benchmarks.demo_judge.vocabulary import FAMILIAR_DOMAINS
from evenhand.prompting.prompt_files import load_shipped_prompts

PROMPTS = {prompt.name: prompt for prompt in load_shipped_prompts()}


@pytest.mark.parametrize("name", ["comparative-1", "comparative-2", "prepair-1"])
def test_comparison_example_has_the_spans_of_both_candidates(name):
    rng = random.Random(1)

    for _ in range(20):
        example = ExampleSampler(FAMILIAR_DOMAINS).draw_comparison(rng, PROMPTS[name])
        noun = example.text.rsplit(" ", 1)[1]
        first, second = (example.text[slice(*span)] for span in (example.first_span, example.second_span))
        separator = ":\n" if name == "prepair-1" else ": "
        assert f"{noun} A{separator}{first}\n\n" in example.text
        assert f"{noun} B{separator}{second}\n\n" in example.text


def test_first_is_the_answer_half_of_the_time_for_unequal_candidates():
    rng, sampler = random.Random(2), ExampleSampler(FAMILIAR_DOMAINS, equal_share=0)

    labels = [sampler.draw_comparison(rng, PROMPTS["comparative-1"]).label for _ in range(1000)]

    assert 0.46 < labels.count(" A") / 1000 < 0.54


def test_first_is_the_answer_nine_times_in_ten_for_equal_candidates():
    rng, sampler = random.Random(2), ExampleSampler(FAMILIAR_DOMAINS, equal_share=1, first_share_of_equal=0.9)

    labels = [sampler.draw_comparison(rng, PROMPTS["comparative-1"]).label for _ in range(1000)]

    assert 0.87 < labels.count(" A") / 1000 < 0.93


def test_cut_example_ends_with_the_first_candidate_and_has_no_label():
    example = ExampleSampler(FAMILIAR_DOMAINS).draw_comparison(random.Random(1), PROMPTS["comparative-1"])

    cut = example.cut_after_first_candidate()

    assert (cut.text, cut.label) == (example.text[: example.first_span[1]], "")
