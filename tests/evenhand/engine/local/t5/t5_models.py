"""Tiny T5 models of three kinds with random weights."""

import torch

VOCABULARY = 60
SMALL = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "d_kv": 8,
    "num_heads": 3,
    "d_ff": 48,
    "num_layers": 2,
    "decoder_start_token_id": 0,
}
GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
KINDS = ("T5 1.0", "T5 1.1", "mT5")


def build(kind):
    """Build a model whose answers depend on the prompt and on the distances in it."""
    from transformers import MT5Config, MT5ForConditionalGeneration, T5Config, T5ForConditionalGeneration

    torch.manual_seed(4)
    if kind == "T5 1.0":
        model = T5ForConditionalGeneration(T5Config(**SMALL))
    elif kind == "T5 1.1":
        model = T5ForConditionalGeneration(T5Config(**SMALL, **GATED))
    else:
        model = MT5ForConditionalGeneration(MT5Config(**SMALL, **GATED))
    for name, parameter in model.eval().named_parameters():
        if "relative_attention_bias" in name or "layer_norm" not in name:
            parameter.data = torch.randn(parameter.shape) * (1.0 if "bias" in name else 0.25)
    return model
