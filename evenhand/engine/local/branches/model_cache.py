"""A model's own cache: run tokens after it, and copy it for several branches."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import Cache, PreTrainedModel

from evenhand.engine.local.model.model_traits import ordinary_tokens, takes_input
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.questions.label_tokens import Ids

CACHE_INPUTS = ("past_key_values", "cache_params")


@dataclass(frozen=True, slots=True)
class CachedRun:
    """Logits at some positions, (rows, positions, vocabulary), and the cache after the last tokens."""

    logits: Tensor
    cache: Cache | None


def cache_input(model: PreTrainedModel) -> str:
    """Return the name of the model's input for its cache; empty if it takes none."""
    return next((name for name in CACHE_INPUTS if takes_input(model, name)), "")


def copied_cache(cache: Cache | None, rows: int) -> Cache | None:
    """Copy the cache of one row for several rows; None stays None."""
    if cache is None:
        return None
    copied = copy.deepcopy(cache)
    if rows > 1:
        copied.reorder_cache(torch.zeros(rows, dtype=torch.int64))
    return copied


class CachedModel:
    """Runs rows of tokens after a cached beginning."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.model = model
        self._input = cache_input(model)
        self._keeps_logits = takes_input(model, "logits_to_keep")
        self._padding = ordinary_tokens(model)[0]

    @torch.inference_mode()
    def run(self, rows: Sequence[Ids], positions: Sequence[int], before: Cache | None, *, keep: bool) -> CachedRun:
        """Run rows, padded on the right, after copies of the cache `before`.

        positions: to predict at, counted from the first of these tokens. keep: return the cache, for one row only:
        padding would enter it.
        """
        ids, _ = right_padded(rows, device=self.model.device, padding=self._padding)
        options: dict[str, object] = {"use_cache": keep or before is not None}
        if before is not None:
            options[self._input] = copied_cache(before, len(rows))
        if self._keeps_logits:
            options["logits_to_keep"] = torch.tensor(positions or [0], device=ids.device)
        output = self.model(input_ids=ids, **options)
        logits = output.logits if self._keeps_logits else output.logits[:, positions or [0]]
        return CachedRun(logits, output[self._input] if keep else None)
