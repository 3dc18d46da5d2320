"""Choose the next token of each text: the likeliest, or one drawn at a temperature."""

from collections.abc import Callable, Collection, Sequence

import torch
from torch import Tensor

from evenhand.engine.interruption import require_use
from evenhand.engine.local.written_texts import NO_TOKEN, RequestPrompt


class TokenChoice:
    """Chooses the likeliest token, or draws one at a temperature.

    Every text has its own random generator with its own seed, used once a token. So other texts do not change it,
    except where rounding decides between two tokens. A drawn token has the largest log-probability minus the log of an
    exponential variate, which has the distribution of the softmax.
    """

    def __init__(self, requests: Sequence[RequestPrompt], device: torch.device) -> None:
        self._requests = requests
        self._chances = {
            row: torch.Generator(device).manual_seed(request.seed)
            for row, request in enumerate(requests)
            if request.temperature > 0
        }

    def scores(self, logits: Tensor, rows: Sequence[int]) -> Tensor:
        """Return scores whose largest belongs to the chosen token; logits and result are (rows, vocabulary).

        rows: the text that each row of logits belongs to.
        """
        scores = logits.float()
        for place, row in enumerate(rows):
            if row in self._chances:
                scores[place] = self._drawn(scores[place], row)
        return scores

    def tokens(self, logits: Tensor, rows: Sequence[int]) -> list[int]:
        """Return the chosen token of each row of logits; NO_TOKEN if a logit is NaN."""
        largest = self.scores(logits, rows).max(-1)
        chosen: list[int] = largest.indices.masked_fill(largest.values.isnan(), NO_TOKEN).tolist()
        return chosen

    def _drawn(self, logits: Tensor, row: int) -> Tensor:
        chance = torch.rand(logits.shape, generator=self._chances[row], device=logits.device, dtype=torch.float64)
        relative = (logits - logits.max()).double() / self._requests[row].temperature
        return (relative - (-torch.log1p(-chance)).log()).float()


def write_texts(
    logits: Tensor,
    requests: Sequence[RequestPrompt],
    *,
    end_ids: Collection[int],
    keep: Callable[[Sequence[int]], None],
    next_logits: Callable[[Sequence[int]], Tensor],
) -> list[list[int]]:
    """Write all texts token by token, until each has ended or has its most tokens.

    logits: predictions after each prompt, (texts, vocabulary). keep: called with the indices of the texts that go on.
    next_logits: returns the predictions after one more token of each text left. A text ends with NO_TOKEN if a logit
    is NaN.
    """
    choice = TokenChoice(requests, logits.device)
    texts: list[list[int]] = [[] for _ in requests]
    rows = list(range(len(requests)))

    def goes_on(row: int) -> bool:
        text, request = texts[row], requests[row]
        return len(text) < request.max_new_tokens and text[-1] != NO_TOKEN and not request.is_complete(text, end_ids)

    while True:
        require_use()
        for row, token in zip(rows, choice.tokens(logits, rows), strict=True):
            texts[row].append(token)
        going = [place for place, row in enumerate(rows) if goes_on(row)]
        if not going:
            return texts
        if len(going) < len(rows):
            rows = [rows[place] for place in going]
            keep(going)
        logits = next_logits([texts[row][-1] for row in rows])
