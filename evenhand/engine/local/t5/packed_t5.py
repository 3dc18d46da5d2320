"""Run prompts of a T5 model end to end in one row without padding, and its decoder on the encoder's states.

The encoder's layers run over one row; attention runs prompt by prompt. Its bias depends only on the distance of two
tokens, so one line of numbers a head serves all lengths. The decoder runs over few tokens: its queries are multiplied
by the key weights, and the mean of the states by the value weights. This is the same product in another order, without
a key or a value for every state.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    AttentionInterface,
    MT5ForConditionalGeneration,
    PreTrainedModel,
    T5ForConditionalGeneration,
)

from evenhand.engine.local.model.model_traits import LARGEST_DIFFERENCE, attending_by, largest, ordinary_tokens
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import is_out_of_memory
from evenhand.engine.questions.label_tokens import Ids

PACKED_ATTENTION = "evenhand_packed_prompts"


@dataclass(frozen=True, slots=True)
class EncodedPrompts:
    """Encoder states of all prompts end to end, (tokens, width). slices: one for each prompt, in order."""

    states: Tensor
    slices: tuple[slice, ...]

    def padded(self) -> tuple[Tensor, Tensor]:
        """Return states (prompts, longest, width), zeros after the end of a prompt, and their mask, int64."""
        states = pad_sequence([self.states[place] for place in self.slices], batch_first=True)
        lengths = torch.tensor([place.stop - place.start for place in self.slices], device=states.device)
        return states, (torch.arange(states.shape[1], device=states.device) < lengths[:, None]).long()


class PackedT5:
    """Runs a model that `packing_refusal` does not refuse."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model: Any = model

    @torch.inference_mode()
    def encode(self, prompts: Sequence[Ids]) -> EncodedPrompts:
        """Encode prompts end to end. None of them is empty."""
        encoder = self._model.encoder
        ids = torch.tensor([token for prompt in prompts for token in prompt], device=self._model.device)
        slices = tuple(slice(*ends) for ends in pairwise(accumulate(map(len, prompts), initial=0)))
        biases = _biases(encoder.block[0].layer[0].SelfAttention, {len(prompt) for prompt in prompts})
        states = encoder.embed_tokens(ids[None])
        with attending_by(encoder.config, PACKED_ATTENTION):
            for block in encoder.block:
                states = block(states, position_bias=biases, slices=slices)[0]
        return EncodedPrompts(encoder.final_layer_norm(states)[0], slices)

    def takes(self, tokens: int) -> bool:
        """Return True if `decode` costs less than keys and values for every state. tokens: decoder tokens a prompt."""
        return tokens <= int(self._model.config.d_kv) // 2

    @torch.inference_mode()
    def decode(self, encoded: EncodedPrompts, decoder_ids: Tensor, source: Sequence[int]) -> Tensor:
        """Return the decoder's last states, (rows, tokens, width).

        decoder_ids: (rows, tokens). source: the prompt of each row.
        """
        decoder = self._model.decoder
        states = decoder.embed_tokens(decoder_ids)
        bias = causal_bias(decoder.block[0].layer[0].SelfAttention, decoder_ids.shape[1])
        for block in decoder.block:
            states = block.layer[0](states, position_bias=bias)[0]
            states = states + _read(block.layer[1], states, encoded, source)
            states = block.layer[2](states)
        return decoder.final_layer_norm(states)

    @torch.inference_mode()
    def logits(self, states: Tensor) -> Tensor:
        if getattr(self._model.config, "scale_decoder_outputs", False):
            states = states * self._model.config.d_model**-0.5
        logits: Tensor = self._model.lm_head(states)
        return logits


def _biases(attention: nn.Module, lengths: Collection[int]) -> dict[int, Tensor]:
    """Return the bias of attention scores by prompt length: (1, heads, queries, keys), the last query first.

    The bias depends on the distance from query to key. With queries in reverse order, each bias is a view of one line
    of numbers. The model's own function computes the line, for the last query and the first.
    """
    compute: Any = attention.compute_bias
    longest = max(lengths)
    before, after = compute(1, longest, past_seen_tokens=longest - 1), compute(1, longest)
    line = torch.cat([before[0, :, 0], after[0, :, 0, 1:]], 1)  # (heads, 2 longest - 1)
    heads, entries = line.shape
    views = {n: line.as_strided((1, heads, n, n), (0, entries, 1, 1), longest - n) for n in lengths}
    if line.device.type == "cpu":
        return views
    return {n: view.contiguous() for n, view in views.items()}  # kernels of a GPU need aligned rows


def causal_bias(attention: nn.Module, tokens: int, *, seen: int = 0) -> Tensor:
    """Return the bias of attention scores for new tokens after seen ones: (1, heads, tokens, seen + tokens)."""
    compute: Any = attention.compute_bias
    bias: Tensor = compute(tokens, seen + tokens, past_seen_tokens=seen)
    later = torch.ones(tokens, seen + tokens, dtype=torch.bool, device=bias.device).triu(seen + 1)
    return bias.masked_fill(later, torch.finfo(bias.dtype).min)


