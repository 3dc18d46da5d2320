"""Prompts of a T5 model end to end in one row without padding, and a decoder that takes their states as they are.

The encoder's layers run over one row; attention goes prompt by prompt. Its bias depends on the distance of two tokens
alone, so it is read from one line of numbers a head, whatever the length. The few tokens that the decoder runs over
take their weights with the keys to the states, and the values' weights come after the mean: the same product, grouped
otherwise, without a key or a value for every state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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

from judging.engine.local.batching import CPU_ROW_TOKENS, TokenBudget
from judging.engine.local.tensors import (
    LARGEST_DIFFERENCE,
    attending_by,
    is_out_of_memory,
    ordinary_tokens,
    right_padded,
    token_budget,
)
from judging.engine.questions.label_tokens import Ids

NAME = "evenhand_packed_prompts"


@dataclass(frozen=True, slots=True)
class EncodedPrompts:
    """states: of all prompts end to end, (tokens, width). places: where each prompt is among them."""

    states: Tensor
    places: tuple[slice, ...]

    def padded(self) -> tuple[Tensor, Tensor]:
        """States (prompts, longest, width), zeros after the end of a prompt, and their mask, int64."""
        states = pad_sequence([self.states[place] for place in self.places], batch_first=True)
        lengths = torch.tensor([place.stop - place.start for place in self.places], device=states.device)
        return states, (torch.arange(states.shape[1], device=states.device) < lengths[:, None]).long()


class PackedT5:
    """Runs a model that `why_not_packed` finds nothing against."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model: Any = model

    @torch.inference_mode()
    def encode(self, prompts: Sequence[Ids]) -> EncodedPrompts:
        """None of the prompts is empty."""
        encoder = self._model.encoder
        ids = torch.tensor([token for prompt in prompts for token in prompt], device=self._model.device)
        places = tuple(slice(*ends) for ends in pairwise(accumulate(map(len, prompts), initial=0)))
        biases = _biases(encoder.block[0].layer[0].SelfAttention, {len(prompt) for prompt in prompts})
        states = encoder.embed_tokens(ids[None])
        with attending_by(encoder.config, NAME):
            for block in encoder.block:
                states = block(states, position_bias=biases, places=places)[0]
        return EncodedPrompts(encoder.final_layer_norm(states)[0], places)

    def takes(self, tokens: int) -> bool:
        """Whether `decode` costs less than a key and a value for every state, for so many decoder tokens a prompt."""
        return tokens <= int(self._model.config.d_kv) // 2

    @torch.inference_mode()
    def decode(self, encoded: EncodedPrompts, decoder_ids: Tensor, source: Sequence[int]) -> Tensor:
        """The decoder's last states, (rows, tokens, width).

        decoder_ids: (rows, tokens). source: the prompt that each row reads.
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


def row_budget(model: PreTrainedModel) -> TokenBudget:
    """How many tokens to try in one row; it halves where memory runs out."""
    return token_budget(model, on_cpu=CPU_ROW_TOKENS)


def _biases(attention: nn.Module, lengths: Collection[int]) -> dict[int, Tensor]:
    """What a layer adds to the scores of a prompt, by its tokens: (1, heads, queries, keys), the last query first.

    It depends on how far a key is after its query, so queries upside down and keys both read on along one line of
    numbers, and each bias is a view of it. The line is from the model's own function, for the last query and the first.
    """
    compute: Any = attention.compute_bias
    longest = max(lengths)
    before, after = compute(1, longest, past_seen_tokens=longest - 1), compute(1, longest)
    line = torch.cat([before[0, :, 0], after[0, :, 0, 1:]], 1)  # (heads, 2 longest - 1)
    heads, entries = line.shape
    views = {n: line.as_strided((1, heads, n, n), (0, entries, 1, 1), longest - n) for n in lengths}
    if line.device.type == "cpu":
        return views
    return {n: view.contiguous() for n, view in views.items()}  # a GPU's kernels want aligned rows


def causal_bias(attention: nn.Module, tokens: int, *, seen: int = 0) -> Tensor:
    """What a layer adds to the scores of so many tokens after those seen: (1, heads, tokens, seen and tokens)."""
    compute: Any = attention.compute_bias
    bias: Tensor = compute(tokens, seen + tokens, past_seen_tokens=seen)
    later = torch.ones(tokens, seen + tokens, dtype=torch.bool, device=bias.device).triu(seen + 1)
    return bias.masked_fill(later, torch.finfo(bias.dtype).min)


def _read(layer: nn.Module, states: Tensor, encoded: EncodedPrompts, source: Sequence[int]) -> Tensor:
    """What a layer of the decoder takes from its prompts, (rows, tokens, width)."""
    attention: Any = layer.EncDecAttention
    normed: Any = layer.layer_norm
    rows, tokens, width = states.shape
    heads, size = attention.n_heads, attention.key_value_proj_dim
    query = attention.q(normed(states)).view(rows * tokens, heads, size).transpose(0, 1)
    wanted = (query @ attention.k.weight.view(heads, size, width)).view(heads, rows, tokens, width)
    means = torch.empty_like(wanted)
    for prompt, place in enumerate(encoded.places):
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
    places: Sequence[slice],
    scaling: float,
    **more: object,
) -> tuple[Tensor, None]:
    """What transformers calls in every layer of the encoder. All (1, heads, tokens, width)."""
    out = torch.empty_like(value.transpose(1, 2))
    for place in places:
        bias = position_bias[place.stop - place.start]
        backwards = query[:, :, place].flip(2)
        read = scaled_dot_product_attention(
            backwards, key[:, :, place], value[:, :, place], attn_mask=bias, scale=scaling
        )
        out[:, place] = read.flip(2).transpose(1, 2)
    return out, None


AttentionInterface.register(NAME, attend_prompt_by_prompt)


def why_not_packed(model: PreTrainedModel) -> str:
    """Why a model's prompts cannot be packed; empty if they can: tried on three short ones, beside one by one."""
    if not isinstance(model, T5ForConditionalGeneration | MT5ForConditionalGeneration):
        return "only T5's encoder is known to go without padding"
    try:
        difference = _try_short_prompts(model)
    except Exception as error:  # whatever a changed architecture makes of it: it is not asked again
        if is_out_of_memory(error):
            raise  # which says nothing about the model
        return f"its prompts cannot be packed ({type(error).__name__}: {error})"
    if not difference <= LARGEST_DIFFERENCE[model.dtype]:
        return f"its log-probabilities would differ by {difference:.2g}"
    return ""


