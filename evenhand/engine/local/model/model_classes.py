"""Choose the class of transformers that loads a model: language models, and the text part of multimodal ones."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMultimodalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.models.auto import modeling_auto

# Names of weights in a multimodal model -> in its text part alone.
TEXT_WEIGHTS = {
    r"^model\.language_model\.": "model.",
    r"^language_model\.model\.": "model.",
    r"^language_model\.lm_head\.": "lm_head.",
}
_TEXT_PARTS = ("language_model", "lm_head")


def model_class(config: PreTrainedConfig) -> Any:  # noqa: ANN401 - the Auto classes have no common base
    """Return the Auto class for a configuration."""
    if classifier_architecture(config):
        return AutoModelForSequenceClassification
    if config.is_encoder_decoder:
        return AutoModelForSeq2SeqLM
    return AutoModelForMultimodalLM if _is_multimodal(config) else AutoModelForCausalLM


def classifier_architecture(config: PreTrainedConfig) -> str:
    """Return the first sequence classifier among the architectures of a configuration; empty if there is none."""
    known = _names(modeling_auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES)
    return next((name for name in config.architectures or [] if name in known), "")


def foreign_architecture(config: PreTrainedConfig) -> str:
    """Return the first architecture in a configuration that writes no text; empty if there is none."""
    if config.is_encoder_decoder:
        known = _names(modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)
    else:
        known = _causal_names() | _multimodal_names()
    return next((name for name in config.architectures or [] if name not in known), "")


def has_text_class(config: PreTrainedConfig) -> bool:
    """Return True if the text part of a multimodal model has a class of its own, which can be loaded alone."""
    text = config.get_text_config()
    return text is not config and type(text) in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING


def model_without_weights(config: PreTrainedConfig) -> PreTrainedModel:
    """Return the model of a configuration on the meta device, where tensors have a shape and no numbers."""
    with torch.device("meta"):
        try:
            model: PreTrainedModel = model_class(config).from_config(config)
        except ImportError:  # a package for images is missing
            if not has_text_class(config):
                raise
            model = AutoModelForCausalLM.from_config(config.get_text_config())
    return model


def keep_text_part(model: PreTrainedModel) -> None:
    """Remove the parts of a multimodal model that read images, sound or video, to free their memory.

    Parts without which the model reads no text are put back.
    """
    removed = list(_other_parts(model))
    for parent, name, _ in removed:
        setattr(parent, name, None)
    if not _reads_text(model):
        for parent, name, part in removed:
            setattr(parent, name, part)


def _other_parts(model: PreTrainedModel) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    """Yield the parts next to the language model, with their parent and name; none for a language model."""
    parents = [one for one in (model, getattr(model, "model", None)) if isinstance(one, nn.Module)]
    for parent in parents:
        parts = dict(parent.named_children())
        if "language_model" in parts:
            yield from ((parent, name, part) for name, part in parts.items() if name not in _TEXT_PARTS)


@torch.inference_mode()
def _reads_text(model: PreTrainedModel) -> bool:
    try:
        model(input_ids=torch.tensor([[1, 2]], device=model.device), use_cache=False)
    except Exception:  # an unknown architecture may raise anything
        return False
    return True


def _is_multimodal(config: PreTrainedConfig) -> bool:
    named = set(config.architectures or [])
    return bool(named & _multimodal_names()) and not named & _causal_names()


def _causal_names() -> set[str]:
    return _names(modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


def _multimodal_names() -> set[str]:
    return _names(modeling_auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES)


def _names(mapping: Mapping[str, str | tuple[str, ...]]) -> set[str]:
    return {name for value in mapping.values() for name in ([value] if isinstance(value, str) else value)}
