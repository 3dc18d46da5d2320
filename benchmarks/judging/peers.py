"""The usual way to ask a decoder-only model, with transformers alone."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from benchmarks.judging.prompts import VOCABULARY
from evenhand.engine.questions.label_tokens import Ids, LabelledPrompt

BATCH = 16

Probabilities = list[float]
Peer = Callable[[PreTrainedModel, Sequence[LabelledPrompt]], Probabilities]


def random_model() -> PreTrainedModel:
    """Return a model with 25 million parameters in layers and 16 million in the vocabulary.

    Its random weights are doubled, so that answers depend on prompts.
    """
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
    return [p_first(model(input_ids=torch.tensor([prompt.given_ids])).logits[:, -1], prompt)[0] for prompt in prompts]


def with_gradients(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    """Ask one prompt at a time, and keep the intermediate values of gradients."""
    return [
        p_first(model(input_ids=torch.tensor([prompt.given_ids])).logits[:, -1].detach(), prompt)[0]
        for prompt in prompts
    ]


@torch.inference_mode()
def padded_batches(model: PreTrainedModel, prompts: Sequence[LabelledPrompt]) -> Probabilities:
    probabilities: Probabilities = []
    for low in range(0, len(prompts), BATCH):
        batch = prompts[low : low + BATCH]
        ids, mask = (part.to(model.device) for part in left_padded([prompt.given_ids for prompt in batch]))
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        output = model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, logits_to_keep=1)
        probabilities += p_first(output.logits[:, -1], batch[0])
    return probabilities


def left_padded(rows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Return token ids and mask, (rows, longest)."""
    longest = max(map(len, rows))
    ids = torch.zeros(len(rows), longest, dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, longest - len(row) :] = torch.tensor(row)
        mask[place, longest - len(row) :] = 1
    return ids, mask


def p_first(logits: Tensor, prompt: LabelledPrompt) -> Probabilities:
    labels = logits.softmax(-1)[:, [prompt.first_ids[0], prompt.second_ids[0]]]
    return (labels[:, 0] / labels.sum(1)).tolist()


ONE, PADDED, UNCHANGED = "one prompt at a time", "padded batches of 16", "the paper's code unchanged"
PEERS: dict[str, Peer] = {ONE: one_at_a_time, PADDED: padded_batches, UNCHANGED: with_gradients}
