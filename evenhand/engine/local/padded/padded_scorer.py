"""Score rows of tokens in padded batches, with models that share no beginnings; and try how such a model reads."""

import time
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from evenhand.engine.local.batching import Indices, TokenBudget, run_packed
from evenhand.engine.local.label_logprobs import LabelScores, kept_positions, label_logprobs
from evenhand.engine.local.model.model_traits import (
    LARGEST_DIFFERENCE,
    LARGEST_LEAK,
    ordinary_tokens,
    rotation_depends_on_length,
    takes_input,
)
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.questions.label_tokens import TokenRow


class PaddedScorer:
    """Scores rows of similar length together.

    Rows are padded on the right, without a mask. A causal model never looks to the right, so every real token has the
    same position and the same earlier tokens as in a row of its own.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget, *, one_length: bool = False) -> None:
        """one_length: only rows of equal length share a batch, because padding would change their answers."""
        self._model = model
        self._budget = budget
        self._keeps_logits = takes_input(model, "logits_to_keep")
        self._one_length = one_length
        self._padding = ordinary_tokens(model)[0]  # padding tokens without a mask make transformers warn

    def score(self, rows: Sequence[TokenRow]) -> LabelScores:
        def work(batch: Indices) -> list[list[float]]:
            return self._label_logprobs([rows[index] for index in batch])

        lengths = [len(row.ids) for row in rows]
        values = run_packed(lengths, work, budget=self._budget, one_length=self._one_length)
        computed = sum(length for length, value in zip(lengths, values, strict=True) if value is not None)
        return LabelScores(values, computed)

    @torch.inference_mode()
    def _label_logprobs(self, rows: list[TokenRow]) -> list[list[float]]:
        positions = kept_positions(rows)
        with reporting_out_of_memory():
            ids, _ = right_padded([row.ids for row in rows], device=self._model.device, padding=self._padding)
            if self._keeps_logits:
                keep = torch.tensor(positions, device=ids.device)
                logits = self._model(input_ids=ids, use_cache=False, logits_to_keep=keep).logits
            else:
                logits = self._model(input_ids=ids, use_cache=False).logits[:, positions]
            return label_logprobs(logits, positions, rows)


_TOKENS, _PADDING = 12, 9
_TIMED_ROWS, _TIMED_TOKENS = 4, 64
LARGEST_SLOWDOWN = 1.1  # of a batch over its rows alone; less is noise


class ReadsBothWays(Exception):
    """The model's prediction after a token depends on later tokens."""


def require_left_to_right(model: PreTrainedModel) -> None:
    """Raise ReadsBothWays for models such as BERT, which fill gaps and do not continue texts."""
    row, other = _two_rows(model)
    usual, changed = (_logprobs(model, [ids])[0, :-1] for ids in (row, [*row[:-1], other[-1]]))
    if _moved(usual, changed) > LARGEST_LEAK[model.dtype] * _scale(usual):
        raise ReadsBothWays("its attention sees later tokens, so it fills gaps and does not continue a text")


def padding_problem(model: PreTrainedModel) -> str:
    """Return why only prompts of equal length may share a batch; empty if padding on the right changes nothing."""
    if rotation_depends_on_length(model):
        return "its positions depend on the longest prompt of a batch"
    row, other = _two_rows(model)
    alone = _logprobs(model, [row])[0]
    batches = [[row + padding, longer] for padding, longer in _paddings(row, other)]
    padded = [_logprobs(model, batch)[0, : len(row)] for batch in batches]
    scale = _scale(alone)
    if not _moved(*padded) <= LARGEST_LEAK[model.dtype] * scale:
        return "padding would change its answers"
    difference = float((padded[0] - alone).abs().mean())
    if not difference <= LARGEST_DIFFERENCE[model.dtype] * scale:
        return f"in padded batches its log-probabilities would differ by {difference:.2g}"
    return ""


def alone_is_faster(model: PreTrainedModel) -> bool:
    """Return True if a batch takes longer than its rows one at a time. On a GPU batches always pay."""
    if model.device.type != "cpu":
        return False
    tokens = ordinary_tokens(model)
    rows = [[tokens[(7 * step + row) % len(tokens)] for step in range(_TIMED_TOKENS)] for row in range(_TIMED_ROWS)]
    _logprobs(model, rows[:1])  # a warm-up
    alone = _seconds(model, [[row] for row in rows])
    return _seconds(model, [rows]) > LARGEST_SLOWDOWN * alone


def _two_rows(model: PreTrainedModel) -> tuple[list[int], list[int]]:
    ordinary = ordinary_tokens(model)
    tokens = [ordinary[place * len(ordinary) // (2 * _TOKENS)] for place in range(2 * _TOKENS)]
    return tokens[:_TOKENS], tokens[_TOKENS:]


def _paddings(row: list[int], other: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return two paddings of a row, each with another longer row for the same batch."""
    return [(some[:_PADDING], [*reversed(some), *some[:_PADDING]]) for some in (row, other)]


@torch.inference_mode()
def _logprobs(model: PreTrainedModel, rows: Sequence[Sequence[int]]) -> Tensor:
    """Return log-probabilities after every token of rows of one length, float32 (rows, tokens, vocabulary)."""
    ids = torch.tensor(rows, device=model.device)
    logits: Tensor = model(input_ids=ids, use_cache=False).logits
    return logits.float().log_softmax(-1)


def _scale(logprobs: Tensor) -> float:
    """Return the spread of log-probabilities over the vocabulary, at most 1: small weights make small differences."""
    return min(1.0, float(logprobs.std(-1).mean()))


def _moved(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def _seconds(model: PreTrainedModel, batches: Sequence[Sequence[Sequence[int]]]) -> float:
    started = time.perf_counter()
    for batch in batches:
        _logprobs(model, batch)
    return time.perf_counter() - started
