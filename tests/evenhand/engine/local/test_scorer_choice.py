import pytest
from transformers import AutoConfig, AutoModelForCausalLM, BertConfig, BertLMHeadModel

from evenhand.engine import EngineSettings, LoadFailed, load_engine
from evenhand.engine.local import scorer_choice
from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.padded.padded_scorer import PaddedScorer
from evenhand.engine.local.scorer_choice import LengthScorer, choose_scorers
from evenhand.engine.settings import Batching
from tests.evenhand.engine.local.tree.scored_rows import VOCABULARY, one_by_one, rows_of_a_context
from tests.evenhand.engine.tiny_models import build_family, save_model, sharpen

ROWS = rows_of_a_context()[::3]
SPARSE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "index_n_heads": 2,
    "index_head_dim": 16,
    "pad_token_id": 0,
}


def build_sparse(kind, most):
    """A model whose tokens attend to so many chosen tokens at most."""
    config = AutoConfig.for_model(kind, vocab_size=VOCABULARY, index_topk=most, **SPARSE)
    return sharpen(AutoModelForCausalLM.from_config(config))


def near(values):
    return [pytest.approx(one, abs=1e-5) for one in values]


@pytest.mark.parametrize(("kind", "most"), [*(("deepseek_v32", most) for most in (16, 60, 2048)), ("glm_moe_dsa", 60)])
def test_sparse_attention_scores_each_row_as_alone(kind, most, monkeypatch):
    monkeypatch.setattr(scorer_choice, "alone_is_faster", lambda model: False)  # which a busy machine may find
    model = build_sparse(kind, most)

    choice = choose_scorers(model)

    assert choice.labels.score(ROWS).values == near(one_by_one(model, ROWS))
    assert choice.note.endswith(f"; prompts of more than {most} tokens run in batches of equal length")


def test_padding_changes_sparse_attention():
    model = build_sparse("deepseek_v32", 16)

    assert PaddedScorer(model, TokenBudget(4096)).score(ROWS).values != near(one_by_one(model, ROWS))


def test_prompts_run_alone_where_batches_are_slower(monkeypatch):
    monkeypatch.setattr(scorer_choice, "alone_is_faster", lambda model: True)
    model = build_family("jamba", VOCABULARY, sharp=True)

    choice = choose_scorers(model)

    assert choice.batching is Batching.ALONE
    assert choice.note.endswith("; batches are slower here")
    assert choice.labels.score(ROWS).values == one_by_one(model, ROWS)


def test_only_equal_lengths_share_a_batch_where_padding_changes_answers(monkeypatch):
    monkeypatch.setattr(scorer_choice, "alone_is_faster", lambda model: False)
    monkeypatch.setattr(scorer_choice, "padding_problem", lambda model: "padding would change its answers")

    choice = choose_scorers(build_family("jamba", VOCABULARY, sharp=True))

    assert choice.batching is Batching.EQUAL_LENGTHS
    assert choice.note.endswith("; padding would change its answers")


def test_length_scorer_keeps_the_order_and_adds_up_the_tokens():
    model = build_family("llama", VOCABULARY)
    short, long = (PaddedScorer(model, TokenBudget(4096)) for _ in range(2))
    lengths = sorted(len(row.ids) for row in ROWS)

    scored = LengthScorer(lengths[len(ROWS) // 2], short, long).score(ROWS)

    assert scored.values == near(one_by_one(model, ROWS))
    assert scored.computed_tokens == sum(lengths)


def test_model_that_sees_later_tokens_is_refused_when_it_is_loaded(tmp_path):
    folder = save_model(tmp_path, "llama")
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    BertLMHeadModel(BertConfig(vocab_size=400, **small)).save_pretrained(folder)

    with pytest.raises(LoadFailed, match="its attention sees later tokens, so it fills gaps"):
        load_engine(EngineSettings("transformers", str(folder)))
