"""The same model asked as is usual, with transformers alone."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from benchmarks.judging.prompts import VOCABULARY
from judging.engine.labels import LabelledPrompt

BATCH = 16

Probabilities = list[float]


def random_model() -> PreTrainedModel:
    """25 million parameters in its layers, 16 million in its vocabulary; sharpened, so that prompts decide answers."""
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=8,
        num_attention_heads=8,
        num_key_value_heads=8,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(2.0)
    return model


@torch.inference_mode()
def one_at_a_time(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    return [_p_first(model(input_ids=torch.tensor([prompt.given_ids])).logits[:, -1], prompt)[0] for prompt in prompts]


@torch.inference_mode()
def padded_batches(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place].given_ids))
    found: dict[int, float] = {}
    for low in range(0, len(order), BATCH):
        batch = order[low : low + BATCH]
        longest = len(prompts[batch[-1]].given_ids)
        ids = torch.zeros(len(batch), longest, dtype=torch.int64)
        mask = torch.zeros_like(ids)
        for row, place in enumerate(batch):
            given = prompts[place].given_ids
            ids[row, longest - len(given) :] = torch.tensor(given)
            mask[row, longest - len(given) :] = 1
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        logits = model(
            input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, logits_to_keep=1
        ).logits[:, -1]
        found |= zip(batch, _p_first(logits, prompts[batch[0]]), strict=True)
    return [found[place] for place in range(len(prompts))]


def _p_first(logits: Tensor, prompt: LabelledPrompt) -> Probabilities:
    labels = logits.softmax(-1)[:, [prompt.first_ids[0], prompt.second_ids[0]]]
    return (labels[:, 0] / labels.sum(1)).tolist()


PEERS: dict[str, Callable[[PreTrainedModel, Sequence[LabelledPrompt]], Probabilities]] = {
    "one prompt at a time": one_at_a_time,
    "padded batches of 16": padded_batches,
}
