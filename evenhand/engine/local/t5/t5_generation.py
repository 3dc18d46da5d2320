"""Generate text with a T5 model: each different prompt is encoded once for all its texts.

All texts are written token by token. The queries of all texts of one prompt attend to its keys together.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, DynamicCache, EncoderDecoderCache, PreTrainedModel

from evenhand.engine.local.batching import Indices, TokenBudget, run_packed
from evenhand.engine.local.model.model_traits import attending_by, ordinary_tokens
from evenhand.engine.local.padded.padded_generation import end_token_ids
from evenhand.engine.local.t5.packed_t5 import PackedT5, causal_bias, logits_alone, trial_refusal
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.local.token_choice import write_texts
from evenhand.engine.local.written_texts import RequestPrompt, WrittenIds
from evenhand.engine.questions.label_tokens import Ids

TEXTS_ATTENTION = "evenhand_texts_of_a_prompt"

TextGroup = tuple[int, ...]
"""Texts of one prompt, by their indices."""


class T5Writer:
    """Writes with a model that neither `packing_refusal` nor `shared_writing_refusal` refuses."""

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        """budget: of tokens that are computed, with cached keys and values."""
        self._model = model
        self._budget = budget
        self._end_ids = end_token_ids(model)
        self._start = start_of_texts(model)

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        """Return texts in the order of the requests; None if one does not fit into memory even alone."""
        written: dict[int, WrittenIds] = {}
        for begin in dict.fromkeys(request.begin for request in requests):
            groups = [unit for unit in _alike(requests) if requests[unit[0]].begin == begin]
            units = [part for unit in groups for part in self._parts(unit, requests[unit[0]])]
            while units:
                written |= self._written(units, requests)
                units = [half for unit in units if unit[0] not in written for half in _halves(unit)]
        return [written.get(row) for row in range(len(requests))]

    def _parts(self, unit: TextGroup, request: RequestPrompt) -> Iterator[TextGroup]:
        """Split the texts of one prompt into parts that fit into the budget. request: one of them."""
        room = max(self._budget.tokens - len(request.ids), self._budget.tokens // 2)
        most = max(1, room // request.max_new_tokens)
        yield from (unit[low : low + most] for low in range(0, len(unit), most))

    def _written(self, units: Sequence[TextGroup], requests: Sequence[RequestPrompt]) -> dict[int, WrittenIds]:
        """Return texts by their indices, without those of a unit that does not fit into memory."""

        def work(batch: Indices) -> list[list[WrittenIds]]:
            return self._write([[requests[row] for row in units[index]] for index in batch])

        lengths = [len(requests[unit[0]].ids) + sum(requests[row].max_new_tokens for row in unit) for unit in units]
        texts = run_packed(lengths, work, budget=self._budget)
        return {
            row: text
            for unit, written in zip(units, texts, strict=True)
            if written is not None
            for row, text in zip(unit, written, strict=True)
        }

    @torch.inference_mode()
    def _write(self, units: Sequence[Sequence[RequestPrompt]]) -> list[list[WrittenIds]]:
        """Return the texts of each unit, whose requests have one prompt. All have the same first tokens."""
        rows = [request for unit in units for request in unit]
        source = [number for number, unit in enumerate(units) for _ in unit]
        with reporting_out_of_memory():
            steps = T5Steps(self._model, [unit[0].ids for unit in units], source)
            texts = iter(
                write_texts(
                    steps.logits([rows[0].begin or self._start] * len(rows)),
                    rows,
                    end_ids=self._end_ids,
                    keep=steps.keep,
                    next_logits=lambda tokens: steps.logits([(token,) for token in tokens]),
                )
            )
        return [
            [self._text(next(texts), shared=len(one.ids) if number else 0) for number, one in enumerate(unit)]
            for unit in units
        ]

    def _text(self, ids: Sequence[int], *, shared: int) -> WrittenIds:
        return WrittenIds(tuple(ids), complete=ids[-1] in self._end_ids, shared=shared)


class T5Steps:
    """Runs the decoder token by token; each row is a text of one of the prompts."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Ids], source: Sequence[int]) -> None:
        """prompts: are encoded here. source: the prompt of each row, ascending."""
        self._decoder: Any = model.get_decoder()
        self._packed = PackedT5(model)
        self._states, mask = self._packed.encode(prompts).padded()
        self._prompts = _PromptStates(torch.tensor(source, device=model.device), mask.bool())
        self._cache = EncoderDecoderCache(DynamicCache(), DynamicCache())

    @torch.inference_mode()
    def logits(self, tokens: Sequence[Ids]) -> Tensor:
        """Return the logits after the next tokens of each row, equally many in each: (rows, vocabulary)."""
        states = self._decoder.embed_tokens(torch.tensor(tokens, device=self._states.device))
        new = states.shape[1]
        bias = causal_bias(self._decoder.block[0].layer[0].SelfAttention, new, seen=self._cache.get_seq_length())
        with attending_by(self._decoder.config, TEXTS_ATTENTION):
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
        """Keep some of the rows, in their order."""
        index = torch.tensor(rows, device=self._states.device)
        self._cache.self_attention_cache.batch_select_indices(index)
        self._prompts = self._prompts.kept(index)


