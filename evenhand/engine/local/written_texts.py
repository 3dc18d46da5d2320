"""Requests for text in tokens, and the tokens that a model wrote for them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from evenhand.engine.questions.label_tokens import Ids

Stops = Callable[[Sequence[int]], bool]

NO_TOKEN = -1
"""Stands for a token that could not be chosen because a logit was NaN."""
OUT_OF_MEMORY = "out of memory on a single prompt of {} tokens; use a smaller model, a smaller dtype or another device"
NO_NUMBERS = "the model gave no probability for the next token (nan); try another dtype, such as float32 or bfloat16"


def never_stops(_: Sequence[int]) -> bool:
    """Return False: the text ends at its end token, or at its limit."""
    return False


@dataclass(frozen=True, slots=True)
class WrittenIds:
    """Tokens that a model wrote after a prompt, with its end token if it wrote one, or with NO_TOKEN at the end.

    complete: the text ended by itself. shared: tokens of the prompt that were computed for another prompt.
    """

    ids: Ids
    complete: bool
    shared: int = 0


@dataclass(frozen=True, slots=True)
class RequestPrompt:
    """A request in tokens; see Request.

    begin: the first tokens of an encoder-decoder's text; else empty.
    stops: returns True for written tokens after which nothing more is written.
    """

    ids: Ids
    max_new_tokens: int
    temperature: float = 0.0
    seed: int = 0
    begin: Ids = ()
    stops: Stops = never_stops

    @property
    def tokens(self) -> int:
        return len(self.ids)

    def is_complete(self, written: Sequence[int], end_ids: Collection[int]) -> bool:
        """Return True if the written tokens end with an end token, or where the request stops."""
        return written[-1] in end_ids or self.stops(written)
