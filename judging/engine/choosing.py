"""Which token a text goes on with."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from judging.engine.local import Decoding


class TokenChoice:
    """The likeliest token, or one drawn at a temperature.

    Every text has its own source of chance, begun from its own seed and asked once a token: so what else is written
    changes nothing about it, but where two tokens are as good as equal. Drawn tokens are the largest of log-probability
    minus the log of an exponential variate, which has the distribution of the softmax.
    """

    def __init__(self, decodings: Sequence[Decoding], device: torch.device) -> None:
        self._decodings = decodings
        self._chances = {
            row: torch.Generator(device).manual_seed(decoding.seed)
            for row, decoding in enumerate(decodings)
            if decoding.temperature > 0
        }

    def scores(self, logits: Tensor, rows: Sequence[int]) -> Tensor:
        """Numbers of which the largest is the token's; logits and result (rows, vocabulary).

        rows: which text each row of logits is of.
        """
        scores = logits.float()
        for place, row in enumerate(rows):
            if row in self._chances:
                scores[place] = self._drawn(scores[place], row)
        return scores

    def tokens(self, logits: Tensor, rows: Sequence[int]) -> list[int]:
        """One for each row of logits."""
        found: list[int] = self.scores(logits, rows).argmax(-1).tolist()
        return found

    def _drawn(self, logits: Tensor, row: int) -> Tensor:
        chance = torch.rand(logits.shape, generator=self._chances[row], device=logits.device, dtype=torch.float64)
        relative = (logits - logits.max()).double() / self._decodings[row].temperature
        return (relative - (-torch.log1p(-chance)).log()).float()
