import pytest
import torch
from transformers import Phi3Config, Phi3ForCausalLM, Qwen2MoeConfig, Qwen2MoeForCausalLM

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.padded.padded_scorer import PaddedScorer
from evenhand.engine.local.tree import attention_kernels, attention_parts
from evenhand.engine.local.tree.attention_kernels import KernelChoice
from evenhand.engine.local.tree.tree_attention import NotSupported, attend_over_tree
from evenhand.engine.local.tree.tree_refusal import TreeTrial, try_tree
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.questions.label_tokens import LabelledPrompt
from evenhand.engine.settings import Batching
from tests.evenhand.engine.local.tree.scored_rows import VOCABULARY, one_by_one, rows_of_a_context, scored_alone
from tests.evenhand.engine.tiny_models import build_model

KINDS = ["llama", "mistral", "qwen2", "gemma2", "gpt2"]
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
}


@pytest.fixture(scope="module")
def rows():
    return rows_of_a_context()


@pytest.mark.parametrize("budget", [4096, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_over_their_tree_score_as_each_does_alone(kind, budget, rows):
    model = build_model(kind, VOCABULARY)

    scored = TreeScorer(model, TokenBudget(budget)).score(rows)

    assert try_tree(model) == TreeTrial()
    assert scored.values == scored_alone(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_padded_batches_score_as_each_does_alone(kind, rows):
    model = build_model(kind, VOCABULARY)

    scored = PaddedScorer(model, TokenBudget(400)).score(rows)

    assert scored.values == scored_alone(kind)
    assert scored.computed_tokens == sum(len(row.ids) for row in rows)


def test_attention_spelled_out_piece_by_piece_scores_the_same(rows, monkeypatch):
    model = build_model("qwen2", VOCABULARY)
    monkeypatch.setattr(attention_kernels, "_chosen", lambda _: KernelChoice(None))
    monkeypatch.setattr(attention_parts, "MOST_SCORES", 64)

    assert TreeScorer(model, TokenBudget(60)).score(rows).values == scored_alone("qwen2")


def test_a_model_whose_kernels_are_refused_says_so(monkeypatch):
    monkeypatch.setattr(
        attention_kernels, "_chosen", lambda _: KernelChoice(None, "flash attention: results differ by 2")
    )

    judge = CausalModel(build_model("llama", VOCABULARY))

    assert judge.batching is Batching.TREE
    assert judge.batching_note == "attention in plain operations: flash attention: results differ by 2"


def test_what_rows_share_is_computed_once(rows):
    scored = TreeScorer(build_model("llama", VOCABULARY), TokenBudget(40)).score(rows)

    distinct_beginnings = {row.ids[:end] for row in rows for end in range(1, len(row.ids) + 1)}
    assert len(distinct_beginnings) <= scored.computed_tokens < 1.2 * len(distinct_beginnings)
    assert scored.computed_tokens < sum(len(row.ids) for row in rows) / 3


@pytest.mark.parametrize("kind", KINDS)
def test_rows_asked_in_several_calls_score_as_each_does_alone(kind, rows):
    model = build_model(kind, VOCABULARY)
    scorer = TreeScorer(model, TokenBudget(60))

    calls = [scorer.score(rows[place : place + 5]) for place in range(0, len(rows), 5)]

    assert [value for call in calls for value in call.values] == scored_alone(kind)


def test_what_rows_share_with_the_row_asked_before_is_not_computed_again(rows):
    together = TreeScorer(build_model("llama", VOCABULARY), TokenBudget(4096))
    scorer = TreeScorer(build_model("llama", VOCABULARY), TokenBudget(4096))

    computed = sum(scorer.score([row]).computed_tokens for row in rows)

    assert computed < 1.3 * together.score(rows).computed_tokens


def test_the_same_row_again_costs_its_last_token_alone(rows):
    (row,) = [row for row in rows if len(row.labels) == 2][:1]
    scorer = TreeScorer(build_model("llama", VOCABULARY), TokenBudget(4096))

    first, again = scorer.score([row]), scorer.score([row])

    assert (first.computed_tokens, again.computed_tokens) == (len(row.ids), 1)
    assert again.values == [pytest.approx(first.values[0], abs=1e-5)]


def test_rows_lost_for_lack_of_memory_are_not_remembered(rows):
    model = build_model("llama", VOCABULARY)
    scorer = TreeScorer(model, TokenBudget(4096))

    def run_out(module, given, named):
        raise torch.OutOfMemoryError

    hook = model.register_forward_pre_hook(run_out, with_kwargs=True)
    lost = scorer.score(rows[:3])
    hook.remove()
    scored = scorer.score(rows[:3])

    assert (lost.values, lost.computed_tokens) == ([None] * 3, 0)
    assert scored.values == scored_alone("llama")[:3]


def test_a_model_is_left_as_it_was(rows):
    model = build_model("llama", VOCABULARY)
    before = (model.config._attn_implementation, one_by_one(model, rows[:2]))

    CausalModel(model).score([])
    TreeScorer(model, TokenBudget(40)).score(rows)

    assert (model.config._attn_implementation, one_by_one(model, rows[:2])) == before


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_rows_over_their_tree_stay_near_in_a_smaller_dtype(dtype, rows):
    model = build_model("llama", VOCABULARY).to(dtype)

    scored = TreeScorer(model, TokenBudget(40)).score(rows)

    expected = torch.tensor([sum(values) for values in one_by_one(model, rows)])
    assert (torch.tensor([sum(values) for values in scored.values]) - expected).abs().mean() < 0.2


@pytest.mark.parametrize("longest", [50, 60, 1000])
def test_prompts_beyond_the_length_that_changes_their_rotation_score_as_each_does_alone(longest, rows):
    rotation = {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [4.0] * 4, "rope_theta": 10_000.0}
    rotation["original_max_position_embeddings"] = longest
    model = Phi3ForCausalLM(Phi3Config(**SMALL, pad_token_id=0, max_position_embeddings=2000, rope_parameters=rotation))
    prompts = [LabelledPrompt((), row.ids, (3,), (4,)) for row in rows]

    judge = CausalModel(model.eval())
    scored = judge.score(prompts)

    assert judge.batching is Batching.TREE
    alone = one_by_one(model, [row for prompt in prompts for row in prompt.rows()])
    assert scored.values == [pytest.approx(values, abs=1e-5) for values in alone]


def test_tree_is_refused_when_attention_does_not_get_the_window():
    config = Qwen2MoeConfig(
        **SMALL,
        use_sliding_window=True,
        sliding_window=64,
        max_window_layers=2,
        num_experts=2,
        num_experts_per_tok=1,
        moe_intermediate_size=8,
        shared_expert_intermediate_size=8,
    )

    assert try_tree(Qwen2MoeForCausalLM(config).eval()).refused == "its sliding window is unknown to its attention"


def test_tree_is_refused_when_numbers_differ():
    def count_from_the_row(module, given, named):
        return given, {"position_ids": torch.arange(given[0].shape[1])[None]}

    model = build_model("llama", VOCABULARY)
    model.model.rotary_emb.register_forward_pre_hook(count_from_the_row, with_kwargs=True)

    assert try_tree(model).refused.startswith("its log-probabilities would differ by ")


def test_attention_with_unknown_options_is_refused():
    states = torch.ones(1, 1, 2, 4)

    with pytest.raises(NotSupported, match="its attention asks for bias"):
        attend_over_tree(torch.nn.Identity(), states, states, states, None, bias=torch.ones(1))


def test_tree_is_refused_when_attention_cannot_be_replaced():
    model = build_model("llama", VOCABULARY)
    del model.model.layers[0].self_attn.layer_idx

    assert try_tree(model).refused.startswith("it cannot attend over one (AttributeError: ")