class _PromptStates:
    """The prompt of each row, and the index of the row among all rows of this prompt."""

    def __init__(self, source: Tensor, mask: Tensor) -> None:
        """source: (rows,), ascending. mask: bool (prompts, tokens), True for a real token."""
        self._source = source
        self._mask = mask
        counts = torch.bincount(source, minlength=len(mask))
        self._place = torch.arange(len(source), device=source.device) - (counts.cumsum(0) - counts)[source]
        self._most = int(counts.max())

    def kept(self, rows: Tensor) -> "_PromptStates":
        return _PromptStates(self._source[rows], self._mask)

    def read(self, query: Tensor, key: Tensor, value: Tensor, *, scale: float) -> Tensor:
        """Return the attention of each row to its prompt, (rows, heads, tokens, width) like the queries.

        key, value: (prompts, heads, tokens of prompts, width).
        """
        _, heads, tokens, width = query.shape
        prompts = len(self._mask)
        laid = query.new_zeros(prompts, self._most, heads, tokens, width)
        laid[self._source, self._place] = query
        together = laid.transpose(1, 2).reshape(prompts, heads, self._most * tokens, width)
        read = scaled_dot_product_attention(together, key, value, attn_mask=self._mask[:, None, None], scale=scale)
        return read.view(prompts, heads, self._most, tokens, width).transpose(1, 2)[self._source, self._place]


def attend_texts(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    position_bias: Tensor | _PromptStates,
    scaling: float,
    **more: object,
) -> tuple[Tensor, None]:
    """Attend to a row's own tokens, or to its prompt; transformers calls this in every decoder layer."""
    if isinstance(position_bias, _PromptStates):
        read = position_bias.read(query, key, value, scale=scaling)
    else:
        read = scaled_dot_product_attention(query, key, value, attn_mask=position_bias, scale=scaling)
    return read.transpose(1, 2), None


AttentionInterface.register(TEXTS_ATTENTION, attend_texts)


def start_of_texts(model: PreTrainedModel) -> Ids:
    """Return the first token of texts; empty if the model does not define it."""
    starts = (getattr(one, "decoder_start_token_id", None) for one in (model.generation_config, model.config))
    return tuple(token for token in starts if token is not None)[:1]


def shared_writing_refusal(model: PreTrainedModel) -> str:
    """Return why texts cannot share their prompts; empty if short texts agree with single passes.

    The model must pass `packing_refusal` first.
    """
    if not start_of_texts(model):
        return "it does not say what its texts start with"
    if model.generation_config.forced_bos_token_id is not None:
        return "its texts begin with a token of their own"
    return trial_refusal(model, _try_short_texts, "its prompts cannot be shared")


def _try_short_texts(model: PreTrainedModel) -> float:
    """Return the mean difference over the vocabulary between shared and single prompts, the largest of all rows."""
    tokens = ordinary_tokens(model)[:20]
    prompts, source = [tuple(tokens[:3]), tuple(tokens)], [0, 0, 1]
    texts = [(*start_of_texts(model), tokens[place], tokens[place + 1], tokens[place + 2]) for place in (0, 4, 8)]
    steps = T5Steps(model, prompts, source)
    steps.logits([text[:2] for text in texts])
    steps.logits([text[2:3] for text in texts])
    steps.keep([0, 2])
    computed = steps.logits([texts[0][3:], texts[2][3:]])
    expected = [logits_alone(model, prompts[number], texts[row])[-1] for number, row in ((0, 0), (1, 2))]
    differences = (computed.float().log_softmax(-1) - torch.stack(expected).float().log_softmax(-1)).abs().mean(-1)
    return float(differences.max())


def _alike(requests: Sequence[RequestPrompt]) -> list[TextGroup]:
    """Group texts by prompt, first tokens and largest number of new tokens."""
    groups: dict[tuple[Ids, Ids, int], list[int]] = defaultdict(list)
    for row, request in enumerate(requests):
        groups[request.ids, request.begin, request.max_new_tokens].append(row)
    return [tuple(rows) for rows in groups.values()]


def _halves(unit: TextGroup) -> tuple[TextGroup, ...]:
    """Halve a unit that did not fit into memory; a single text gives none."""
    middle = len(unit) // 2
    return (unit[:middle], unit[middle:]) if middle else ()
