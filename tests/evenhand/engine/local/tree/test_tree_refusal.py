import math

import pytest
import torch
import transformers
from transformers import (
    CONFIG_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    BartConfig,
    BartForCausalLM,
    DiffLlamaConfig,
    DiffLlamaForCausalLM,
    RobertaConfig,
    RobertaForCausalLM,
)

from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.tree.tree_refusal import TreeTrial, try_tree
from evenhand.engine.questions.label_tokens import LabelledPrompt
from evenhand.engine.settings import Batching
from tests.evenhand.engine.tiny_models import (
    ATTENTION_ONLY,
    CONTINUED,
    HYBRID,
    OWN_ATTENTION,
    build_family,
    build_model,
    raise_sinks,
)

VOCABULARY = 50
SIZES_BY_LAYER = {
    "gemma3n_text": {"intermediate_size": [64, 128], "laurel_rank": 8, "num_kv_shared_layers": 0},
    "gemma4_text": {"intermediate_size": 64, "global_head_dim": 16},
}
"""Settings of model types whose layers differ in size."""
SHARED = dict.fromkeys([*CONTINUED, *OWN_ATTENTION], Batching.CACHE)
"""How models without a tree share beginnings; the others share none."""
HALF_PRECISION = ["qwen3_5_text", "falcon_h1", "jamba", "mamba", "llama4_text", "lfm2", "gptj"]
"""A model type for each reason to run without a tree."""
DTYPES = [torch.float32, torch.bfloat16, torch.float16]
LEAKS = "its answers would depend on what else is asked"


def prompts_of_two_contexts():
    """Four comparisons of three candidates, with labels of one token and of several."""
    torch.manual_seed(4)
    one, other, *texts = (tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in (20, 13, 9, 12, 6))
    labels = [((3,), (4,)), ((12, 13, 4), (14,))]
    return [
        LabelledPrompt((), context + first + second + (5, 6, 7), *labels[number % 2])
        for number, context in enumerate((one, other))
        for first, second in (texts[1::-1], texts[1:])
    ]


@torch.inference_mode()
def plain_p_first(model, prompt):
    """Return the answer of one plain forward pass for each label."""
    logprobs, seen = [], ()
    for label in (prompt.first_ids, prompt.second_ids):
        ids = prompt.given_ids + label
        if ids[:-1] != seen:  # labels of one token need the same pass
            seen = ids[:-1]
            predicted = model(input_ids=torch.tensor([seen]), use_cache=False).logits[0].float().log_softmax(-1)
        logprobs.append(
            sum(float(predicted[place - 1, ids[place]]) for place in range(len(prompt.given_ids), len(ids)))
        )
    return p_first(*logprobs)


def p_first(first, second):
    return math.exp(first) / (math.exp(first) + math.exp(second))


def answers(judge, prompts):
    return [p_first(*found) for found in judge.score(prompts).values]


@pytest.mark.parametrize(("sharp", "dtype"), [(False, DTYPES[0]), (True, DTYPES[1]), (True, DTYPES[2])], ids=str)
@pytest.mark.parametrize("kind", ATTENTION_ONLY)
def test_try_tree_takes_a_model_in_which_only_attention_joins_tokens(kind, sharp, dtype):
    model = build_family(kind, VOCABULARY, sharp=sharp).to(dtype)

    assert try_tree(model) == TreeTrial()


def shared_by(judge):
    """Return how a judge shares beginnings; None if it does not, however it batches prompts."""
    return judge.batching if judge.batching in (Batching.TREE, Batching.CACHE) else None


@pytest.mark.parametrize("kind", [*ATTENTION_ONLY, *HYBRID, *OWN_ATTENTION])
def test_a_judge_answers_as_plain_transformers_whatever_was_asked_before(kind):
    model = build_family(kind, VOCABULARY, sharp=True)
    prompts = prompts_of_two_contexts()
    expected = pytest.approx([plain_p_first(model, prompt) for prompt in prompts], abs=1e-5)

    judge = CausalModel(model)

    assert shared_by(judge) == (Batching.TREE if kind in ATTENTION_ONLY else SHARED.get(kind))
    assert bool(judge.batching_note) == (kind not in ATTENTION_ONLY)
    assert answers(judge, prompts) == expected
    assert answers(judge, prompts[::-1])[::-1] == expected
    assert [answers(judge, [prompt])[0] for prompt in prompts] == expected


@pytest.mark.parametrize("kind", HALF_PRECISION)
def test_a_judge_without_a_tree_answers_the_same_in_half_precision_whatever_was_asked_before(kind):
    model = build_family(kind, VOCABULARY, sharp=True).to(torch.bfloat16)
    prompts = prompts_of_two_contexts()

    judge = CausalModel(model)
    one_by_one = [answers(judge, [prompt])[0] for prompt in prompts]

    assert shared_by(judge) == SHARED.get(kind)
    assert one_by_one == pytest.approx([plain_p_first(model, prompt) for prompt in prompts], abs=0.01)
    assert one_by_one == [answers(judge, [prompt])[0] for prompt in prompts[::-1]][::-1]


@pytest.mark.parametrize("kind", ["gpt_oss", "mimo_v2_flash"])
def test_a_judge_with_attention_sinks_answers_over_the_tree_as_plain_transformers(kind):
    model = build_family(kind, VOCABULARY)
    raise_sinks(model)
    prompts = prompts_of_two_contexts()

    judge = CausalModel(model)

    assert judge.batching == "prefix tree"
    assert answers(judge, prompts) == pytest.approx([plain_p_first(model, prompt) for prompt in prompts], abs=1e-6)


