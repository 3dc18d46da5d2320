"""Tiny models with random weights and tokenizers trained on the spot, saved as people save theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    CONFIG_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

_SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
_ENDS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_LINEAR = {
    "num_hidden_layers": 4,  # the fourth attends, the others carry a state
    "head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
_MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 16}

ATTENTION_ONLY: dict[str, dict[str, object]] = {
    "llama": _SMALL,
    "mistral": {**_SMALL, "sliding_window": 16},
    "qwen2": _SMALL,
    "qwen3": {**_SMALL, "head_dim": 8},
    "qwen3_moe": {**_SMALL, **_EXPERTS, "head_dim": 8},
    "gemma2": {**_SMALL, "head_dim": 8, "sliding_window": 16, "query_pre_attn_scalar": 8},
    "gemma3_text": {
        **_SMALL,
        "head_dim": 8,
        "sliding_window": 16,
        "query_pre_attn_scalar": 8,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "phi": {**_SMALL, "num_key_value_heads": 4},
    "gpt_neox": _SMALL,
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4},
    "opt": {**_SMALL, "ffn_dim": 64, "word_embed_proj_dim": 32},
    "gpt_oss": {
        **_SMALL,
        "head_dim": 8,
        "sliding_window": 16,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
    },
    "mimo_v2_flash": {
        **_SMALL,
        "head_dim": 8,
        "v_head_dim": 6,
        "sliding_window": 16,
        "layer_types": ["full_attention", "sliding_attention"],
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 16,
    },
}
"""Model types in which only attention carries anything from token to token, by their settings."""

HYBRID: dict[str, dict[str, object]] = {
    "qwen3_5_text": {**_SMALL, **_LINEAR},
    "qwen3_next": {**_SMALL, **_LINEAR, **_EXPERTS, "shared_expert_intermediate_size": 16},
    "falcon_h1": {**_SMALL, **_MAMBA, "mamba_d_ssm": 64},
    "jamba": {
        **_SMALL,
        "num_experts": 2,
        "attn_layer_period": 2,
        "attn_layer_offset": 1,
        "mamba_d_state": 8,
        "mamba_dt_rank": 4,
        "use_mamba_kernels": False,
    },
    "llama4_text": {
        **_SMALL,
        "head_dim": 8,
        "intermediate_size_mlp": 64,
        "num_local_experts": 2,
        "attention_chunk_size": 32,
        "layer_types": ["chunked_attention", "full_attention"],
    },
    "olmo_hybrid": {**_SMALL, "num_hidden_layers": 4},
    "mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8},
    "lfm2": {**_SMALL, "block_auto_adjust_ff_dim": False, "layer_types": ["conv", "full_attention"]},
    "bamba": {**_SMALL, **_MAMBA, "attn_layer_indices": [1]},
    "granitemoehybrid": {**_SMALL, **_MAMBA, "layer_types": ["mamba", "attention"], "num_local_experts": 2},
    "recurrent_gemma": {**_SMALL, "num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 16},
}
"""Model types with recurrent or convolution layers, or with attention in chunks."""

INEXACT = ("bamba", "jamba", "mamba")
"""Hybrid model types whose cache cannot be continued by several tokens without another result."""

CONTINUED = tuple(kind for kind in HYBRID if kind not in (*INEXACT, "recurrent_gemma"))
"""Hybrid model types whose cache can be continued exactly."""

OWN_ATTENTION: dict[str, dict[str, object]] = {
    "bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "gptj": {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4},
    "gpt_neo": {"hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]]},
}
"""Model types whose attention cannot be replaced."""

CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
CORPUS = [
    "Summary A: The old captain painted the boat at the pier.\n\nSummary B: The boat was painted.\n\n",
    "Which Summary is more coherent, Summary A or Summary B? Summary A Summary B",
    "Output (a) is better than Output (b), said the young teacher in the hall.",
] * 20


def train_tokenizer(
    *,
    opening: str = "",
    closing: str = "",
    merges: bool = True,
    chat_template: str = "",
    limit: int | None = None,
    corpus: Sequence[str] = (),
    size: int = 400,
) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer. opening, closing: special tokens around a text. merges: whether it knows words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<pad>", "<s>", "</s>"]
    size = size if merges else len(alphabet) + len(special)
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([*CORPUS, *corpus], trainer)
    around = " ".join(part for part in (opening, "$A", closing) if part)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=around, special_tokens=[(token, tokenizer.token_to_id(token)) for token in special]
    )
    options = {} if limit is None else {"model_max_length": limit}
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", **options
    )
    fast.chat_template = chat_template or None
    return fast


def build_model(kind: str, vocabulary: int, *, window: int = 512) -> PreTrainedModel:
    """A model of a kind with random weights, large enough that probabilities are far from equal."""
    torch.manual_seed(1)
    if kind in ATTENTION_ONLY:
        return build_family(kind, vocabulary, sharp=True, max_position_embeddings=window)
    if kind == "t5":
        sizes = {"d_model": 32, "d_kv": 8, "num_heads": 4, "d_ff": 64, "num_layers": 2}
        more = {"pad_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 0}
        model = T5ForConditionalGeneration(T5Config(vocab_size=vocabulary, **sizes, **more))
    else:
        model = BartForConditionalGeneration(_bart_config(vocabulary, window))
    return sharpen(model)


def build_family(kind: str, vocabulary: int, *, sharp: bool = False, **changes: object) -> PreTrainedModel:
    """A model of a model type, with the random weights that transformers gives it. sharp: weights four times as large.

    Skips the test where the installed transformers does not have the model type.
    """
    if kind not in CONFIG_MAPPING:
        pytest.skip(f"transformers {transformers.__version__} has no {kind}")
    settings = {**ATTENTION_ONLY, **HYBRID, **OWN_ATTENTION}[kind] | _ENDS | changes
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, vocab_size=vocabulary, **settings))
    return sharpen(model) if sharp else model.eval()


def raise_sinks(model: PreTrainedModel) -> None:
    """Give attention sinks scores around 2, so that they take most of the attention."""
    torch.manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("sinks"):
                parameter.normal_(2.0, 1.0)


def _bart_config(vocabulary: int, window: int) -> BartConfig:
    parts = {"layers": 2, "attention_heads": 4, "ffn_dim": 64}
    sizes = {f"{side}_{name}": size for side in ("encoder", "decoder") for name, size in parts.items()}
    more = {"max_position_embeddings": window, "decoder_start_token_id": 2, "forced_eos_token_id": None}
    return BartConfig(vocab_size=vocabulary, d_model=32, **sizes, **more, **_ENDS)


def sharpen(model: PreTrainedModel) -> PreTrainedModel:
    """Weights four times the usual size: the prompt then decides the answer, not the bias of a flat model."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "relative_attention_bias" not in name:
                parameter.mul_(1.5 if model.config.model_type == "t5" else 4.0)
    return model.eval()


