"""Token counts of prompts, with and without shared prefixes."""

import pytest
import torch

from evenhand.engine import EngineSettings, Question, load_renderer
from evenhand.engine.local.model.model_memory import estimate_footprint
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.token_counts import PromptCount, count_prompts, tree_tokens
from evenhand.engine.settings import DEMO_MODEL
from tests.evenhand.engine.tiny_models import save_model, train_tokenizer


@pytest.fixture(scope="module")
def renderer():
    return load_renderer(EngineSettings("transformers", DEMO_MODEL))


def question(text, *, labels=(" A", " B")):
    return Question(text, "Summary", *labels)


def test_tree_tokens_counts_every_common_prefix_once():
    assert tree_tokens([(1, 2, 3), (1, 2, 4, 5), (6,), (1, 2, 3)]) == 6


def test_count_prompts_counts_with_and_without_shared_prefixes(renderer):
    one, other = question("The cat sat. Yes"), question("The cat sat. No")
    alone = [count_prompts(renderer, [[each]]) for each in (one, other)]

    together = count_prompts(renderer, [[one, other]])

    assert together.prompts == 2
    assert together.prompt_tokens == sum(each.prompt_tokens for each in alone)
    assert together.shared_tokens < sum(each.shared_tokens for each in alone)
    assert together.longest == max(each.longest for each in alone)


def test_prompts_of_different_groups_share_nothing(renderer):
    one = question("The cat sat.")

    assert count_prompts(renderer, [[one], [one]]).shared_tokens == 2 * count_prompts(renderer, [[one]]).shared_tokens


def test_count_prompts_agrees_with_the_engine(renderer):
    one = question("The cat sat.")

    count, prompt = count_prompts(renderer, [[one]]), renderer.tokenised(one)

    assert (count.prompt_tokens, count.shared_tokens) == (prompt.tokens, prompt.longest_part)


def test_count_prompts_counts_too_long_and_refused_prompts(renderer):
    long = question("The cat sat. " * renderer.max_prompt_tokens)
    same_labels = question("The cat sat.", labels=(" A", " A"))

    count = count_prompts(renderer, [[long, same_labels]])

    assert (count.prompts, count.too_long, count.refused) == (2, 1, 1)
    assert count.problem.startswith("the label words cannot be distinguished")
    assert count.longest > renderer.max_prompt_tokens


def test_count_prompts_counts_prompts_over_the_usual_length():
    renderer = PromptRenderer(train_tokenizer(), is_encoder_decoder=True, decoder_start_id=0, usual_prompt_tokens=20)

    count = count_prompts(renderer, [[question("Short."), question("The old captain painted the boat. " * 20)]])

    assert (count.prompts, count.too_long, count.unusual) == (2, 0, 1)


@pytest.mark.parametrize(("time", "prompts"), [(0, 1), (1, 2), (2, 3), (3, 3), (4, 3), (5, 6), (6, 6)])
def test_count_prompts_stops_after_a_whole_group(renderer, time, prompts):
    left = iter([True] * time)
    groups = [[question(f"{group} {number}") for number in range(3)] for group in ("One", "Two")]

    count = count_prompts(renderer, groups, go_on=lambda: next(left, False))

    assert (count.prompts, count.groups) == (prompts, 2 if prompts == 6 else 1)


def test_count_prompts_of_nothing_is_zero(renderer):
    assert count_prompts(renderer, []) == PromptCount()


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_footprint_is_that_of_the_weights(tmp_path, kind):
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    folder = str(save_model(tmp_path, kind))
    loaded = (AutoModelForSeq2SeqLM if kind == "t5" else AutoModelForCausalLM).from_pretrained(folder)

    footprint = estimate_footprint(EngineSettings("transformers", folder, dtype="bfloat16"), longest=5_000)

    assert footprint.parameters == loaded.num_parameters()
    assert footprint.weight_bytes == 2 * footprint.parameters
    assert footprint.batch_tokens == 5_000


@pytest.mark.parametrize(("writes", "held"), [(False, 2 * 500), (True, 16_384)])
def test_cache_holds_keys_and_values_of_every_layer(writes, held):
    footprint = estimate_footprint(EngineSettings("transformers", DEMO_MODEL), longest=500, writes=writes)

    layers, heads, head_size, float32 = 5, 5, 32, 4
    assert footprint.cache_bytes == 2 * layers * heads * head_size * float32 * held
    assert footprint.batch_tokens == 1024


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_memory_of_a_gpu_that_is_not_here_is_unknown():
    footprint = estimate_footprint(EngineSettings("transformers", DEMO_MODEL, device="cuda:1"), longest=500)

    assert footprint.machine_bytes is None
