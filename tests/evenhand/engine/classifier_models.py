"""Tiny sequence classifiers with random weights, saved as people save theirs."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from tests.evenhand.engine.tiny_models import train_tokenizer

_SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
CLASSIFIERS: dict[str, dict[str, object]] = {
    "bert": {**_SMALL, "max_position_embeddings": 128},
    "llama": {**_SMALL, "num_key_value_heads": 2, "max_position_embeddings": 128},
}
"""Settings of classifiers that see later tokens (bert), and of those that read the last token (llama)."""


def save_classifier(
    folder: Path, kind: str, *, labels: int = 1, padding: bool = True, **tokenizer_options: object
) -> Path:
    """Save a classifier with so many labels. padding: whether its configuration names a padding token."""
    tokenizer = train_tokenizer(**tokenizer_options)
    ends = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0 if padding else None}
    config = AutoConfig.for_model(kind, vocab_size=len(tokenizer), num_labels=labels, **CLASSIFIERS[kind], **ends)
    torch.manual_seed(1)
    model = AutoModelForSequenceClassification.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(4.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
