"""Tiny GGUF files with random weights, as the package gguf writes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, train_tokenizer

WIDTH, INNER, HEADS, LAYERS = 32, 64, 4, 2
BLOCK = {
    **{f"attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")},
    "ffn_gate": (INNER, WIDTH),
    "ffn_up": (INNER, WIDTH),
    "ffn_down": (WIDTH, INNER),
}


def save_gguf(file: Path, *, quantisation: str = "Q8_0", architecture: str = "llama", **values: object) -> Path:
    """A Llama of two layers with a tokenizer. values: further values of the header, such as split.count."""
    writer = GGUFWriter(file, architecture)
    _add_header(writer)
    for key, value in values.items():
        add = writer.add_uint32 if isinstance(value, int) else writer.add_string
        add(key.replace("__", "."), value)
    tokens = _add_tokenizer(writer)
    _add_weights(writer, tokens, GGMLQuantizationType[quantisation])
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        write()
    writer.close()
    return file


def _add_header(writer: GGUFWriter) -> None:
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_freq_base(10_000.0)
    writer.add_layer_norm_rms_eps(1e-5)


def _add_tokenizer(writer: GGUFWriter) -> int:
    """Return the number of tokens."""
    model = json.loads(train_tokenizer().backend_tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token in ("<pad>", "<s>", "</s>") else 1 for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_chat_template(CHAT_TEMPLATE)
    return len(tokens)


def _add_weights(writer: GGUFWriter, tokens: int, kind: GGMLQuantizationType) -> None:
    rng = np.random.default_rng(1)
    shapes = {"token_embd": (tokens, WIDTH), "output": (tokens, WIDTH)}
    shapes |= {f"blk.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in BLOCK.items()}
    for name, shape in shapes.items():
        weights = quantize(rng.normal(0, 0.2, shape).astype(np.float32), kind)
        writer.add_tensor(f"{name}.weight", weights, raw_dtype=kind)
    norms = ["output_norm", *(f"blk.{layer}.{name}_norm" for layer in range(LAYERS) for name in ("attn", "ffn"))]
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