def build_model_with_sizes_by_layer(kind):
    settings = {
        "vocab_size": VOCABULARY,
        "vocab_size_per_layer_input": VOCABULARY,
        "hidden_size": 32,
        "hidden_size_per_layer_input": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "sliding_window": 16,
        "layer_types": ["sliding_attention", "full_attention"],
        "activation_sparsity_pattern": None,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    torch.manual_seed(1)
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **settings, **SIZES_BY_LAYER[kind])).eval()


@pytest.mark.parametrize("kind", SIZES_BY_LAYER)
def test_judge_whose_layers_differ_in_size_answers_as_plain_transformers(kind):
    if kind not in CONFIG_MAPPING:
        pytest.skip(f"transformers {transformers.__version__} has no {kind}")
    model = build_model_with_sizes_by_layer(kind)
    prompts = prompts_of_two_contexts()

    found = answers(CausalModel(model), prompts)

    assert found == pytest.approx([plain_p_first(model, prompt) for prompt in prompts], abs=1e-5)


def test_try_tree_names_the_layers_that_do_not_attend():
    assert try_tree(build_family("gptj", VOCABULARY)).refused == "2 of its 2 layers do not attend over the tree"
    assert try_tree(build_family("lfm2", VOCABULARY)).refused == "1 of its 2 layers do not attend over the tree"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_refuses_a_state_in_layers_that_also_attend(dtype):
    model = build_family("falcon_h1", VOCABULARY).to(dtype)

    assert try_tree(model).refused == LEAKS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("share", [1e-30, 1e-3])
def test_try_tree_sees_a_leak_of_any_size(share, dtype):
    def add_the_token_before(module, given, made):
        return made + share * made.roll(1, dims=1)

    model = build_model("llama", VOCABULARY).to(dtype)
    model.model.layers[0].mlp.register_forward_hook(add_the_token_before)

    assert try_tree(model).refused == LEAKS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_sees_a_leak_into_tokens_before(dtype):
    def add_the_mean(module, given, made):
        return made + 1e-30 * made.mean(1, keepdim=True)

    model = build_model("llama", VOCABULARY).to(dtype)
    model.model.layers[1].mlp.register_forward_hook(add_the_mean)

    assert try_tree(model).refused == LEAKS


def test_try_tree_sees_a_leak_through_what_tokens_are():
    """A sum over token numbers, in which no NaN shows."""

    def add_the_tokens(module, given, made):
        return made + 1e-3 * given[0].sum()

    model = build_model("llama", VOCABULARY)
    model.get_input_embeddings().register_forward_hook(add_the_tokens)

    assert try_tree(model).refused == LEAKS


def test_try_tree_sees_what_stays_from_one_pass_to_the_next():
    stayed = []

    def add_what_stayed(module, given, made):
        stayed.append(made[:, -1:])
        return made + 1e-6 * stayed[-2] if len(stayed) > 1 else made

    model = build_model("llama", VOCABULARY)
    model.model.layers[0].mlp.register_forward_hook(add_what_stayed)

    assert try_tree(model).refused == LEAKS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_sees_what_a_remembered_beginning_brings_along(dtype):
    stayed = []

    def keep_of_long_passes(module, given, made):
        if made.shape[1] > 30:
            stayed.append(made[:, -1:])
            return made
        return made + 1e-30 * stayed[-1] if stayed else made

    model = build_model("llama", VOCABULARY).to(dtype)
    model.model.layers[0].mlp.register_forward_hook(keep_of_long_passes)

    assert try_tree(model).refused == LEAKS


def test_try_tree_refuses_a_model_that_hides_what_reaches_its_answers():
    def without_nan(module, given, made):
        return made.nan_to_num()

    model = build_model("llama", VOCABULARY)
    model.model.layers[0].mlp.register_forward_hook(without_nan)
    model.model.layers[0].register_forward_hook(without_nan)

    assert try_tree(model).refused == "a changed prompt does not change its answers"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_refuses_a_model_that_counts_positions_itself(dtype):
    small = {"d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 64}
    model = BartForCausalLM(BartConfig(vocab_size=VOCABULARY, is_decoder=True, is_encoder_decoder=False, **small))

    assert try_tree(model.to(dtype).eval()).refused == "the model counts positions itself"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_refuses_other_numbers_than_the_plain_pass_however_small(dtype):
    """RoBERTa counts positions from 2 if they are not passed to it."""
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = RobertaConfig(vocab_size=VOCABULARY, is_decoder=True, **small)

    trial = try_tree(RobertaForCausalLM(config).to(dtype).eval())

    assert trial.refused.startswith("its log-probabilities would differ by 0.")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_refuses_layers_that_attend_twice(dtype):
    config = DiffLlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4
    )

    trial = try_tree(DiffLlamaForCausalLM(config).to(dtype).eval())

    assert trial.refused == "some of its layers attend more than once"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_try_tree_refuses_attention_that_sees_later_tokens(dtype):
    model = build_model("llama", VOCABULARY).to(dtype)
    model.model.layers[0].self_attn.is_causal = False

    assert try_tree(model).refused == "it cannot attend over one (NotSupported: its attention sees later tokens)"


def test_try_tree_leaves_the_model_as_it_was():
    model = build_model("llama", VOCABULARY)
    prompt = prompts_of_two_contexts()[0]
    before = plain_p_first(model, prompt)

    try_tree(model)

    assert plain_p_first(model, prompt) == before
    assert not model.get_input_embeddings()._forward_hooks
