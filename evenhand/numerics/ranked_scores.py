"""The score, standard error and rank of each candidate, or why a number is missing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import IntArray
from evenhand.numerics.ranks import rank_within_contexts
from evenhand.numerics.scores import Scores


@dataclass(frozen=True, slots=True)
class RankedScore:
    """The numbers of one candidate. candidate: its number. undefined: field -> why it is None."""

    candidate: int
    score: float | None
    standard_error: float | None
    rank: float | None
    undefined: Mapping[str, str]


def ranked_scores(scores: Scores | str, contexts: IntArray, candidates: IntArray) -> Iterator[RankedScore]:
    """Yield the numbers of some candidates. Rank 1 is the best of its context; equal scores share their mean rank.

    scores: of all candidates, or why there are none. contexts: int, (n_candidates,). candidates: int, (n,).
    """
    if isinstance(scores, str):
        none = dict.fromkeys(("score", "standard_error", "rank"), scores)
        yield from (RankedScore(candidate, None, None, None, none) for candidate in candidates.tolist())
        return
    ranks = rank_within_contexts(scores, contexts)
    columns = np.stack([scores.values, scores.errors, ranks])[:, candidates].T.tolist()
    for candidate, (value, error, rank) in zip(candidates.tolist(), columns, strict=True):
        no_score, no_error = scores.why(candidate), scores.why_no_error(candidate)
        why = {"score": no_score, "standard_error": no_error, "rank": no_score}
        yield RankedScore(
            candidate,
            None if no_score else value,
            None if no_error else error,
            None if no_score else rank,
            {field: reason for field, reason in why.items() if reason},
        )