def save_model(folder: Path, kind: str, *, window: int = 512, **tokenizer_options: object) -> Path:
    """A folder as `save_pretrained` leaves it."""
    tokenizer = train_tokenizer(**tokenizer_options)
    build_model(kind, len(tokenizer), window=window).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_mxfp4(folder: Path) -> Path:
    """A gpt-oss as published, with the weights of its experts in MXFP4: blocks of 32 numbers with one scale each."""
    tokenizer = train_tokenizer()
    settings = {**ATTENTION_ONLY["gpt_oss"], "hidden_size": 64, "pad_token_id": 0, "eos_token_id": 2}
    config = AutoConfig.for_model("gpt_oss", vocab_size=len(tokenizer), **settings)
    torch.manual_seed(1)
    weights = {}
    for name, one in AutoModelForCausalLM.from_config(config).state_dict().items():
        if not name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            weights[name] = one.to(torch.bfloat16).contiguous()
            continue
        experts, width, outputs = one.shape
        shape = (experts, outputs, width // 32)
        weights[f"{name}_blocks"] = torch.randint(0, 255, (*shape, 16), dtype=torch.uint8)
        weights[f"{name}_scales"] = torch.randint(118, 124, shape, dtype=torch.uint8)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    named = {"architectures": ["GptOssForCausalLM"], "quantization_config": {"quant_method": "mxfp4"}}
    (folder / "config.json").write_text(json.dumps(config.to_dict() | named))
    tokenizer.save_pretrained(folder)
    return folder
