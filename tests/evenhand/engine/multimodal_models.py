"""Tiny multimodal models with random weights, saved as people save theirs."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMultimodalLM

from tests.evenhand.engine.tiny_models import train_tokenizer

LIST_TEMPLATE = (
    "{% for message in messages %}[{{ message['role'] }}] {% for part in message['content'] %}"
    "{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
"""A chat template that takes lists of parts only."""

_TEXT = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
    "max_position_embeddings": 512,
}
_VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 14,
}
_PATCHES = {
    "depth": 1,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_heads": 2,
    "out_hidden_size": 32,
    "patch_size": 14,
    "fullatt_block_indexes": [0],
    "deepstack_visual_indexes": [0],
    "embed_dim": 32,
    "mlp_ratio": 2,
    "image_size": 28,
}
_ROTATION = {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]}}
_LINEAR = {
    "num_hidden_layers": 4,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
_BY_LAYER = {
    "hidden_size_per_layer_input": 8,
    "sliding_window": 16,
    "layer_types": ["sliding_attention", "full_attention"],
}

MULTIMODAL: dict[str, dict[str, dict[str, object]]] = {
    "mistral3": {
        "text_config": {"model_type": "mistral"},
        "vision_config": {"model_type": "pixtral", **_VISION, "head_dim": 16},
    },
    "llama4": {
        "text_config": {
            "intermediate_size_mlp": 64,
            "num_local_experts": 2,
            "layer_types": ["chunked_attention", "full_attention"],
        },
        "vision_config": {**_VISION, "vision_output_dim": 32, "projector_input_dim": 32, "projector_output_dim": 32},
    },
    "qwen2_vl": {"text_config": _ROTATION, "vision_config": _PATCHES},
    "qwen2_5_vl": {"text_config": _ROTATION, "vision_config": _PATCHES},
    "qwen3_vl": {"text_config": _ROTATION, "vision_config": _PATCHES},
    "qwen3_5": {"text_config": {**_ROTATION, **_LINEAR}, "vision_config": _PATCHES},
    "glm4v": {
        "text_config": {"rope_parameters": {**_ROTATION["rope_parameters"], "partial_rotary_factor": 1.0}},
        "vision_config": _PATCHES,
    },
    "mllama": {
        "text_config": {"num_hidden_layers": 4, "cross_attention_layers": [1, 3]},
        "vision_config": {
            **_VISION,
            "attention_heads": 2,
            "num_global_layers": 1,
            "vision_output_dim": 96,
            "intermediate_layers_indices": [0],
            "supported_aspect_ratios": [[1, 1]],
            "max_num_tiles": 1,
        },
    },
    "internvl": {
        "text_config": {"model_type": "qwen2"},
        "vision_config": {**_VISION, "image_size": [28, 28], "patch_size": [14, 14]},
    },
    "gemma3": {"text_config": {"sliding_window": 16}, "vision_config": _VISION},
    "gemma4": {"text_config": {**_BY_LAYER, "global_head_dim": 16}, "vision_config": _VISION},
}
"""Settings of the parts of multimodal model types."""


def save_multimodal(folder: Path, kind: str, *, processor_template: str = "", **tokenizer_options: object) -> Path:
    """Save a model of several parts. processor_template: a chat template in the file of the processor."""
    tokenizer = train_tokenizer(**tokenizer_options)
    parts = MULTIMODAL[kind]
    text = {**_TEXT, "vocab_size": len(tokenizer), **parts["text_config"]}
    if kind == "gemma4":
        text["vocab_size_per_layer_input"] = len(tokenizer)
    torch.manual_seed(1)
    config = AutoConfig.for_model(kind, text_config=text, vision_config=parts["vision_config"])
    AutoModelForMultimodalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if processor_template:
        (folder / "chat_template.json").write_text(json.dumps({"chat_template": processor_template}))
    return folder


def save_gemma3n(folder: Path) -> Path:
    """Save a Gemma 3n as published: its text part with a vision tower, which needs the packages timm and Pillow."""
    tokenizer = train_tokenizer()
    text = {**_TEXT, **_BY_LAYER, "vocab_size": len(tokenizer), "vocab_size_per_layer_input": len(tokenizer)}
    text |= {"laurel_rank": 8, "num_kv_shared_layers": 0, "activation_sparsity_pattern": None}
    config = AutoConfig.for_model("gemma3n", text_config={**text, "intermediate_size": [64, 64]})
    config.architectures = ["Gemma3nForConditionalGeneration"]
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(config.text_config)
    weights = {name: one for name, one in model.state_dict().items() if name != "lm_head.weight"}
    renamed = {name.replace("model.", "model.language_model.", 1): one.contiguous() for name, one in weights.items()}
    folder.mkdir(exist_ok=True)
    save_file(renamed | {"model.vision_tower.weight": torch.ones(2)}, folder / "model.safetensors", {"format": "pt"})
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
