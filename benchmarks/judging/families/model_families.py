"""Model families by their configuration in transformers, in one small size."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.judging.prompts import VOCABULARY

LAYERS = 4
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
HEAD = {"head_dim": 64}
EXPERTS = {"num_experts": 8, "num_local_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 128}
ROUTED = {"n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 128}
GROUPS = {"n_group": 1, "topk_group": 1, "first_k_dense_replace": 1}
LATENT = {
    "q_lora_rank": 64,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 32,
    "v_head_dim": 64,
    "num_key_value_heads": 4,
}
WINDOW = {"sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"] * (LAYERS // 2)}
LINEAR = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 64,
    "linear_value_head_dim": 64,
}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 64, "mamba_d_state": 32, "mamba_n_groups": 1, "mamba_chunk_size": 64}
ROTATION = {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}}
LONG_ROTATION = {
    "rope_parameters": {
        "rope_type": "longrope",
        "rope_theta": 10_000.0,
        "short_factor": [1.0] * 32,
        "long_factor": [4.0] * 32,
        "original_max_position_embeddings": 2048,
    }
}
OWN_NAMES = {"n_embd": 256, "n_layer": LAYERS, "n_head": 4, "n_positions": 4096}


@dataclass(frozen=True)
class Family:
    """A model type of transformers.

    models: published ones. settings: in addition to SMALL. wanted: least speed ratio.
    is_slow: its layers take minutes without a GPU's kernels, so it is asked fewer prompts.
    """

    model_type: str
    models: str
    settings: Mapping[str, object] = field(default_factory=dict)
    wanted: float | None = None
    is_slow: bool = False


FAMILIES = (
    Family("llama", "Llama 2 and 3, Vicuna, Yi, Tülu"),
    Family("mistral", "Mistral 7B, Prometheus 2", {"sliding_window": 128}),
    Family("ministral3", "Ministral 3", HEAD),
    Family("mixtral", "Mixtral", EXPERTS),
    Family("qwen2", "Qwen 2 and 2.5, DeepSeek-R1 distilled"),
    Family("qwen2_moe", "Qwen 2 MoE", {**EXPERTS, "shared_expert_intermediate_size": 256}),
    Family("qwen3", "Qwen 3", HEAD),
    Family("qwen3_moe", "Qwen 3 MoE", EXPERTS | HEAD),
    Family("gemma", "Gemma", HEAD),
    Family("gemma2", "Gemma 2", {**HEAD, **WINDOW, "query_pre_attn_scalar": 64}),
    Family("gemma3_text", "Gemma 3", {**HEAD, **WINDOW, "query_pre_attn_scalar": 64}),
    Family(
        "gemma3n_text",
        "Gemma 3n",
        {
            **HEAD,
            **WINDOW,
            "vocab_size_per_layer_input": VOCABULARY,
            "hidden_size_per_layer_input": 32,
            "laurel_rank": 16,
            "num_kv_shared_layers": 0,
            "intermediate_size": [512] * LAYERS,
            "activation_sparsity_pattern": None,
        },
    ),
    Family(
        "gemma4_text",
        "Gemma 4",
        {
            **HEAD,
            **WINDOW,
            "vocab_size_per_layer_input": VOCABULARY,
            "hidden_size_per_layer_input": 32,
            "global_head_dim": 128,
        },
    ),
    Family("phi", "Phi 1 and 2", {"num_key_value_heads": 4}),
    Family("phi3", "Phi 3 and 4", ROTATION),
    Family("phi3", "Phi 3.5, Phi 4 mini (longrope)", LONG_ROTATION),
    Family("phimoe", "Phi 3.5 MoE", {**EXPERTS, **ROTATION}),
    Family("gpt2", "GPT-2", OWN_NAMES),
    Family("gpt_neox", "Pythia, Dolly"),
    Family("gpt_neo", "GPT-Neo", {"num_layers": LAYERS, "num_heads": 4, "attention_types": [[["global", "local"], 2]]}),
    Family("gptj", "GPT-J", {**OWN_NAMES, "rotary_dim": 32}),
    Family("gpt_bigcode", "StarCoder", OWN_NAMES),
    Family("opt", "OPT", {"ffn_dim": 512, "word_embed_proj_dim": 256}),
    Family("bloom", "BLOOM", {"n_layer": LAYERS, "n_head": 4}),
    Family("stablelm", "StableLM"),
    Family("starcoder2", "StarCoder 2"),
    Family("olmo", "OLMo"),
    Family("olmo2", "OLMo 2"),
    Family("olmo3", "OLMo 3", WINDOW),
    Family("olmoe", "OLMoE", EXPERTS),
    Family("granite", "Granite 3"),
    Family("granitemoe", "Granite 3 MoE", EXPERTS),
    Family(
        "granitemoehybrid",
        "Granite 4",
        {**MAMBA, **EXPERTS, "layer_types": ["mamba", "mamba", "mamba", "attention"], "shared_intermediate_size": 256},
    ),
    Family("cohere", "Command R"),
    Family("cohere2", "Command R7B, Command A", WINDOW),
    Family("deepseek_v2", "DeepSeek V2", {**LATENT, **ROUTED, **GROUPS, "head_dim": 32}),
    Family("deepseek_v3", "DeepSeek V3, R1, Kimi K2", {**LATENT, **ROUTED, **GROUPS, "head_dim": 32}),
    Family(
        "deepseek_v32",
        "DeepSeek V3.2",
        {**LATENT, **ROUTED, **GROUPS, "index_topk": 128, "index_n_heads": 4, "index_head_dim": 64},
        is_slow=True,
    ),
    Family("glm", "GLM 4 9B", HEAD),
    Family("glm4", "GLM 4 0414", HEAD),
    Family("glm4_moe", "GLM 4.5, 4.6 and 4.7", {**ROUTED, **GROUPS, **HEAD}),
    Family(
        "glm_moe_dsa",
        "GLM 5",
        {**LATENT, **ROUTED, **GROUPS, "index_topk": 128, "index_n_heads": 4, "index_head_dim": 64},
        is_slow=True,
    ),
    Family("gpt_oss", "gpt-oss", {**HEAD, **WINDOW, **ROTATION, **EXPERTS, "intermediate_size": 256}, wanted=4.0),
    Family(
        "mimo_v2_flash",
        "MiMo V2 Flash",
        {
            **HEAD,
            **WINDOW,
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 128,
            "v_head_dim": 48,
        },
    ),
    Family("qwen3_next", "Qwen 3 Next", {**LINEAR, **EXPERTS, **HEAD, "shared_expert_intermediate_size": 128}),
    Family("qwen3_5_text", "Qwen 3.5", LINEAR | HEAD, wanted=3.0),
    Family("qwen3_5_moe_text", "Qwen 3.5 MoE", {**LINEAR, **EXPERTS, **HEAD, "shared_expert_intermediate_size": 128}),
    Family(
        "llama4_text",
        "Llama 4",
        {
            **HEAD,
            **EXPERTS,
            "intermediate_size_mlp": 512,
            "layer_types": ["chunked_attention"] * 3 + ["full_attention"],
            "attention_chunk_size": 256,
        },
    ),
    Family("falcon_h1", "Falcon H1", {**MAMBA, "mamba_d_ssm": 512}),
    Family("lfm2", "LFM 2", {"block_auto_adjust_ff_dim": False, "layer_types": ["conv", "full_attention"] * 2}),
    Family(
        "lfm2_moe",
        "LFM 2 MoE",
        {**EXPERTS, "layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1},
    ),
    Family("bamba", "Bamba", {**MAMBA, "attn_layer_indices": [1, 3]}),
    Family(
        "jamba",
        "Jamba",
        {
            "num_experts": 2,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "mamba_d_state": 16,
            "mamba_dt_rank": 16,
            "use_mamba_kernels": False,
        },
        is_slow=True,
    ),
    Family(
        "nemotron_h",
        "Nemotron H and Nano 2",
        {
            **HEAD,
            "mamba_num_heads": 8,
            "mamba_head_dim": 64,
            "ssm_state_size": 32,
            "n_groups": 1,
            "chunk_size": 64,
            "hybrid_override_pattern": "M*M-",
        },
    ),
    Family("olmo_hybrid", "OLMo Hybrid"),
    Family("minimax", "MiniMax Text 01", {**HEAD, "num_local_experts": 4, "block_size": 64}),
    Family("minimax_m2", "MiniMax M2", {**HEAD, **EXPERTS, "rotary_dim": 32}),
    Family("recurrent_gemma", "RecurrentGemma", {"lru_width": 256, "attention_window_size": 128, **HEAD}),
    Family("mamba", "Mamba", {"state_size": 16}, is_slow=True),
    Family("mamba2", "Mamba 2", {"num_heads": 8, "head_dim": 64, "state_size": 32, "n_groups": 1, "chunk_size": 64}),
    Family("smollm3", "SmolLM 3"),
    Family("seed_oss", "Seed OSS", HEAD),
    Family("exaone4", "EXAONE 4", WINDOW),
    Family("ernie4_5", "ERNIE 4.5", HEAD),
    Family("hunyuan_v1_dense", "Hunyuan", HEAD | ROTATION),
    Family("apertus", "Apertus"),
    Family("arcee", "Arcee AFM"),
    Family("bitnet", "BitNet"),
    Family("nanochat", "nanochat"),
)