def _try_short_prompts(model: PreTrainedModel) -> float:
    """How far log-probabilities of packed prompts are from those one by one, on average over the vocabulary."""
    ordinary = ordinary_tokens(model)
    tokens = tuple(ordinary[place * len(ordinary) // 40] for place in range(40))
    prompts = [tokens[:5], tokens[5:], tokens]
    start = int(model.config.decoder_start_token_id or 0)
    rows = [(start, *tokens[:2]), (start, *tokens[2:4]), (start, *tokens[4:6]), (start, *tokens[6:8])]
    source = [0, 1, 1, 2]
    decoder_ids, _ = right_padded(rows, device=model.device)
    packed = PackedT5(model)
    found = packed.logits(packed.decode(packed.encode(prompts), decoder_ids, source))
    differences = [
        float((_logprobs(found[row]) - _logprobs(logits_alone(model, prompts[prompt], rows[row]))).abs().mean())
        for row, prompt in enumerate(source)
    ]
    return float(torch.tensor(differences).max())  # not a number where one of them is none


@torch.inference_mode()
def logits_alone(model: PreTrainedModel, prompt: Ids, row: Ids) -> Tensor:
    """What a plain pass predicts after each token of a row, (tokens, vocabulary)."""
    ids, decoder_ids = (torch.tensor([tokens], device=model.device) for tokens in (prompt, row))
    logits: Tensor = model(input_ids=ids, decoder_input_ids=decoder_ids, use_cache=False).logits[0]
    return logits


def _logprobs(logits: Tensor) -> Tensor:
    return logits.float().log_softmax(-1)
