"""Draw the pairs of a campaign: by a rule, and a share at random from all pairs.

Candidates of a context are in the order of the dataset. A pair's first candidate is the earlier one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import cast

import numpy as np

from evenhand.numerics import most_comparisons, select_pairs
from judging.services.campaign_pairs.campaign_selection import ADAPTIVE, D_OPTIMAL, UNSURE, CampaignSelection

Pair = tuple[int, int]
NO_DOUBTS: Mapping[Pair, float] = {}


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A pair of a campaign. is_held_out: True if it was drawn at random from all pairs."""

    one: int
    other: int
    is_held_out: bool = False


def draw_pairs(
    contexts: Sequence[Sequence[int]], *, choice: CampaignSelection, seed: int, doubts: Mapping[Pair, float] = NO_DOUBTS
) -> list[DrawnPair]:
    """Draw unordered pairs of the candidates of each context, in the order in which they are asked.

    With d-optimal, the candidates' numbers of pairs within a context differ by at most two, and the first pairs
    connect them all. The result takes one pair from each context in random order, then a second from each, and so
    on. A campaign that ends early has then covered all contexts. Held-out pairs stand at random places.

    doubts: pair, smaller key first -> doubt of the judges, for the rule "unsure". Other pairs are not chosen by it.
    With adaptive, only the pairs that connect the candidates of each context and the held-out ones; the others follow.
    """
    rng = np.random.default_rng(seed)
    drawn = [_pairs_of(candidates, choice, doubts, rng) for candidates in contexts]
    limited = _most_doubted(drawn, choice, doubts) if choice.rule == UNSURE else drawn
    shuffled = [limited[index] for index in rng.permutation(len(limited))]
    by_rule = [pair for round_ in zip_longest(*shuffled) for pair in round_ if pair is not None][: choice.pair_limit]
    planned = plan_pairs(contexts, choice) if choice.rule == ADAPTIVE else len(by_rule)
    number = round(choice.random_share * planned)
    held_out = draw_from_all_pairs(contexts, number, rng)
    others = [pair for pair in by_rule if pair not in set(held_out)]
    return _mixed(others[: planned - number], held_out, rng)


def plan_pairs(contexts: Sequence[Sequence[int]], choice: CampaignSelection) -> int:
    """Return the pairs that an adaptive campaign asks in all, held-out ones included."""
    possible = [most_comparisons("no-repeat", len(candidates)) for candidates in contexts]
    per_context = choice.pairs_per_context
    total = sum(most if per_context is None else min(most, per_context) for most in possible)
    return total if choice.pair_limit is None else min(total, choice.pair_limit)


def draw_from_all_pairs(contexts: Sequence[Sequence[int]], number: int, rng: np.random.Generator) -> list[Pair]:
    """Draw different pairs uniformly at random from all pairs of all contexts."""
    ends = np.cumsum([most_comparisons("no-repeat", len(candidates)) for candidates in contexts])
    drawn = rng.choice(ends[-1], number, replace=False) if number else np.zeros(0, dtype=np.intp)
    return [_numbered_pair(contexts, ends.tolist(), index) for index in drawn.tolist()]


def _numbered_pair(contexts: Sequence[Sequence[int]], ends: Sequence[int], index: int) -> Pair:
    """Return the pair with this number, counted through all contexts. ends: number of pairs until each context."""
    context = int(np.searchsorted(ends, index, side="right"))
    candidates = contexts[context]
    from_end = ends[context] - 1 - index
    row = int((np.sqrt(8 * from_end + 1) - 1) // 2)
    one = len(candidates) - 2 - row
    return candidates[one], candidates[len(candidates) - 1 - (from_end - row * (row + 1) // 2)]


def _mixed(others: Sequence[Pair], held_out: Sequence[Pair], rng: np.random.Generator) -> list[DrawnPair]:
    """Put the held-out pairs at random places among the others."""
    total = len(others) + len(held_out)
    places = set(rng.choice(total, len(held_out), replace=False).tolist()) if held_out else set()
    rule_pairs, random_pairs = iter(others), iter(held_out)
    return [
        DrawnPair(*next(random_pairs if place in places else rule_pairs), is_held_out=place in places)
        for place in range(total)
    ]


def _pairs_of(
    candidates: Sequence[int], choice: CampaignSelection, doubts: Mapping[Pair, float], rng: np.random.Generator
) -> list[Pair]:
    most = most_comparisons("no-repeat", len(candidates))
    if not most:
        return []
    if choice.rule == UNSURE:
        pairs = _in_random_order(candidates, most, rng)
        return _by_doubt([pair for pair in pairs if _key(pair) in doubts], doubts)[: choice.pairs_per_context]
    number = choice.pairs_per_context
    if choice.rule == ADAPTIVE:
        return _in_random_order(candidates, min(number or most, len(candidates) - 1), rng)
    if choice.rule != D_OPTIMAL or number is None or number >= most:
        return _in_random_order(candidates, most if number is None else min(number, most), rng)
    return _to_candidates(candidates, "d-optimal", number, rng)


def _in_random_order(candidates: Sequence[int], number: int, rng: np.random.Generator) -> list[Pair]:
    """Return random pairs. The first ones connect all candidates."""
    return _to_candidates(candidates, "no-repeat", number, rng)


def _to_candidates(candidates: Sequence[int], rule: str, number: int, rng: np.random.Generator) -> list[Pair]:
    pairs = select_pairs(rule, len(candidates), number, rng)
    indices = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return [(candidates[min(pair)], candidates[max(pair)]) for pair in indices]


def _most_doubted(
    drawn: Sequence[Sequence[Pair]], choice: CampaignSelection, doubts: Mapping[Pair, float]
) -> list[list[Pair]]:
    """Keep the most doubted pairs of all contexts, as many as the limit allows."""
    chosen = set(_by_doubt(list(chain.from_iterable(drawn)), doubts)[: choice.pair_limit])
    return [[pair for pair in pairs if pair in chosen] for pairs in drawn]


def _by_doubt(pairs: list[Pair], doubts: Mapping[Pair, float]) -> list[Pair]:
    """Sort pairs, the most doubted first. Equally doubted pairs stay in their order."""
    return sorted(pairs, key=lambda pair: -doubts[_key(pair)])


def _key(pair: Pair) -> Pair:
    return cast(Pair, tuple(sorted(pair)))
