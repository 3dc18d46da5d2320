"""Measure one model family: our judge, one prompt at a time, and the usual padded batches."""

import math
import time
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from benchmarks.judging.families.family_line import FamilyLine
from benchmarks.judging.families.model_families import SMALL, Family
from benchmarks.judging.peers import BATCH, left_padded, p_first
from benchmarks.judging.prompts import SUMMEVAL, prompts
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.model.model_traits import takes_input
from evenhand.engine.questions.label_tokens import LabelledPrompt

PROMPTS_OF_SLOW = 32


def measured_family(family: Family, dtype: torch.dtype) -> FamilyLine:
    """Ask our judge all prompts, and the peers as many from the middle as a batch holds."""
    every = prompts(SUMMEVAL)
    asked = every[_middle(len(every), PROMPTS_OF_SLOW if family.is_slow else len(every))]
    middle = _middle(len(asked), BATCH)
    judge = CausalModel(random_family(family, dtype))
    started = time.process_time()
    scored = judge.score(asked)
    seconds = (time.process_time() - started) / len(asked)
    ours = [1 / (1 + math.exp(values[1] - values[0])) for values in scored.values[middle]]
    model = random_family(family, dtype)
    alone = [probability for prompt in asked[middle] for probability in batch_probabilities(model, [prompt])]
    started = time.process_time()
    padded = batch_probabilities(model, asked[middle])
    their_seconds = (time.process_time() - started) / BATCH
    return FamilyLine(
        family.model_type,
        family.models,
        str(dtype).removeprefix("torch."),
        str(judge.batching),
        judge.batching_note,
        _difference(ours, alone),
        _difference(padded, alone),
        seconds,
        their_seconds / seconds,
        family.wanted or 0.0,
    )


def _middle(length: int, number: int) -> slice:
    """Return the middle part of a sequence."""
    return slice((length - number) // 2, (length + number) // 2)


def random_family(family: Family, dtype: torch.dtype) -> PreTrainedModel:
    """Return a model with random weights, twice as large as usual so that answers depend on prompts."""
    torch.manual_seed(1)
    config = AutoConfig.for_model(family.model_type, **{**SMALL, **family.settings})
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(2.0)
    return model.to(dtype)


@torch.inference_mode()
def batch_probabilities(model: PreTrainedModel, batch: Sequence[LabelledPrompt]) -> list[float]:
    """Return P(first) of prompts in one batch, padded on the left, as transformers asks for."""
    ids, mask = left_padded([prompt.given_ids for prompt in batch])
    inputs: dict[str, Tensor | bool | int] = {"input_ids": ids, "use_cache": False}
    if len(batch) > 1:
        inputs["attention_mask"] = mask
    if len(batch) > 1 and takes_input(model, "position_ids"):
        inputs["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)
    if takes_input(model, "logits_to_keep"):
        inputs["logits_to_keep"] = 1
    return p_first(model(**inputs).logits[:, -1].float(), batch[0])


def _difference(some: Sequence[float], others: Sequence[float]) -> float:
    return max(abs(one - other) for one, other in zip(some, others, strict=True))
