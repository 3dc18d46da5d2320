"""Generate text with a decoder-only model: prompts over their prefix tree, then all texts token by token."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor
from transformers import PreTrainedModel

from evenhand.engine.local.batching import OutOfMemory, TokenBudget
from evenhand.engine.local.padded.padded_generation import end_token_ids
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.local.token_choice import write_texts
from evenhand.engine.local.tree.decoding_attention import StepAttention
from evenhand.engine.local.tree.prefix_tree import PrefixTree, next_pack, prefix_tree
from evenhand.engine.local.tree.tree_attention import NodeMemory, PackedAttention
from evenhand.engine.local.tree.tree_scorer import HeldRow, index_in_pack, row_logits, token_positions, tree_logits
from evenhand.engine.local.written_texts import RequestPrompt, WrittenIds
from evenhand.engine.questions.label_tokens import Ids, common_prefix


class TreeWriter:
    """Continues prompts with a model that `try_tree` does not refuse.

    It writes many texts of neighbours in the tree at once, so shared beginnings are computed and stored once. Texts
    that have ended are dropped.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        pack_budget: TokenBudget,
        budget: TokenBudget,
        hold: Callable[[Sequence[HeldRow]], None] | None = None,
    ) -> None:
        """budget: of tokens with cached keys and values, both of prompts and of the longest possible texts.

        hold: takes the keys and values of a batch of written texts, and then none when the next batch begins.
        """
        self._model = model
        self._end_ids = end_token_ids(model)
        self._pack_budget = pack_budget
        self._budget = budget
        self._hold = hold

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        """Return texts in the order of the requests; None if one does not fit into memory even alone."""
        results = {row: text for batch in self._batches(requests, None) for row, text in batch.items()}
        return [results[row] for row in range(len(requests))]

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]:
        """Yield texts by the number of their request, batch by batch. Each batch is held until the next begins."""
        return self._batches(requests, self._hold)

    def _batches(
        self, requests: Sequence[RequestPrompt], hold: Callable[[Sequence[HeldRow]], None] | None
    ) -> Iterator[Mapping[int, WrittenIds | None]]:
        waiting = sorted(range(len(requests)), key=lambda row: requests[row].ids)
        while waiting:
            batch, held = self._next_batch(waiting, requests)
            try:
                written: Sequence[WrittenIds | None] = self._write([requests[row] for row in batch], hold)
            except OutOfMemory:
                if len(batch) > 1:
                    self._budget.tokens = max(1, held // 2)
                    continue
                written = [None]
            try:
                yield dict(zip(batch, written, strict=True))
            finally:
                if hold:
                    hold(())
            waiting = waiting[len(batch) :]

    def _next_batch(self, waiting: Sequence[int], requests: Sequence[RequestPrompt]) -> tuple[Sequence[int], int]:
        """Return the first waiting rows that fit into the budget, at least one, and the most tokens they cache."""
        held = 0
        before: Ids = ()
        for number, row in enumerate(waiting):
            ids = requests[row].ids
            more = len(ids) - common_prefix(before, ids) + requests[row].max_new_tokens
            if number and held + more > self._budget.tokens:
                return waiting[:number], held
            held += more
            before = ids
        return waiting, held

    def _write(
        self, requests: Sequence[RequestPrompt], hold: Callable[[Sequence[HeldRow]], None] | None
    ) -> list[WrittenIds]:
        """Write the texts of requests that are sorted by their tokens."""
        tree = prefix_tree([request.ids for request in requests])
        with reporting_out_of_memory(), torch.inference_mode():
            memory: NodeMemory = {}
            logits = self._read(tree, memory)
            most = max(request.max_new_tokens for request in requests)
            steps = StepAttention(tree, memory, new_tokens=most, holds=hold is not None)
            memory.clear()
            texts = write_texts(
                logits, requests, end_ids=self._end_ids, keep=steps.keep, next_logits=partial(self._step, steps)
            )
            if hold:
                hold(_held_rows(requests, texts, steps))
        return [
            WrittenIds(tuple(text), complete=request.is_complete(text, self._end_ids), shared=shared)
            for text, request, shared in zip(texts, requests, _shared_tokens(tree), strict=True)
        ]

    def _read(self, tree: PrefixTree, memory: NodeMemory) -> Tensor:
        """Return the logits after each prompt, (prompts, vocabulary), and store keys and values in memory."""
        logits: dict[int, Tensor] = {}
        begin = 0
        while begin < len(tree.nodes):
            pack = next_pack(tree, begin, budget=self._pack_budget.tokens)
            positions = token_positions(tree, pack, self._model.device)
            packed = PackedAttention(tree, pack, positions, memory, frozenset(range(pack.begin, pack.end)))
            rows = {last: row for row, last in enumerate(tree.last) if pack.begin <= last < pack.end}
            indices = [index_in_pack(tree, pack, row, tree.nodes[last].stop - 1) for last, row in rows.items()]
            logits.update(zip(rows, tree_logits(self._model, packed, indices), strict=True))
            begin = pack.end
        return torch.stack([logits[last] for last in tree.last])

    def _step(self, steps: StepAttention, tokens: Sequence[int]) -> Tensor:
        """Return the logits after one more token of each text, (texts, vocabulary)."""
        logits = row_logits(self._model, tokens, steps, range(len(tokens)))
        steps.advance()
        return logits


def _held_rows(
    requests: Sequence[RequestPrompt], texts: Sequence[Sequence[int]], steps: StepAttention
) -> list[HeldRow]:
    """Return the prompts and texts with their keys and values. The last token of a text did not run."""
    return [
        HeldRow((*request.ids, *text[:-1]), pieces)
        for request, text, pieces in zip(requests, texts, steps.pieces(), strict=True)
    ]


def _shared_tokens(tree: PrefixTree) -> list[int]:
    """Count the tokens of each prompt that were computed for an earlier prompt."""
    shared, computed = [], set[int]()
    for last in tree.last:
        path = tree.path(last)
        shared.append(sum(len(tree.nodes[node].ids) for node in path if node in computed))
        computed.update(path)
    return shared
