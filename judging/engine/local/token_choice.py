"""Which token a text goes on with, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import torch
from torch import Tensor

from judging.engine.local.local_engine import NO_TOKEN, Decoding


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
        """One for each row of logits; NO_TOKEN where they are no numbers."""
        largest = self.scores(logits, rows).max(-1)
        found: list[int] = largest.indices.masked_fill(largest.values.isnan(), NO_TOKEN).tolist()
        return found

    def _drawn(self, logits: Tensor, row: int) -> Tensor:
        chance = torch.rand(logits.shape, generator=self._chances[row], device=logits.device, dtype=torch.float64)
        relative = (logits - logits.max()).double() / self._decodings[row].temperature
        return (relative - (-torch.log1p(-chance)).log()).float()


def write_on(
    logits: Tensor,
    decodings: Sequence[Decoding],
    *,
    end_ids: Collection[int],
    keep: Callable[[Sequence[int]], None],
    next_logits: Callable[[Sequence[int]], Tensor],
) -> list[list[int]]:
    """Texts, one token further at a time, until each has ended or is as long as it may be.

    logits: what follows the prompt of each, (texts, vocabulary). keep: go on with some of those that are left, by their
    places. next_logits: what follows one further token of each that is left. A text ends with NO_TOKEN where what
    follows it are no numbers.
    """
    choice = TokenChoice(decodings, logits.device)
    texts: list[list[int]] = [[] for _ in decodings]
    rows = list(range(len(decodings)))

    def goes_on(row: int) -> bool:
        return texts[row][-1] not in (*end_ids, NO_TOKEN) and len(texts[row]) < decodings[row].max_new_tokens

    while True:
        for row, token in zip(rows, choice.tokens(logits, rows), strict=True):
            texts[row].append(token)
        going = [place for place, row in enumerate(rows) if goes_on(row)]
        if not going:
            return texts
        if len(going) < len(rows):
            rows = [rows[place] for place in going]
            keep(going)
        logits = next_logits([texts[row][-1] for row in rows])
