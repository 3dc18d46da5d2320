"""Free text from a T5 model: each different prompt is encoded once, whatever number of texts goes on from it.

All texts are written one token further at a time. The queries of those that read one prompt meet its keys together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, DynamicCache, EncoderDecoderCache, PreTrainedModel

from judging.engine.local.batching import Indices, TokenBudget, run_packed
from judging.engine.local.local_engine import Decoding, WrittenIds
from judging.engine.local.padded_generation import end_tokens
from judging.engine.local.t5.packed_t5 import PackedT5, causal_bias, logits_alone
from judging.engine.local.tensors import (
    LARGEST_DIFFERENCE,
    attending_by,
    is_out_of_memory,
    ordinary_tokens,
    reporting_out_of_memory,
)
from judging.engine.local.token_choice import write_on
from judging.engine.questions.label_tokens import Ids

NAME = "evenhand_texts_of_a_prompt"

Unit = tuple[int, ...]
"""Texts that go on from one prompt, by their places among those asked for."""


class T5Writer:
    """Writes with a model that `why_not_packed` finds nothing against, and that says what its texts start with."""

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        """budget: of tokens that are computed, and whose keys and values are held."""
        self._model = model
        self._budget = budget
        self._end_ids = end_tokens(model)
        self._start = start_of_texts(model)

    def write(self, prompts: Sequence[Ids], decodings: Sequence[Decoding]) -> list[WrittenIds | None]:
        """In the order of the prompts; None where one does not fit into memory even alone."""
        written: dict[int, WrittenIds] = {}
        for begin in dict.fromkeys(decoding.begin for decoding in decodings):
            groups = [unit for unit in _alike(prompts, decodings) if decodings[unit[0]].begin == begin]
            units = [part for unit in groups for part in self._parts(unit, prompts, decodings)]
            while units:
                written |= self._written(units, prompts, decodings)
                units = [half for unit in units if unit[0] not in written for half in _halves(unit)]
        return [written.get(row) for row in range(len(prompts))]

    def _parts(self, unit: Unit, prompts: Sequence[Ids], decodings: Sequence[Decoding]) -> Iterator[Unit]:
        """Not more texts of one prompt together than are worth while."""
        room = max(self._budget.tokens - len(prompts[unit[0]]), self._budget.tokens // 2)
        most = max(1, room // decodings[unit[0]].max_new_tokens)
        yield from (unit[low : low + most] for low in range(0, len(unit), most))

    def _written(
        self, units: Sequence[Unit], prompts: Sequence[Ids], decodings: Sequence[Decoding]
    ) -> dict[int, WrittenIds]:
        """Texts by their places; those of a unit that does not fit into memory are left out."""

        def work(batch: Indices) -> list[list[WrittenIds]]:
            return self._write([units[index] for index in batch], prompts, decodings)

        lengths = [len(prompts[unit[0]]) + sum(decodings[row].max_new_tokens for row in unit) for unit in units]
        texts = run_packed(lengths, work, budget=self._budget)
        return {
            row: text
            for unit, found in zip(units, texts, strict=True)
            if found is not None
            for row, text in zip(unit, found, strict=True)
        }

    @torch.inference_mode()
    def _write(
        self, units: Sequence[Unit], prompts: Sequence[Ids], decodings: Sequence[Decoding]
    ) -> list[list[WrittenIds]]:
        """The texts of each unit; all begin with the same."""
        rows = [decodings[row] for unit in units for row in unit]
        source = [number for number, unit in enumerate(units) for _ in unit]
        with reporting_out_of_memory():
            steps = Steps(self._model, [prompts[unit[0]] for unit in units], source)
            texts = iter(
                write_on(
                    steps.logits([rows[0].begin or self._start] * len(rows)),
                    rows,
                    end_ids=self._end_ids,
                    keep=steps.keep,
                    next_logits=lambda tokens: steps.logits([(token,) for token in tokens]),
                )
            )
        return [
            [self._text(next(texts), shared=len(prompts[row]) if place else 0) for place, row in enumerate(unit)]
            for unit in units
        ]

    def _text(self, ids: Sequence[int], *, shared: int) -> WrittenIds:
        return WrittenIds(tuple(ids), complete=ids[-1] in self._end_ids, shared=shared)


class Steps:
    """Texts on their way through the decoder, row by row, each after the prompt that it reads."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Ids], source: Sequence[int]) -> None:
        """prompts: each is encoded. source: of each row its prompt, ascending."""
        self._decoder: Any = model.get_decoder()
        self._packed = PackedT5(model)
        self._states, mask = self._packed.encode(prompts).padded()
        self._prompts = _Prompts(torch.tensor(source, device=model.device), mask.bool())
        self._cache = EncoderDecoderCache(DynamicCache(), DynamicCache())

    @torch.inference_mode()
    def logits(self, tokens: Sequence[Ids]) -> Tensor:
        """What follows the next tokens of each row, as many of each: (rows, vocabulary)."""
        states = self._decoder.embed_tokens(torch.tensor(tokens, device=self._states.device))
        new = states.shape[1]
        bias = causal_bias(self._decoder.block[0].layer[0].SelfAttention, new, seen=self._cache.get_seq_length())
        with attending_by(self._decoder.config, NAME):
            for block in self._decoder.block:
                states = block(
                    states,
                    position_bias=bias,
                    encoder_hidden_states=self._states,
                    encoder_decoder_position_bias=self._prompts,
                    past_key_values=self._cache,
                )[0]
        return self._packed.logits(self._decoder.final_layer_norm(states[:, -1:]))[:, 0]

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some of the rows, in their order."""
        index = torch.tensor(rows, device=self._states.device)
        self._cache.self_attention_cache.batch_select_indices(index)
        self._prompts = self._prompts.kept(index)


class _Prompts:
    """Which prompt each row reads, and where its queries are among all that read it."""

    def __init__(self, source: Tensor, mask: Tensor) -> None:
        """source: (rows,), ascending. mask: (prompts, tokens), whether there is a token."""
        self._source = source
        self._mask = mask
        counts = torch.bincount(source, minlength=len(mask))
        self._place = torch.arange(len(source), device=source.device) - (counts.cumsum(0) - counts)[source]
        self._most = int(counts.max())

    def kept(self, rows: Tensor) -> _Prompts:
        return _Prompts(self._source[rows], self._mask)

    def read(self, query: Tensor, key: Tensor, value: Tensor, *, scale: float) -> Tensor:
        """What each row takes from its prompt: (rows, heads, tokens, width), as the queries.

        key, value: (prompts, heads, tokens of prompts, width).
        """
        _, heads, tokens, width = query.shape
        prompts = len(self._mask)
        laid = query.new_zeros(prompts, self._most, heads, tokens, width)
        laid[self._source, self._place] = query
        asked = laid.transpose(1, 2).reshape(prompts, heads, self._most * tokens, width)
        found = scaled_dot_product_attention(asked, key, value, attn_mask=self._mask[:, None, None], scale=scale)
        apart = found.view(prompts, heads, self._most, tokens, width).transpose(1, 2)
        return apart[self._source, self._place]


def attend_texts(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    position_bias: Tensor | _Prompts,
    scaling: float,
    **more: object,
) -> tuple[Tensor, None]:
    """What transformers calls in every layer of the decoder: among a row's own tokens, then over its prompt."""
    if isinstance(position_bias, _Prompts):
        read = position_bias.read(query, key, value, scale=scaling)
    else:
        read = scaled_dot_product_attention(query, key, value, attn_mask=position_bias, scale=scaling)
    return read.transpose(1, 2), None


