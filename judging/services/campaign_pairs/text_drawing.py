"""Draw the texts of a campaign of ratings."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from judging.services.campaign_pairs.campaign_selection import CampaignSelection


def draw_texts(contexts: Sequence[Sequence[int]], *, choice: CampaignSelection, seed: int) -> list[int]:
    """Draw candidates of each context, in the order in which they are asked.

    The result takes one candidate from each context in random order, then a second from each, and so on. A campaign
    that ends early has then covered all contexts.
    """
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(candidates).tolist()[: choice.pairs_per_context] for candidates in contexts]
    shuffled = [drawn[index] for index in rng.permutation(len(drawn))]
    rounds = [text for round_ in zip_longest(*shuffled) for text in round_ if text is not None]
    return rounds[: choice.pair_limit]


def count_texts(contexts: Sequence[Sequence[int]], choice: CampaignSelection) -> int:
    """Return the number of texts that a campaign asks about."""
    per_context = choice.pairs_per_context
    total = sum(len(texts) if per_context is None else min(len(texts), per_context) for texts in contexts)
    return total if choice.pair_limit is None else min(total, choice.pair_limit)