def _read(layer: nn.Module, states: Tensor, encoded: EncodedPrompts, source: Sequence[int]) -> Tensor:
    """Return the cross-attention of a decoder layer to its prompts, (rows, tokens, width)."""
    attention: Any = layer.EncDecAttention
    normed: Any = layer.layer_norm
    rows, tokens, width = states.shape
    heads, size = attention.n_heads, attention.key_value_proj_dim
    query = attention.q(normed(states)).view(rows * tokens, heads, size).transpose(0, 1)
    wanted = (query @ attention.k.weight.view(heads, size, width)).view(heads, rows, tokens, width)
    means = torch.empty_like(wanted)
    for prompt, place in enumerate(encoded.slices):
        asking = [row for row, its in enumerate(source) if its == prompt]
        seen = encoded.states[place]
        scores = wanted[:, asking].reshape(-1, width) @ seen.T
        shares = scores.float().softmax(-1).to(seen.dtype)
        means[:, asking] = (shares @ seen).view(heads, len(asking), tokens, width)
    values = means.flatten(1, 2) @ attention.v.weight.view(heads, size, width).mT  # (heads, rows x tokens, size)
    read: Tensor = attention.o(values.transpose(0, 1).reshape(rows, tokens, heads * size))
    return read


def attend_prompt_by_prompt(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    position_bias: Mapping[int, Tensor],
    slices: Sequence[slice],
    scaling: float,
    **more: object,
) -> tuple[Tensor, None]:
    """Attend within each prompt; transformers calls this in every encoder layer. All (1, heads, tokens, width)."""
    out = torch.empty_like(value.transpose(1, 2))
    for place in slices:
        bias = position_bias[place.stop - place.start]
        backwards = query[:, :, place].flip(2)
        read = scaled_dot_product_attention(
            backwards, key[:, :, place], value[:, :, place], attn_mask=bias, scale=scaling
        )
        out[:, place] = read.flip(2).transpose(1, 2)
    return out, None


AttentionInterface.register(PACKED_ATTENTION, attend_prompt_by_prompt)


def packing_refusal(model: PreTrainedModel) -> str:
    """Return why prompts cannot be packed; empty if three short packed prompts agree with single passes."""
    if not isinstance(model, T5ForConditionalGeneration | MT5ForConditionalGeneration):
        return "only T5's encoder is known to go without padding"
    return trial_refusal(model, _try_short_prompts, "its prompts cannot be packed")


def trial_refusal(model: PreTrainedModel, trial: Callable[[PreTrainedModel], float], failure: str) -> str:
    """Return why a trial refuses a model; empty if its log-probabilities agree.

    trial: returns their difference from single passes. failure: the reason if it raises.
    """
    try:
        difference = trial(model)
    except Exception as error:  # an unknown architecture may raise anything
        if is_out_of_memory(error):
            raise  # this says nothing about the model
        return f"{failure} ({type(error).__name__}: {error})"
    agrees = difference <= LARGEST_DIFFERENCE[model.dtype]
    return "" if agrees else f"its log-probabilities would differ by {difference:.2g}"


def _try_short_prompts(model: PreTrainedModel) -> float:
    """Return the mean difference over the vocabulary between packed and single prompts, the largest of all rows."""
    ordinary = ordinary_tokens(model)
    tokens = tuple(ordinary[place * len(ordinary) // 40] for place in range(40))
    prompts = [tokens[:5], tokens[5:], tokens]
    start = int(model.config.decoder_start_token_id or 0)
    rows = [(start, *tokens[:2]), (start, *tokens[2:4]), (start, *tokens[4:6]), (start, *tokens[6:8])]
    source = [0, 1, 1, 2]
    decoder_ids, _ = right_padded(rows, device=model.device)
    packed = PackedT5(model)
    logits = packed.logits(packed.decode(packed.encode(prompts), decoder_ids, source))
    expected = [logits_alone(model, prompts[prompt], row) for prompt, row in zip(source, rows, strict=True)]
    pairs = zip(logits, expected, strict=True)
    return largest([(_logprobs(packed_row) - _logprobs(row)).abs().mean() for packed_row, row in pairs])


@torch.inference_mode()
def logits_alone(model: PreTrainedModel, prompt: Ids, row: Ids) -> Tensor:
    """Return the logits after each token of a row, from a plain pass, (tokens, vocabulary)."""
    ids, decoder_ids = (torch.tensor([tokens], device=model.device) for tokens in (prompt, row))
    logits: Tensor = model(input_ids=ids, decoder_input_ids=decoder_ids, use_cache=False).logits[0]
    return logits


def _logprobs(logits: Tensor) -> Tensor:
    return logits.float().log_softmax(-1)