AttentionInterface.register(NAME, attend_texts)


def start_of_texts(model: PreTrainedModel) -> Ids:
    """What a text starts with to which nothing else is given; empty where the model does not say."""
    told = (getattr(one, "decoder_start_token_id", None) for one in (model.generation_config, model.config))
    return tuple(token for token in told if token is not None)[:1]


def why_not_written(model: PreTrainedModel) -> str:
    """Why the texts of a model that `why_not_packed` finds nothing against are written otherwise; empty if they can be
    written so: tried on short ones, beside one by one.
    """
    if not start_of_texts(model):
        return "it does not say what its texts start with"
    if model.generation_config.forced_bos_token_id is not None:
        return "its texts begin with a token of their own"
    try:
        difference = _try_short_texts(model)
    except Exception as error:  # whatever a changed architecture makes of it: it is not asked again
        if is_out_of_memory(error):
            raise  # which says nothing about the model
        return f"its prompts cannot be shared ({type(error).__name__}: {error})"
    return (
        ""
        if difference <= LARGEST_DIFFERENCE[model.dtype]
        else f"its log-probabilities would differ by {difference:.2g}"
    )


def _try_short_texts(model: PreTrainedModel) -> float:
    """How far log-probabilities after shared prompts are from those one by one, on average over the vocabulary."""
    tokens = ordinary_tokens(model)[:20]
    prompts, source = [tuple(tokens[:3]), tuple(tokens)], [0, 0, 1]
    texts = [(*start_of_texts(model), tokens[place], tokens[place + 1], tokens[place + 2]) for place in (0, 4, 8)]
    steps = Steps(model, prompts, source)
    steps.logits([text[:2] for text in texts])
    steps.logits([text[2:3] for text in texts])
    steps.keep([0, 2])
    found = steps.logits([texts[0][3:], texts[2][3:]])
    expected = [logits_alone(model, prompts[number], texts[row])[-1] for number, row in ((0, 0), (1, 2))]
    differences = (found.float().log_softmax(-1) - torch.stack(expected).float().log_softmax(-1)).abs().mean(-1)
    return float(differences.max())


def _alike(prompts: Sequence[Ids], decodings: Sequence[Decoding]) -> list[Unit]:
    """Texts that go on from the same prompt with the same beginning, to be cut off after as many tokens."""
    groups: dict[tuple[Ids, Ids, int], list[int]] = defaultdict(list)
    for row, (prompt, decoding) in enumerate(zip(prompts, decodings, strict=True)):
        groups[prompt, decoding.begin, decoding.max_new_tokens].append(row)
    return [tuple(rows) for rows in groups.values()]


def _halves(unit: Unit) -> tuple[Unit, ...]:
    """Of a unit that did not fit into memory; none of a single text."""
    middle = len(unit) // 2
    return (unit[:middle], unit[middle:]) if middle else ()
